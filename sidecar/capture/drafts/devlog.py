"""Keeps the devlog entry of a task: drafted, grown from run to run, closed when it is due or something happened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from sidecar.capture.drafts.devlog_text import Draft, Tally, devlog, following, grown, is_due, titled, totals
from sidecar.capture.drafts.events import Event, name_of
from sidecar.capture.effects.worktree_changes import Change
from sidecar.capture.run import Finished
from sidecar.codebase import is_generated
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import telling
from sidecar.runs import Artifact, SubChat, artifacts

HOUR_MS = 3_600_000
PROMPT_CHARACTERS = 4_000
MAX_RUNS = 50
TITLE_WORDS = 4
"""A prompt of fewer, as in "go on", names nothing."""


def window_begin_ms(one: Finished) -> int:
    """Gives the moment since when the same event drafts nothing again."""
    return one.now_ms - int(one.settings["capture.dedupeHours"]) * HOUR_MS


def keep_devlog(tx: apsw.Connection, one: Finished, state: SubChat, events: Sequence[Event]) -> Artifact | None:
    """Drafts a devlog entry when a completed run changed something, or mended what an open entry tells of.

    Runs of one task add to the same draft until it has grown to the capture threshold or one of the events happens;
    then the next begins, and tells nothing that an earlier one has told. One that the user edited is the user's.
    """
    key = f"devlog:{one.params.sub_chat_id}"
    found = artifacts.of_event(tx, one.workspace.project_key, key, 0)
    open_one = found if found is not None and found.provenance.get("open") and is_growing(found, one, state) else None
    tally = grown(_tally(found, is_open=open_one is not None), one.start_head, one.observed.changes)
    changes = totals(tally)
    due = is_due(changes, int(one.settings["capture.changedLines"]), int(one.settings["capture.changedFiles"]))
    if open_one is None and not _is_worth_beginning(one, state, found, changes, due=due or bool(events)):
        return None
    if open_one is not None and not one.observed.changes and not events:
        return None
    title = open_one.title if open_one is not None else _title(one, state, found)
    artifact = _artifact(one, state, open_one, tally, title, due=due, events=events)._replace(event_key=key)
    artifacts.put(tx, artifact)
    return artifact


def provenance_of(one: Finished, state: SubChat, files: Sequence[str], earlier: Artifact | None) -> dict[str, Any]:
    """Gives where a draft comes from; runs, and the commit before the first of them, go on from what it was before."""
    before = earlier.provenance if earlier is not None else {}
    runs = [*(run for run in before.get("runs", ()) if run != one.params.run_id), one.params.run_id]
    return {
        "runId": one.params.run_id,
        "runs": runs[-MAX_RUNS:],
        "subChatId": one.params.sub_chat_id,
        "chatId": one.params.chat_id,
        "provider": one.params.provider,
        "sessionId": one.params.session.after,
        "taskFingerprint": state.task.fingerprint if state.task else None,
        "startCommit": before.get("startCommit") or one.start_head,
        "headCommit": one.observed.state.head if one.observed.state else None,
        "files": list(files),
        "sidecarVersion": one.call.process.version,
    }


def objective_of(one: Finished, state: SubChat) -> str:
    """Gives what the task is about, in the user's words; its secrets are masked before it is cut."""
    return state.task.objective if state.task else redact(one.params.prompt[:PROMPT_CHARACTERS])


def is_growing(found: Artifact, one: Finished, state: SubChat) -> bool:
    """Says whether runs still add to a draft: it is young, of the same task, and the user has not touched it."""
    return (
        found.status == "draft"
        and not found.provenance.get("edited")
        and found.provenance.get("taskFingerprint") == (state.task.fingerprint if state.task else None)
        and found.created_at_ms >= window_begin_ms(one)
    )


def _is_worth_beginning(
    one: Finished, state: SubChat, found: Artifact | None, changes: Sequence[Change], *, due: bool
) -> bool:
    """Whether changes begin an entry: not what a program wrote, nor what the user threw away a draft of a moment ago.

    Where the run's own beginning is not known, what an earlier entry has told must have grown.
    """
    if all(is_generated(change.path) for change in changes):
        return False
    if found is None:
        return True
    if one.before is None and not any(change.added or change.removed for change in changes):
        return False
    fingerprint = state.task.fingerprint if state.task else None
    is_same = found.provenance.get("taskFingerprint") == fingerprint and found.created_at_ms >= window_begin_ms(one)
    return due or not (found.status == "discarded" and is_same)


def _artifact(
    one: Finished,
    state: SubChat,
    earlier: Artifact | None,
    tally: Tally,
    title: str,
    *,
    due: bool,
    events: Sequence[Event],
) -> Artifact:
    changes = totals(tally)
    happened = _happened(earlier, events)
    provenance = provenance_of(one, state, [change.path for change in changes], earlier)
    draft = _draft(one, title, changes, len(provenance["runs"]), happened)
    return Artifact(
        id=earlier.id if earlier else f"devlog-{one.call.process.new_id()[:12]}",
        project=one.workspace.project_key,
        type="devlog",
        status="draft",
        title=draft.title,
        body=draft.body,
        event=name_of(happened) or ("mergedDiff" if due else "filesChanged"),
        event_key="",
        provenance={
            **provenance,
            "tally": list(tally),
            "events": [list(event) for event in happened],
            "open": not due and not events,
        },
        created_at_ms=earlier.created_at_ms if earlier else one.now_ms,
        updated_at_ms=one.now_ms,
    )


def _happened(earlier: Artifact | None, events: Sequence[Event]) -> list[Event]:
    known = [Event._make(kept) for kept in earlier.provenance.get("events", ())] if earlier is not None else []
    return list({event.key: event for event in (*known, *events)}.values())


def _tally(found: Artifact | None, *, is_open: bool) -> Tally:
    if found is None or "tally" not in found.provenance:
        return Tally(None, {}, {}, {})
    tally = Tally._make(found.provenance["tally"])
    return tally if is_open else following(tally)


def _title(one: Finished, state: SubChat, before: Artifact | None) -> str:
    """Names the task; a later entry of it by what was asked for last, or by what was reached."""
    objective = titled(objective_of(one, state))
    if before is None or before.provenance.get("taskFingerprint") != (state.task.fingerprint if state.task else None):
        return objective
    asked = titled(one.params.prompt)
    return asked if len(asked.split()) >= TITLE_WORDS else titled(telling(one.conclusion, 400)) or objective


def _draft(one: Finished, title: str, changes: Sequence[Change], runs: int, happened: Sequence[Event]) -> Draft:
    told = list(dict.fromkeys(event.told for event in happened))
    gone = {change.path for change in changes if change.path not in one.observed.files}
    return devlog(title, changes, one.conclusion, _test_lines(one), runs, told, gone)


def _test_lines(one: Finished) -> list[str]:
    return [
        f"{outcome.runner}: failing: {', '.join(outcome.names[:5]) or 'see its output'}"
        if outcome.failed
        else f"{outcome.runner}: passing"
        for outcome in {outcome.runner: outcome for outcome in one.tests}.values()
    ]
