"""Handoff to the project's memories: statements, resolved errors, cited memories, accepted artifacts.

It is collected with the run's record, so that nothing is lost. What becomes a memory is decided after the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

from sidecar.capture.check_notes_block import (
    VerifiedNote,
    session_notes,
    without_covered,
    without_repeated_facts,
)
from sidecar.capture.effects.run_activity import events_of_parts, relative_to
from sidecar.capture.effects.surviving_lines import names_in
from sidecar.capture.finished_run import FinishedRun
from sidecar.capture.test_results import VerdictChange
from sidecar.core.clean_text import clip_at_word, with_full_stop
from sidecar.core.clock import epoch_ms
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import split_sentences, word_count
from sidecar.core.terms import query_terms
from sidecar.language.closing_message import impersonal_sentence
from sidecar.language.conclusions import explanation_in, refused_in
from sidecar.language.lasting_statements import states_only
from sidecar.language.message_intent import forgets
from sidecar.language.own_words import own_words
from sidecar.language.sentence_features import is_for_one_task
from sidecar.language.statement_openings import withdraws_last
from sidecar.memory import (
    ErrorEvent,
    Note,
    SessionSummary,
    StatementKind,
    Utterance,
    artifact_source,
    artifact_tag,
    enqueue_summary,
    filter_private,
    note_title,
    read_conversation,
    read_transcript,
    reduce_summary,
)
from sidecar.runs import Artifact, FailingTests, SessionKey, entries, ledger, run_records
from sidecar.runs.model import RALPH_PREFIX, ArtifactType
from sidecar.transcripts.events import Message
from sidecar.transcripts.typed_words import typed_words

MAX_ERROR = 4_000
MAX_RESOLUTION = 400
MIN_COMPARED_TERMS, SHARE_OF_TERMS = 5, 0.6
"""A sentence and a line of the notes block state the same if they share this part of the shorter one's words; a shorter
one counts as one of the minimum length.
"""

_MEMORY_ID = lazy_regex(r"\bmem-\d{4}-\d{2}-\d{2}-\d{3,6}\b")


def queue_for_memory(
    tx: apsw.Connection,
    run: FinishedRun,
    notes: Sequence[VerifiedNote],
    verdict_changes: Sequence[VerdictChange],
    failing_before: Sequence[FailingTests],
) -> None:
    """Queue what a run leaves for capture; `failing_before` are the tests that failed before it."""
    previous = run_records.run_summaries(tx, run.params.sub_chat_id, 1)
    excerpts = {failing.runner: failing.excerpt for failing in failing_before}
    before = previous[0].conclusion if previous else ""
    summary = session_summary_of_run(run, notes, verdict_changes, excerpts, before)
    if previous and not before.rstrip().endswith(_QUESTION_MARKS) and _withdraws_last(run):
        summary = summary._replace(withdrawn_source=previous[0].run_id)
    if not summary.is_empty:
        arm = run.rollout.mark if run.rollout is not None else ""
        complete = summary._replace(delivered=_sent_memories(tx, run), arm=arm)
        enqueue_summary(tx, run.workspace.project_key, complete, run.now_ms)


_QUESTION_MARKS = ("?", "？")
"""An answer that ends with a question may be what the next message declines."""


def _withdraws_last(run: FinishedRun) -> bool:
    """Whether the user takes back the message before with this one. A loop's prompt is nobody's word."""
    if run.params.sub_chat_id.startswith(RALPH_PREFIX):
        return False
    return withdraws_last(own_words(typed_words(run.params.prompt)))


def _sent_memories(tx: apsw.Connection, run: FinishedRun) -> tuple[str, ...]:
    """Return the ids of the memories that the run's session has received."""
    session = run.params.session.after or run.params.session.before
    if session is None:
        return ()
    contents = ledger.session_contents(
        tx, SessionKey(run.params.sub_chat_id, run.params.provider, session, shadow=False)
    )
    return tuple(memory_id for key in contents.items if (memory_id := entries.memory_id(key)) is not None)


def session_summary_of_run(
    run: FinishedRun,
    notes: Sequence[VerifiedNote],
    verdict_changes: Sequence[VerdictChange],
    excerpts: Mapping[str, str],
    before: str,
) -> SessionSummary:
    """Return what a run leaves; `before` is the agent's text that the prompt answers.

    An agent's conclusions count only if the run completed. No prompt is stored as written.
    """
    params = run.params
    parts = params.assistant.parts if params.assistant else []
    events = list(events_of_parts(params.prompt, _without_conclusion(parts), run.failures, run.now_ms))
    events.append(Message(run.now_ms, len(parts) + 1, "assistant", run.conclusion))  # without its notes block
    content = read_conversation(events, params.cwd, before)
    is_completed = params.outcome == "completed"
    is_loop = params.sub_chat_id.startswith(RALPH_PREFIX)  # its prompts are nobody's words
    utterances = [
        utterance
        for utterance in (*content.utterances, *_typed_during(run))
        if (not is_loop if utterance.author == "user" else is_completed)
    ]
    of_tests = _of_fixed_tests(run, verdict_changes, excerpts, content.errors)
    errors = [*content.errors, *of_tests] if is_completed else []
    masked = tuple(error._replace(text=filter_private(error.text).text) for error in errors)
    cited = tuple(dict.fromkeys(_MEMORY_ID.findall(params.assistant.text if params.assistant else "")))
    session = params.session.after or params.session.before or params.sub_chat_id
    distinct = tuple(_distinct(utterances))
    summary = SessionSummary(
        session=session,
        source=params.run_id,
        utterances=distinct,
        errors=masked,
        notes=(),
        cited=cited if is_completed else (),
    )
    reduced = reduce_summary(summary)
    stated = [note.text.partition("\n\n")[0] for note in reduced.notes if note.author == "user"]
    notes = without_repeated_facts(notes, stated)
    uncovered = tuple(left for note in reduced.notes if (left := _uncovered(note, notes)) is not None)
    refusals = _refusals(run, uncovered) if is_completed else ()
    rules = [verified.support.rule for verified in notes if verified.support is not None]
    is_statement = states_only(filter_private(typed_words(params.prompt)).text, rules)
    return reduced._replace(notes=(*uncovered, *refusals, *session_notes(notes, run.now_ms)), is_statement=is_statement)


def _refusals(run: FinishedRun, known: Sequence[Note]) -> Iterator[Note]:
    """Yield the user's sentences that decide against something whose lines are lost: "test with MSTest, not xUnit"."""
    refused = run.surviving_lines.lost.refused
    words = own_words(typed_words(filter_private(run.typed_prompt).text)) if refused else ""
    stated = "\n".join(note.text for note in known if note.author == "user")
    for sentence in split_sentences(words):
        text = " ".join(sentence.split())
        is_refusal = not refused.isdisjoint(names_in(refused_in(sentence))) and word_count(text) >= MIN_WORDS
        is_lasting = not (is_for_one_task(text) or _NOT_THERE.search(text))
        if is_refusal and is_lasting and len(text) <= MAX_TEXT and text not in stated:
            yield Note(
                type="decision",
                title=note_title(text),
                text=text,
                author="user",
                at_ms=run.now_ms,
                confidence=REFUSAL_CONFIDENCE,
            )


_NOT_THERE = lazy_regex(r"(?i)\b(?:does|do)(?: not|n['’]?t) exist\b")
"""Words of a sentence that reports a mistake instead of deciding something."""
REFUSAL_CONFIDENCE = 0.75
MIN_WORDS = 5
"""Words of a refusal below which it only names what goes."""


def _without_conclusion(parts: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the parts up to the last tool call."""
    calls = [number for number, part in enumerate(parts, 1) if part.get("type") != "text"]
    return parts[: calls[-1]] if calls else ()


def _uncovered(note: Note, notes: Sequence[VerifiedNote]) -> Note | None:
    """Return what the notes block leaves of a note: all of it, its words that take something back, or nothing."""
    if not (_is_covered(note, notes) if note.author == "user" else _is_noted(note, notes)):
        return note
    if not note.withdraws:
        return None
    return note._replace(
        title=note.withdraws, text=note.withdraws, retention="daily", is_standing_instruction=False,
        reversal="candidate", withdraws="",
    )  # fmt: skip


def _is_covered(note: Note, notes: Sequence[VerifiedNote]) -> bool:
    """Whether a verified note of the notes block states what a note of the user states, or what it agrees to.

    A rule that stands beside a withdrawal in the user's sentence does not withdraw anything. What the user states as
    lasting is not covered by a fact.
    """
    if note.is_standing_instruction:
        notes = [verified for verified in notes if verified.note.key == "rule"]
    statement = note.text.partition("\n\n")[0]
    if forgets(statement):
        return any(
            verified.note.key == "rule" and forgets(verified.note.text) for verified in notes if verified.support
        )
    supports = (verified.support.evidence for verified in notes if verified.support is not None)
    return not without_covered(statement, notes) or any(
        " ".join(evidence.split()).casefold() in statement.casefold() for evidence in supports
    )


def _is_noted(note: Note, notes: Sequence[VerifiedNote]) -> bool:
    """Whether a line of the notes block says what a sentence of the same reply says: then the line is stored."""
    terms = frozenset(query_terms(note.text))
    lines = (frozenset(query_terms(verified.note.text)) for verified in notes)
    return any(
        len(terms & line) >= max(MIN_COMPARED_TERMS, SHARE_OF_TERMS * min(len(terms), len(line))) for line in lines
    )


def _typed_during(run: FinishedRun) -> Iterator[Utterance]:
    """Yield what the user wrote while the agent worked, which only the transcript shows."""
    if run.transcript is None:
        return
    started_ms = epoch_ms(run.params.started_at)
    content = read_transcript(run.transcript.lines, started_ms, run.params.cwd)
    yield from (utterance for utterance in content.utterances if utterance.author == "user")


def _distinct(utterances: Iterable[Utterance]) -> Iterator[Utterance]:
    """Yield each message once: the transcript repeats the prompt, with or without what the host added."""
    known: list[str] = []
    for utterance in utterances:
        words = " ".join(utterance.text.split())
        if utterance.author == "assistant" or not any(words in other or other in words for other in known):
            yield utterance
        if utterance.author == "user":
            known.append(words)


def _of_fixed_tests(
    run: FinishedRun,
    verdict_changes: Sequence[VerdictChange],
    excerpts: Mapping[str, str],
    errors: Sequence[ErrorEvent],
) -> Iterator[ErrorEvent]:
    """Yield tests that failed before the run's first edit and pass now, if the agent explained what it changed.

    Those that failed in the run itself are left out where the same command, which passed again, has the explanation.
    """
    paths = (relative_to(run.params.cwd, path) for path in run.activity.written)
    changed = tuple(dict.fromkeys(path for path in paths if path is not None))
    explanation = explanation_in(run.conclusion, MAX_RESOLUTION) if changed else ""
    for change in verdict_changes:
        if not explanation or not change.was_red or change.is_red:
            continue
        failed = [outcome for outcome in run.tests if outcome.runner == change.runner and outcome.failed]
        if not failed:
            yield ErrorEvent(excerpts.get(change.runner, "")[-MAX_ERROR:], explanation, run.now_ms, "", changed)
        elif change.repaired and not change.is_test_first and not any(error.resolution for error in errors):
            yield ErrorEvent(failed[0].excerpt[-MAX_ERROR:], explanation, run.now_ms, change.repaired[0], changed)


MEMORY_KINDS: dict[ArtifactType, tuple[StatementKind, float]] = {
    "adr": ("decision", 0.9),
    "rejectedApproach": ("lesson", 0.9),
    "devlog": ("episodic", 0.8),
}
"""Memory kind of each artifact type, and the confidence that the user's acceptance gives it."""

MAX_TEXT = 400
_DECISION = lazy_regex(r"(?m)^#{1,4} Decision[ \t]*\r?\n\s*(?P<text>[^\s#_][^\r\n]*)")
_CAUSE = lazy_regex(r"(?m)^\*\*(?:Cause|Problem):\*\*[ \t]*(?:\n\n- )?(?P<text>\S[^\n]*)")
"""The reason for a devlog's work."""
_DRAFTED = lazy_regex(r"(?m)^(?:Changed over \d+ runs?:|\*\*Tried:\*\*|## Decision)")
"""A part of a draft that no text of a user's own has."""
_HEADING = lazy_regex(r"\A\s*#[^\n]*\n+")


def queue_accepted(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Queue an accepted artifact for capture, as one statement. The same artifact counts once."""
    kind, confidence = MEMORY_KINDS[artifact.type]
    text = clip_at_word(_statement_of(artifact), MAX_TEXT)
    note = Note(
        type=kind,
        title=text if artifact.type == "adr" else artifact.title,
        text=text,
        author="user",
        at_ms=now_ms,
        confidence=confidence,
        tags=(artifact_tag(artifact.id),),
        retention="durable",
    )
    enqueue_summary(tx, artifact.project, _summary_of_artifact(artifact, (note,)), now_ms)


def _statement_of(artifact: Artifact) -> str:
    """Return what an artifact states: the decision, what was rejected and why, what was done and why.

    Of one that the user rewrote it is the user's text.
    """
    decision = _DECISION.search(artifact.body) if artifact.type == "adr" else None
    stated = impersonal_sentence(next(split_sentences(decision["text"]), "")) if decision is not None else ""
    if stated:
        return stated
    if _DRAFTED.search(artifact.body) is None and (text := _HEADING.sub("", artifact.body).strip()):
        return text
    cause = _CAUSE.search(artifact.body) if artifact.type == "devlog" else None
    return " ".join(
        with_full_stop(text) for text in (artifact.title, cause["text"] if cause is not None else "") if text
    )


def queue_withdrawn(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Queue that an accepted artifact was discarded, so that its memory is withdrawn."""
    enqueue_summary(tx, artifact.project, _summary_of_artifact(artifact, ()), now_ms)


def _summary_of_artifact(artifact: Artifact, notes: tuple[Note, ...]) -> SessionSummary:
    session = artifact.provenance.session_id or artifact.id
    return SessionSummary(session, artifact_source(artifact.id), notes=notes, arm=artifact.provenance.arm)
