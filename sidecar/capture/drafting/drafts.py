"""Drafts what a completed run is worth keeping: the events first, then the texts that tell of them."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sidecar.capture.drafting.decision_records import boundary_events, keep_adr
from sidecar.capture.drafting.entries import keep_devlog, window_begin_ms
from sidecar.capture.drafting.events import fixes
from sidecar.capture.drafting.rejections import keep_rejections, new_rejections, turn_events, turn_of
from sidecar.capture.finished import Finished
from sidecar.capture.testing.verdicts import Change
from sidecar.runs import Artifact, SubChat, artifacts


def keep_drafts(
    tx: apsw.Connection, one: Finished, state: SubChat, steps: Sequence[tuple[str, str]], tests: Sequence[Change]
) -> list[Artifact]:
    """Drafts what a run is worth; one that was aborted, failed or never began drafts nothing.

    `state` is the conversation's before the run, `steps` its task list after it, `tests` what the run changed of the
    runners' verdicts.
    """
    if one.params.outcome != "completed":
        return []
    turn = turn_of(tx, one, state, steps)
    news = new_rejections(tx, one, turn)
    turned = turn_events(one, turn, news)
    touched, mended = boundary_events(one.boundaries), fixes(tests, one.observed.files)
    known = _told(tx, one, one.start_head) if touched else frozenset[str]()
    lately = _told(tx, one, None) if mended or turned else frozenset[str]()
    events = [event for event in touched if event.key not in known]
    events += [event for event in (*mended, *turned) if event.key not in lately]
    drafted = [keep_devlog(tx, one, state, events), keep_adr(tx, one, state, one.boundaries, known)]
    notes = keep_rejections(tx, one, state, news, tests)
    return [artifact for artifact in (*drafted, *notes) if artifact is not None]


def _told(tx: apsw.Connection, one: Finished, start_commit: str | None) -> frozenset[str]:
    """What artifacts within the dedupe window tell of, whatever became of them; older ones that began at a commit."""
    return artifacts.told_events(tx, one.workspace.project_key, window_begin_ms(one), start_commit)
