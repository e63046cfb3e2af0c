"""Handoff to the project's memories: statements, resolved errors, cited memories, accepted artifacts.

It is collected with the run's record, so that nothing is lost. What becomes a memory is decided after the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import apsw

from sidecar.capture.effects.tool_parts import Command, relative_to
from sidecar.capture.run import FinishedRun
from sidecar.capture.run_notes import VerifiedNote, session_notes, without_covered
from sidecar.capture.test_results.runner_output import outcomes_in
from sidecar.capture.test_results.verdicts import VerdictChange
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import first_informative_paragraph
from sidecar.core.text import clip_at_word
from sidecar.memory import (
    ErrorEvent,
    Note,
    SessionSummary,
    StatementKind,
    Utterance,
    artifact_source,
    artifact_tag,
    capturable_part,
    enqueue_summary,
    filter_private,
    resolution_in,
)
from sidecar.runs import Artifact, FailingTests, SessionKey, keys, ledger
from sidecar.runs.model import ArtifactType

MAX_UTTERANCE = 20_000
MAX_ERROR = 4_000
MAX_RESOLUTION = 400
MAX_FILES = 5

_MEMORY_ID = lazy_regex(r"\bmem-\d{4}-\d{2}-\d{2}-\d{3,6}\b")


def queue_for_memory(
    tx: apsw.Connection,
    run: FinishedRun,
    notes: Sequence[VerifiedNote],
    verdict_changes: Sequence[VerdictChange],
    failing_before: Sequence[FailingTests],
) -> None:
    """Queue what a run leaves for capture; `failing_before` are the tests that failed before it."""
    digest = session_summary_of_run(
        run, notes, verdict_changes, {failing.runner: failing.excerpt for failing in failing_before}
    )
    if not digest.is_empty:
        enqueue_summary(tx, run.workspace.project_key, digest._replace(delivered=_sent_memories(tx, run)), run.now_ms)


def _sent_memories(tx: apsw.Connection, run: FinishedRun) -> tuple[str, ...]:
    """Return the ids of the memories that the run's session has received."""
    session = run.params.session.after or run.params.session.before
    if session is None:
        return ()
    contents = ledger.session_contents(tx, SessionKey(run.params.provider, session, False))
    return tuple(memory_id for key in contents.items if (memory_id := keys.memory_id(key)) is not None)


def session_summary_of_run(
    run: FinishedRun,
    notes: Sequence[VerifiedNote],
    verdict_changes: Sequence[VerdictChange],
    excerpts: Mapping[str, str],
) -> SessionSummary:
    """Return what a run leaves. An agent's conclusions count only if the run completed."""
    params = run.params
    utterances = [
        utterance._replace(text=text)
        for utterance in _utterances("user", params.prompt, run.now_ms)
        if (text := without_covered(utterance.text, notes))
    ]
    cited: tuple[str, ...] = ()
    errors: list[ErrorEvent] = []
    if params.outcome == "completed":
        utterances += _utterances("assistant", run.conclusion, run.now_ms)
        errors = [*_of_tests(run, verdict_changes, excerpts), *_of_commands(run)]
        cited = tuple(dict.fromkeys(_MEMORY_ID.findall(params.assistant.text if params.assistant else "")))
    session = params.session.after or params.session.before or params.sub_chat_id
    agent_notes = session_notes(notes, run.now_ms)
    return SessionSummary(session, params.run_id, tuple(utterances), tuple(errors), agent_notes, cited)


def _utterances(author: Literal["user", "assistant"], text: str, now_ms: int) -> list[Utterance]:
    """Return the part of a message that may become a memory, without private, secret or requested text."""
    utterance = capturable_part(Utterance(author, text[:MAX_UTTERANCE], now_ms))
    return [utterance] if utterance is not None else []


def _of_tests(
    run: FinishedRun, verdict_changes: Sequence[VerdictChange], excerpts: Mapping[str, str]
) -> Iterator[ErrorEvent]:
    """Yield tests that failed before or during the run and pass now. Tests that still fail are recorded elsewhere."""
    for change in verdict_changes:
        if change.is_red or not change.was_red:
            continue
        failed = [outcome.excerpt for outcome in run.tests if outcome.runner == change.runner and outcome.failed]
        text = next((excerpt for excerpt in (*reversed(failed), excerpts.get(change.runner, "")) if excerpt), "")
        names = ", ".join(dict.fromkeys(map(_name, change.fixed[:MAX_FILES]))) or "the tests"
        yield ErrorEvent(
            filter_private(text[:MAX_ERROR]).text, _resolution_text(run), run.now_ms, f"{names} ({change.runner})"
        )


def _name(test: str) -> str:
    """Return a test's own name, without its file, by which failures are distinguished."""
    return re.split(r"::| › ", test)[-1]


def _of_commands(run: FinishedRun) -> Iterator[ErrorEvent]:
    """Yield each command that failed, with what was done if the same command succeeded later."""
    last_by_command: dict[str, Command] = {command.command: command for command in run.activity.commands}
    failed = {
        command.command: command
        for command in run.activity.commands
        if command.command and _has_failed(command) and not outcomes_in(command, run.params.cwd)
    }
    for name, command in failed.items():
        resolution = "" if _has_failed(last_by_command[name]) else _resolution_text(run)
        yield ErrorEvent(filter_private(command.output[-MAX_ERROR:]).text, resolution, run.now_ms)


def _has_failed(command: Command) -> bool:
    return bool(command.failed)


def _resolution_text(run: FinishedRun) -> str:
    """Return what resolved an error: the agent's words, and the files it changed."""
    paths = (relative_to(run.params.cwd, path) for path in run.activity.written)
    changed = list(dict.fromkeys(path for path in paths if path is not None))
    summary = clip_at_word(resolution_in(run.conclusion), MAX_RESOLUTION) or first_informative_paragraph(
        run.conclusion, MAX_RESOLUTION
    )
    shown_paths = ", ".join(f"`{path}`" for path in changed[:MAX_FILES])
    more = f" and {len(changed) - MAX_FILES} more" if len(changed) > MAX_FILES else ""
    files = f"Changed: {shown_paths}{more}." if changed else ""
    return "\n\n".join(filter(None, (summary, files)))


MEMORY_KINDS: dict[ArtifactType, tuple[StatementKind, float]] = {
    "adr": ("decision", 0.9),
    "rejectedApproach": ("lesson", 0.9),
    "devlog": ("episodic", 0.8),
}
"""Memory kind of each artifact type, and the confidence that the user's acceptance gives it."""

MAX_TEXT = 1_500

_HEADING = lazy_regex(r"\A\s*#[^\n]*\n+")


def queue_accepted(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Queue an accepted artifact's text for capture. The same artifact counts once."""
    kind, confidence = MEMORY_KINDS[artifact.type]
    text = clip_at_word(_HEADING.sub("", artifact.body).strip(), MAX_TEXT) or artifact.title
    note = Note(kind, artifact.title, text, "user", now_ms, confidence, (artifact_tag(artifact.id),), "durable")
    enqueue_summary(tx, artifact.project, _digest(artifact, (note,)), now_ms)


def queue_withdrawn(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Queue that an accepted artifact was discarded, so that its memory is withdrawn."""
    enqueue_summary(tx, artifact.project, _digest(artifact, ()), now_ms)


def _digest(artifact: Artifact, notes: tuple[Note, ...]) -> SessionSummary:
    session = artifact.provenance.session_id or artifact.id
    return SessionSummary(session, artifact_source(artifact.id), notes=notes)
