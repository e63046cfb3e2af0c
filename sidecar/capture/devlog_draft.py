"""Devlog entry of a task: the events of a run that are worth an entry, and the draft they open, extend or close.

Events are identified by what happened and not by their wording; no model is called.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import apsw

from sidecar.capture.parsed_test_results import VerdictChange
from sidecar.capture.run import FinishedRun
from sidecar.codebase import is_generated
from sidecar.core.clock import HOUR_MS
from sidecar.core.digests import short_id
from sidecar.core.markdown import MAX_PROSE_CHARACTERS, first_informative_paragraph, first_sentence
from sidecar.core.redact import redact
from sidecar.runs import Artifact, SubChat, artifacts
from sidecar.runs.artifact_provenance import Details, DevlogDetails, Event, EventKind, LineCounts, Provenance, Tally
from sidecar.runs.model import FileChange

RANK: tuple[EventKind, ...] = ("directionChanged", "boundaryTouched", "testsFixed")
"""The first of these among an entry's events names the entry."""

MAX_NAMES = 5


def fixes(changes: Iterable[VerdictChange], files: Container[str]) -> list[Event]:
    """Return an event for each runner whose tests failed and now all pass. A deleted test is not a fix."""
    events = []
    for change in changes:
        names = [redact(name) for name in change.fixed if _is_there(name, files)]
        if change.is_red or not change.was_red or (change.fixed and not names):
            continue
        key = f"fixed:{short_id([change.runner, sorted(names)])}"
        events.append(Event(kind="testsFixed", key=key, line=_line(change, names)))
    return events


def name_of(events: Iterable[Event]) -> EventKind | None:
    """Return the event that names an entry."""
    kinds = {event.kind for event in events}
    return next((kind for kind in RANK if kind in kinds), None)


def _line(change: VerdictChange, names: Sequence[str]) -> str:
    if not names:
        return f"Fixed: {change.runner} passes again."
    shown = ", ".join(f"`{_plain(name)}`" for name in names[:MAX_NAMES])
    more = f" and {len(names) - MAX_NAMES} more tests" if len(names) > MAX_NAMES else ""
    return f"Fixed: {shown}{more} ({change.runner})."


def _plain(name: str) -> str:
    return name.replace("`", "'")[:160]


def _is_there(name: str, files: Container[str]) -> bool:
    """Whether a test's file exists, if its name starts with one."""
    path, separator, _ = name.partition("::")
    return not separator or "/" not in path or path in files


MAX_FILES = 20
MAX_TITLE = 90
MAX_CONCLUSION = 700


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
    counts = _line_counts(changes)
    if tally.start == start:
        return replace(tally, counts={**tally.counts, **counts})
    return Tally(start=start, settled=_line_counts(totals(tally)), counts=counts)


def totals(tally: Tally) -> list[FileChange]:
    """Return what an entry's runs changed in total, by path."""
    changes = []
    for path in sorted({*tally.settled, *tally.counts}):
        settled, current = tally.settled.get(path, _NO_LINES), tally.counts.get(path, _NO_LINES)
        base = tally.base.get(path, _NO_LINES) if path in tally.counts else _NO_LINES
        added = settled.added + current.added - base.added
        removed = settled.removed + current.removed - base.removed
        changes.append(FileChange(path=path, added=max(0, added), removed=max(0, removed)))
    return changes


_NO_LINES = LineCounts(0, 0)


def _line_counts(changes: Sequence[FileChange]) -> dict[str, LineCounts]:
    return {change.path: LineCounts(change.added, change.removed) for change in changes}


def next_tally(tally: Tally) -> Tally:
    """Return the tally of the entry after a closed one."""
    return Tally(start=tally.start, base={**tally.base, **tally.counts})


def _counts(change: FileChange) -> str:
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""


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
    open_entry = latest if latest is not None and _details(latest).open and is_growing(latest, run, state) else None
    tally = add_run(_tally(latest, is_open=open_entry is not None), run.start_head, run.effects.changes)
    changes = totals(tally)
    due = is_due(changes, int(run.settings["capture.changedLines"]), int(run.settings["capture.changedFiles"]))
    if open_entry is None and not _starts_entry(run, state, latest, changes, due=due or bool(events)):
        return None
    if open_entry is not None and not run.effects.changes and not events:
        return None
    title = open_entry.title if open_entry is not None else _title(run, state, latest)
    artifact = _artifact(run, state, open_entry, tally, title, due=due, events=events)
    artifact = replace(artifact, event_key=key)
    artifacts.put(tx, artifact)
    return artifact


def provenance_of(
    run: FinishedRun, state: SubChat, files: Sequence[str], earlier: Artifact | None, details: Details
) -> Provenance:
    """Return the provenance of a draft. Its runs and start commit continue those of an earlier draft."""
    before = earlier.provenance if earlier is not None else None
    runs = runs_of_draft(run, earlier)
    return Provenance(
        run_id=run.params.run_id,
        runs=runs,
        sub_chat_id=run.params.sub_chat_id,
        chat_id=run.params.chat_id,
        provider=run.params.provider,
        session_id=run.params.session.after,
        task_fingerprint=_fingerprint(state),
        start_commit=(before.start_commit if before is not None else None) or run.start_head,
        head_commit=run.effects.state.head if run.effects.state else None,
        files=tuple(files),
        sidecar_version=run.call.process.version,
        details=details,
    )


def runs_of_draft(run: FinishedRun, earlier: Artifact | None) -> tuple[str, ...]:
    """Return the runs that contributed to a draft, this one last."""
    before = earlier.provenance.runs if earlier is not None else ()
    run_id = run.params.run_id
    return (*(other for other in before if other != run_id), run_id)[-MAX_RUNS:]


def _fingerprint(state: SubChat) -> str | None:
    return state.task.fingerprint if state.task else None


def objective_of(run: FinishedRun, state: SubChat) -> str:
    """Return the task's objective in the user's words. Secrets are masked before it is cut."""
    return state.task.objective if state.task else redact(run.params.prompt[:PROMPT_CHARACTERS])


def is_growing(artifact: Artifact, run: FinishedRun, state: SubChat) -> bool:
    """Whether runs still extend a draft: it is recent, of the same task, and not edited by the user."""
    return (
        artifact.status == "draft"
        and not artifact.provenance.edited
        and artifact.provenance.task_fingerprint == _fingerprint(state)
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
    is_same = latest.provenance.task_fingerprint == _fingerprint(state) and latest.created_at_ms >= window_begin_ms(run)
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
    details = DevlogDetails(tally=tally, events=tuple(events_of_entry), open=not due and not events)
    draft = _draft(run, title, changes, len(runs_of_draft(run, earlier)), events_of_entry)
    return Artifact(
        id=earlier.id if earlier else f"devlog-{run.call.process.new_id()[:12]}",
        project=run.workspace.project_key,
        type="devlog",
        status="draft",
        title=draft.title,
        body=draft.body,
        event=name_of(events_of_entry) or ("mergedDiff" if due else "filesChanged"),
        event_key="",
        provenance=provenance_of(run, state, [change.path for change in changes], earlier, details),
        created_at_ms=earlier.created_at_ms if earlier else run.now_ms,
        updated_at_ms=run.now_ms,
    )


def _details(artifact: Artifact) -> DevlogDetails:
    details = artifact.provenance.details
    return details if isinstance(details, DevlogDetails) else DevlogDetails()


def _events_of_entry(earlier: Artifact | None, events: Sequence[Event]) -> list[Event]:
    stored = _details(earlier).events if earlier is not None else ()
    return list({event.key: event for event in (*stored, *events)}.values())


def _tally(latest: Artifact | None, *, is_open: bool) -> Tally:
    if latest is None:
        return Tally()
    tally = _details(latest).tally
    return tally if is_open else next_tally(tally)


def _title(run: FinishedRun, state: SubChat, before: Artifact | None) -> str:
    """Name the task; a later entry of it is named after the latest request or result."""
    objective = title_from(objective_of(run, state))
    if before is None or before.provenance.task_fingerprint != _fingerprint(state):
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
