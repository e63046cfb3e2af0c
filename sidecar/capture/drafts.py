"""Drafts what a completed run is worth keeping: the events first, then the texts that tell of them."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from sidecar.capture.entries import keep_devlog, window_begin_ms
from sidecar.capture.events import Event, fixes
from sidecar.capture.finished import Finished
from sidecar.capture.verdicts import Change
from sidecar.runs import Artifact, SubChat, artifacts


def keep_drafts(tx: apsw.Connection, one: Finished, state: SubChat, tests: Sequence[Change]) -> list[Artifact]:
    """Drafts what a run is worth; one that was aborted, failed or never began drafts nothing.

    `state` is the conversation's before the run, `tests` what the run changed of the runners' verdicts.
    """
    if one.params.outcome != "completed":
        return []
    events = _news(tx, one, fixes(tests, one.observed.files))
    drafted = [keep_devlog(tx, one, state, events)]
    return [artifact for artifact in drafted if artifact is not None]


def _news(tx: apsw.Connection, one: Finished, events: Sequence[Event]) -> list[Event]:
    """The events that no entry within the dedupe window tells of, whatever became of that entry."""
    if not events:
        return []
    told = artifacts.told_events(tx, one.workspace.project_key, window_begin_ms(one))
    return [event for event in events if event.key not in told]
