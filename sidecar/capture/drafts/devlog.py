"""Text of a devlog entry: what a stretch of work changed, for a reader. Pure; no model is called."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

import apsw

from sidecar.capture.drafts.events import Event, name_of
from sidecar.capture.effects.worktree_changes import FileChange
from sidecar.capture.run import FinishedRun
from sidecar.codebase import is_generated
from sidecar.core.secrets.redact import redact
from sidecar.core.text.prose import MAX_PROSE_CHARACTERS, first_informative_paragraph, first_sentence
from sidecar.runs import Artifact, SubChat, artifacts

MAX_FILES = 20
MAX_TITLE = 90
MAX_CONCLUSION = 700


class Tally(NamedTuple):
    """Changes of an entry's runs, as (added, removed) lines by file."""

    start: str | None
    """The commit that `counts` are relative to."""
    settled: dict[str, list[int]]
    """Changes relative to earlier commits."""
    counts: dict[str, list[int]]
    base: dict[str, list[int]]
    """Part of the counts from before the entry started; the previous entry shows it."""


class DraftText(NamedTuple):
    """A title and a Markdown body."""

    title: str
    body: str


def devlog(
    title: str,
    changes: Sequence[FileChange],
    conclusion: str,
    tests: Sequence[str],
    runs: int,
    event_lines: Sequence[str] = (),
    deleted_files: Container[str] = (),
) -> DraftText:
    """Write the entry: conclusion, events, changed files, test results.

    `deleted_files` are files that appeared and disappeared within it.
    """
    title = title_from(title) or "Work without a stated goal"
    lines = [f"# {title}", ""]
    if summary := first_informative_paragraph(conclusion, MAX_CONCLUSION):
        lines += [summary, ""]
    for event in event_lines:
        lines += [event, ""]
    ordered = sorted(
        changes, key=lambda change: (is_generated(change.path), -(change.added + change.removed), change.path)
    )
    lines += [f"Changed over {runs} run{'s' if runs != 1 else ''}:", ""]
    lines += [
        f"- `{change.path}`{_counts(change) or (' (deleted again)' if change.path in deleted_files else '')}"
        for change in ordered[:MAX_FILES]
    ]
    if len(ordered) > MAX_FILES:
        lines.append(f"- … and {len(ordered) - MAX_FILES} more files")
    if tests:
        lines += ["", "Tests:", "", *(f"- {line}" for line in tests)]
    return DraftText(title, "\n".join(lines) + "\n")


def title_from(text: str) -> str:
    """Return a title from the first sentence of a request or result. Secrets are masked before it is cut."""
    return first_sentence(redact(text[:MAX_PROSE_CHARACTERS]), MAX_TITLE)


def is_due(changes: Sequence[FileChange], lines: int, files: int) -> bool:
    """Whether changes reach a threshold of lines or of files; generated files do not count."""
    counted = [change for change in changes if not is_generated(change.path)]
    return sum(change.added + change.removed for change in counted) >= lines or len(counted) >= files


def add_run(tally: Tally, start: str | None, changes: Sequence[FileChange]) -> Tally:
    """Add a run that started at a commit. For the same commit, a file's newest counts replace earlier ones."""
    counts = {change.path: [change.added, change.removed] for change in changes}
    if tally.start == start:
        return tally._replace(counts={**tally.counts, **counts})
    settled = {change.path: [change.added, change.removed] for change in totals(tally)}
    return Tally(start, settled, counts, {})


def totals(tally: Tally) -> list[FileChange]:
    """Return what an entry's runs changed in total, by path."""
    changes = []
    for path in sorted({*tally.settled, *tally.counts}):
        parts = (tally.settled.get(path, [0, 0]), tally.counts.get(path, [0, 0]))
        base = tally.base.get(path, [0, 0]) if path in tally.counts else [0, 0]
        added, removed = (sum(part[side] for part in parts) - base[side] for side in (0, 1))
        changes.append(FileChange(path, max(0, added), max(0, removed)))
    return changes


def next_tally(tally: Tally) -> Tally:
    """Return the tally of the entry after a closed one."""
    return Tally(tally.start, {}, {}, {**tally.base, **tally.counts})


def _counts(change: FileChange) -> str:
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""


# Devlog entry of a task: drafted, extended from run to run, closed when it is due or an event happens.


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
        else title_from(first_informative_paragraph(run.conclusion, 400)) or objective
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
