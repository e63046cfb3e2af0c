"""Devlog entry of a task: drafted, extended from run to run, closed when it is due or an event happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from sidecar.capture.drafts.devlog_text import DraftText, Tally, add_run, devlog, is_due, next_tally, title_from, totals
from sidecar.capture.drafts.events import Event, name_of
from sidecar.capture.effects.worktree_changes import FileChange
from sidecar.capture.run import FinishedRun
from sidecar.codebase import is_generated
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import telling
from sidecar.runs import Artifact, SubChat, artifacts

HOUR_MS = 3_600_000
PROMPT_CHARACTERS = 4_000
MAX_RUNS = 50
TITLE_WORDS = 4
"""A prompt with fewer words, such as "go on", names nothing."""


def window_begin_ms(run: FinishedRun) -> int:
    """Return the start of the window in which the same event drafts nothing again."""
    return run.now_ms - int(run.settings["capture.dedupeHours"]) * HOUR_MS


def store_devlog(tx: apsw.Connection, run: FinishedRun, state: SubChat, events: Sequence[Event]) -> Artifact | None:
    """Draft a devlog entry if a completed run changed something, or fixed what an open entry mentions.

    Runs of one task extend the same draft until it reaches the capture threshold or an event happens. Then the next
    entry starts, and repeats nothing of an earlier one. An entry that the user edited is not extended.
    """
    key = f"devlog:{run.params.sub_chat_id}"
    latest = artifacts.newest_of_event(tx, run.workspace.project_key, key, 0)
    open_entry = (
        latest if latest is not None and latest.provenance.get("open") and is_growing(latest, run, state) else None
    )
    tally = add_run(_tally(latest, is_open=open_entry is not None), run.start_head, run.effects.changes)
    changes = totals(tally)
    due = is_due(changes, int(run.settings["capture.changedLines"]), int(run.settings["capture.changedFiles"]))
    if open_entry is None and not _starts_entry(run, state, latest, changes, due=due or bool(events)):
        return None
    if open_entry is not None and not run.effects.changes and not events:
        return None
    title = open_entry.title if open_entry is not None else _title(run, state, latest)
    artifact = _artifact(run, state, open_entry, tally, title, due=due, events=events)._replace(event_key=key)
    artifacts.put(tx, artifact)
    return artifact


def provenance_of(run: FinishedRun, state: SubChat, files: Sequence[str], earlier: Artifact | None) -> dict[str, Any]:
    """Return the provenance of a draft. Its runs and start commit continue those of an earlier draft."""
    before = earlier.provenance if earlier is not None else {}
    run_ids = [*(run_id for run_id in before.get("runs", ()) if run_id != run.params.run_id), run.params.run_id]
    return {
        "runId": run.params.run_id,
        "runs": run_ids[-MAX_RUNS:],
        "subChatId": run.params.sub_chat_id,
        "chatId": run.params.chat_id,
        "provider": run.params.provider,
        "sessionId": run.params.session.after,
        "taskFingerprint": state.task.fingerprint if state.task else None,
        "startCommit": before.get("startCommit") or run.start_head,
        "headCommit": run.effects.state.head if run.effects.state else None,
        "files": list(files),
        "sidecarVersion": run.call.process.version,
    }


def objective_of(run: FinishedRun, state: SubChat) -> str:
    """Return the task's objective in the user's words. Secrets are masked before it is cut."""
    return state.task.objective if state.task else redact(run.params.prompt[:PROMPT_CHARACTERS])


def is_growing(artifact: Artifact, run: FinishedRun, state: SubChat) -> bool:
    """Whether runs still extend a draft: it is recent, of the same task, and not edited by the user."""
    return (
        artifact.status == "draft"
        and not artifact.provenance.get("edited")
        and artifact.provenance.get("taskFingerprint") == (state.task.fingerprint if state.task else None)
        and artifact.created_at_ms >= window_begin_ms(run)
    )


def _starts_entry(
    run: FinishedRun, state: SubChat, latest: Artifact | None, changes: Sequence[FileChange], *, due: bool
) -> bool:
    """Whether changes start an entry: not generated files, nor a task whose draft the user discarded recently.

    If the run's own start is unknown, the changes must exceed what an earlier entry contains.
    """
    if all(is_generated(change.path) for change in changes):
        return False
    if latest is None:
        return True
    if run.pre_run is None and not any(change.added or change.removed for change in changes):
        return False
    fingerprint = state.task.fingerprint if state.task else None
    is_same = latest.provenance.get("taskFingerprint") == fingerprint and latest.created_at_ms >= window_begin_ms(run)
    return due or not (latest.status == "discarded" and is_same)


def _artifact(
    run: FinishedRun,
    state: SubChat,
    earlier: Artifact | None,
    tally: Tally,
    title: str,
    *,
    due: bool,
    events: Sequence[Event],
) -> Artifact:
    changes = totals(tally)
    events_of_entry = _events_of_entry(earlier, events)
    provenance = provenance_of(run, state, [change.path for change in changes], earlier)
    draft = _draft(run, title, changes, len(provenance["runs"]), events_of_entry)
    return Artifact(
        id=earlier.id if earlier else f"devlog-{run.call.process.new_id()[:12]}",
        project=run.workspace.project_key,
        type="devlog",
        status="draft",
        title=draft.title,
        body=draft.body,
        event=name_of(events_of_entry) or ("mergedDiff" if due else "filesChanged"),
        event_key="",
        provenance={
            **provenance,
            "tally": list(tally),
            "events": [list(event) for event in events_of_entry],
            "open": not due and not events,
        },
        created_at_ms=earlier.created_at_ms if earlier else run.now_ms,
        updated_at_ms=run.now_ms,
    )


def _events_of_entry(earlier: Artifact | None, events: Sequence[Event]) -> list[Event]:
    stored_events = (
        [Event._make(stored_event) for stored_event in earlier.provenance.get("events", ())]
        if earlier is not None
        else []
    )
    return list({event.key: event for event in (*stored_events, *events)}.values())


def _tally(latest: Artifact | None, *, is_open: bool) -> Tally:
    if latest is None or "tally" not in latest.provenance:
        return Tally(None, {}, {}, {})
    tally = Tally._make(latest.provenance["tally"])
    return tally if is_open else next_tally(tally)


def _title(run: FinishedRun, state: SubChat, before: Artifact | None) -> str:
    """Name the task; a later entry of it is named after the latest request or result."""
    objective = title_from(objective_of(run, state))
    if before is None or before.provenance.get("taskFingerprint") != (state.task.fingerprint if state.task else None):
        return objective
    prompt_title = title_from(run.params.prompt)
    return (
        prompt_title
        if len(prompt_title.split()) >= TITLE_WORDS
        else title_from(telling(run.conclusion, 400)) or objective
    )


def _draft(
    run: FinishedRun, title: str, changes: Sequence[FileChange], runs: int, events_of_entry: Sequence[Event]
) -> DraftText:
    event_lines = list(dict.fromkeys(event.line for event in events_of_entry))
    deleted_files = {change.path for change in changes if change.path not in run.effects.files}
    return devlog(title, changes, run.conclusion, _test_lines(run), runs, event_lines, deleted_files)


def _test_lines(run: FinishedRun) -> list[str]:
    return [
        f"{outcome.runner}: failing: {', '.join(outcome.names[:5]) or 'see its output'}"
        if outcome.failed
        else f"{outcome.runner}: passing"
        for outcome in {outcome.runner: outcome for outcome in run.tests}.values()
    ]
