"""Snapshots: the structured state of a conversation, which is what a fresh session needs to continue.

JSON form of `Snapshot` (column `value`, with a hash): one object with its fields; `todos` is a list of
`[content, status]`, `files` a list of `[path, why]`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import apsw
import orjson

from sidecar.core.clean_text import clip, count_noun, join_and, without_links
from sidecar.core.digests import digest_value, short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.prose_sentences import first_informative_paragraph, sentences, word_count
from sidecar.language.conclusions import match_conclusion
from sidecar.language.message_intent import is_correction, is_courtesy
from sidecar.runs import FailingTests, PressureCounters, RunSummary, SubChat, artifact_store, conversations, run_records

if TYPE_CHECKING:
    from sidecar.language.closing_message import AccountStatement
    from sidecar.runs import Artifact


MAX_SNAPSHOTS = 10
"""Maximum number of snapshots stored per conversation; the oldest are deleted."""


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file that the conversation changed, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Structured state that a conversation has reached."""

    objective: str = ""
    plan: str = ""
    todos: tuple[tuple[str, str], ...] = ()
    """(content, status) of each step."""
    conclusions: tuple[str, ...] = ()
    """Findings and results of the last runs, the latest first; so are decisions, corrections and risks."""
    decisions: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    """Corrections and preferences of the user that are not standing instructions."""
    risks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    """Latest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSnapshot:
    """A snapshot with its place in the state file."""

    id: str
    sub_chat_id: str
    run_id: str
    at_ms: int
    reasons: tuple[str, ...]
    content: Snapshot


def put_snapshot(
    tx: apsw.Connection, sub_chat_id: str, run_id: str, reasons: tuple[str, ...], content: Snapshot, now_ms: int
) -> StoredSnapshot:
    """Store a snapshot, and delete the conversation's oldest ones."""
    value = snapshot_to_json(content)
    snapshot_id = short_id([sub_chat_id, run_id, now_ms, value])
    tx.execute(
        "INSERT OR REPLACE INTO continuity_snapshots"
        " (snapshot_id, sub_chat_id, run_id, at_ms, reasons, value, row_hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (snapshot_id, sub_chat_id, run_id, now_ms, orjson.dumps(reasons), orjson.dumps(value), digest_value(value)),
    )
    tx.execute(
        "DELETE FROM continuity_snapshots WHERE snapshot_id IN (SELECT snapshot_id FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC LIMIT -1 OFFSET ?)",
        (sub_chat_id, MAX_SNAPSHOTS),
    )
    return StoredSnapshot(
        id=snapshot_id, sub_chat_id=sub_chat_id, run_id=run_id, at_ms=now_ms, reasons=reasons, content=content
    )


def latest_snapshot(tx: apsw.Connection, sub_chat_id: str) -> StoredSnapshot | None:
    """Return a conversation's newest intact snapshot."""
    rows: Any = tx.execute(
        "SELECT snapshot_id, run_id, at_ms, reasons, value, row_hash FROM continuity_snapshots"
        " WHERE sub_chat_id = ? ORDER BY at_ms DESC, rowid DESC",
        (sub_chat_id,),
    )
    for snapshot_id, run_id, at_ms, reasons, packed, row_hash in rows:
        try:
            value = orjson.loads(packed)
        except orjson.JSONDecodeError:
            continue
        if digest_value(value) == row_hash:
            return StoredSnapshot(
                id=snapshot_id,
                sub_chat_id=sub_chat_id,
                run_id=run_id,
                at_ms=at_ms,
                reasons=tuple(orjson.loads(reasons)),
                content=snapshot_from_json(value),
            )
    return None


def snapshot_to_json(snapshot: Snapshot) -> dict[str, object]:
    """Return the JSON form of a snapshot, as an object for the encoder."""
    return {
        "objective": snapshot.objective,
        "plan": snapshot.plan,
        "todos": [list(todo) for todo in snapshot.todos],
        "conclusions": list(snapshot.conclusions),
        "decisions": list(snapshot.decisions),
        "corrections": list(snapshot.corrections),
        "risks": list(snapshot.risks),
        "failing": list(snapshot.failing),
        "files": [[file.path, file.why] for file in snapshot.files],
    }


def snapshot_from_json(value: Any) -> Snapshot:
    """Return a snapshot from its JSON form; that of the first version has one conclusion and no corrections."""
    earlier = [value["conclusion"]] if value.get("conclusion") else []
    return Snapshot(
        objective=value["objective"],
        plan=value["plan"],
        todos=tuple((content, status) for content, status in value["todos"]),
        conclusions=tuple(value.get("conclusions", earlier)),
        decisions=tuple(value["decisions"]),
        corrections=tuple(value.get("corrections", ())),
        risks=tuple(value["risks"]),
        failing=tuple(value["failing"]),
        files=tuple(TouchedFile(path, why) for path, why in value["files"]),
    )


MAX_FILES = 60
MAX_FAILING = 1_000
"""Failing tests are not cut; the carry-over counts those that it has no room for."""

MAX_OF_EACH = 5
"""Maximum number of conclusions, of decisions, of corrections and of risks."""

RISK_RUNS = 5
"""Number of latest runs whose open points count; earlier ones are done or mentioned again."""

REJECTED = "Rejected: "
CLOSING = "The last run ended: "
REQUEST = " (request: "
SENTENCE_CHARACTERS = 300
CONCLUSION_CHARACTERS = 400
FIRST_WORDS_CHARACTERS = 200
REQUEST_CHARACTERS = 160
_PATHS = lazy_regex(r"`[^`]*`|(?<!\S)[^\s/\\`]*[/\\]\S+")
MIN_REASON_WORDS = 4
"""Words beside paths and links that make a sentence the reason of a file's change."""

_FINDINGS = ("problem", "cause", "change")
MAX_STATEMENTS = 3
"""Maximum number of statements carried over of one conclusion."""


def snapshot_of(
    state: SubChat,
    runs: Sequence[RunSummary],
    failing: Sequence[FailingTests],
    artifacts: Sequence[Artifact],
    corrections: Sequence[str] = (),
    decisions: Sequence[str] = (),
) -> Snapshot:
    """Combine what is known about a conversation; `runs` are its own, latest first, as is what they captured.

    Runs that rejected what a later run came back to say nothing that still holds.
    """
    superseded = superseded_runs(artifacts)
    valid = [run for run in runs if run.run_id not in superseded]
    conclusions = _first(_conclusions(valid), MAX_OF_EACH)
    return Snapshot(
        objective=_goal(state, runs),
        plan=state.plan,
        todos=state.todos,
        conclusions=conclusions,
        decisions=_first(_new_decisions(valid, artifacts, decisions, conclusions), MAX_OF_EACH),
        corrections=_first((*corrections, *_refusals(valid, set(superseded.values()))), MAX_OF_EACH),
        risks=_first(_risks(runs, failing, conclusions), MAX_OF_EACH),
        failing=_first((name for tests in failing for name in tests.names), MAX_FAILING),
        files=_files(runs),
    )


def superseded_runs(artifacts: Iterable[Artifact]) -> dict[str, str]:
    """Return the runs that rejected an approach that work came back to, each with the run that did so."""
    return {artifact.provenance.run_id: artifact.returned_in for artifact in artifacts if artifact.returned_in}


def _goal(state: SubChat, runs: Sequence[RunSummary]) -> str:
    """Return the task's request; if that was a question, the latest request after it for which files changed."""
    objective = state.task.objective if state.task else ""
    if not objective.rstrip().endswith(("?", "？")):
        return objective
    question = max((place for place, run in enumerate(runs) if run.objective == objective), default=len(runs))
    later = (run.objective for run in runs[:question] if run.touched and run.objective != objective)
    return next(filter(None, later), objective)


def _conclusions(runs: Sequence[RunSummary]) -> Iterator[str]:
    """Yield what each run found or did with its request, latest first: what explains most of its final words.

    Room that these leave has the first paragraphs of other runs, without announcements, assent and what was refused.
    """
    found: dict[int, str] = {}
    for position, run in enumerate(runs):
        if len(set(found.values())) == MAX_OF_EACH:
            break
        if text := _stated_text(run) or ("" if position else _first_words(run)):
            found[position] = _with_request(text, runs[position:])
    for position, run in enumerate(runs):
        is_refused = position > 0 and is_correction(runs[position - 1].objective)
        if len(found) < MAX_OF_EACH and position not in found and not is_refused and (text := _first_words(run)):
            found[position] = _with_request(text, runs[position:])
    yield from (found[position] for position in sorted(found))


def _with_request(text: str, runs: Sequence[RunSummary]) -> str:
    """Return what the first of some runs found with its request, unless an earlier run has the same request."""
    objective = runs[0].objective
    is_shared = any(objective == earlier.objective for earlier in runs[1:])
    return text if is_shared or not objective else f"{text}{REQUEST}{clip(objective, REQUEST_CHARACTERS)})"


def _stated_text(run: RunSummary) -> str:
    stated = [statement for statement in _statements(run) if statement.section in _FINDINGS]
    best = sorted(stated, key=lambda statement: -statement.score)[:MAX_STATEMENTS]
    return clip(" ".join(_ended(statement.text) for statement in stated if statement in best), CONCLUSION_CHARACTERS)


def _first_words(run: RunSummary) -> str:
    """Return a run's first paragraph; empty if it announces a step, waits for one, only assents, or is an open end."""
    text = first_informative_paragraph(run.conclusion, FIRST_WORDS_CHARACTERS).removeprefix("- ")
    is_idle = _WAITS.match(text) or is_courtesy(text) or word_count(_PATHS.sub("", text)) < MIN_REASON_WORDS
    letters = _letters(text)
    is_open = any(each.section == "open" and _letters(each.text) in letters for each in _statements(run))
    return "" if is_idle or is_open or _announces_more(run.conclusion) else text


def _announces_more(conclusion: str) -> bool:
    from sidecar.language.closing_message import announces_more  # an ordinary pre-run does not need it

    return announces_more(conclusion)


_WAITS = lazy_regex(
    r"(?i)(?:ready (?:for|when)|waiting for|standing by|what (?:is|would you like) next|running|bereit für|wartet auf"
    r"|listo para|esperando|prêt (?:pour|à)|en attente|pronto (?:per|para)|in attesa|klaar voor|wacht op|готов к|жду)\b"
)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "。", "…")) else f"{sentence}."


def _refusals(runs: Sequence[RunSummary], returning: Container[str]) -> Iterator[str]:
    """Yield the user's requests by which earlier work was wrong or incomplete, or by which it came back."""
    for run in runs:
        if run.objective and (run.run_id in returning or is_correction(run.objective)):
            yield run.objective


def _closing(runs: Sequence[RunSummary], conclusions: Sequence[str]) -> Iterator[str]:
    """Yield the sentences with which the last run ended: the next step, a question or an offer that "yes" answers.

    What the run's account, a decision or a conclusion states is left out, and so is a mere "Sure." or "Added it.".
    """
    closing: list[str] = []
    known = {statement.text for run in runs[:1] for statement in _statements(run)}
    for sentence in reversed(list(sentences(runs[0].conclusion))) if runs else ():
        if closing and sum(map(len, closing)) + len(sentence) > SENTENCE_CHARACTERS:
            break
        if sentence not in known and match_conclusion(sentence) is None:
            closing.insert(0, sentence)
    text = " ".join(closing)
    is_known = word_count(_PATHS.sub("", text)) < MIN_REASON_WORDS or any(
        _letters(text) in _letters(without_frame(conclusion)) for conclusion in conclusions
    )
    is_open = text.endswith(("?", "？")) or not (is_known or is_courtesy(text) or _WAITS.match(text))
    if text and is_open:
        yield f"{CLOSING}{clip(text, SENTENCE_CHARACTERS)}"


def without_frame(text: str) -> str:
    """Return a carried text without what introduces it and without the request after it."""
    return text.removeprefix(REJECTED).removeprefix(CLOSING).partition(REQUEST)[0]


def _statements(run: RunSummary) -> tuple[AccountStatement, ...]:
    from sidecar.language.closing_message import account_of  # an ordinary pre-run does not need it

    return account_of(run.conclusion).statements


def _new_decisions(
    runs: Sequence[RunSummary], artifacts: Sequence[Artifact], captured: Sequence[str], conclusions: Sequence[str]
) -> Iterator[str]:
    """Yield the decisions that no conclusion states in the same words."""
    known = [_letters(without_frame(conclusion)) for conclusion in conclusions]
    for decision in _decisions(runs, artifacts, captured):
        if not any(_letters(decision) in conclusion for conclusion in known):
            yield decision


def _decisions(runs: Sequence[RunSummary], artifacts: Sequence[Artifact], captured: Sequence[str]) -> Iterator[str]:
    """Yield the conversation's decisions: captured ones with their reasons, recorded ones, those the agent stated."""
    known = [_letters(decision) for decision in captured]
    yield from (clip(decision, SENTENCE_CHARACTERS) for decision in captured)
    for artifact in artifacts:
        if artifact.status == "discarded" or artifact.returned_in:
            continue
        if artifact.type == "rejectedApproach":
            yield f"{REJECTED}{artifact.title}"
        elif artifact.type == "adr" and not any(_letters(artifact.title) in decision for decision in known):
            yield artifact.title
    for run in runs:
        stated = (sentence for sentence in sentences(run.conclusion) if match_conclusion(sentence) is not None)
        yield from (clip(sentence, SENTENCE_CHARACTERS) for sentence in stated if _letters(sentence) not in known)


def _letters(text: str) -> str:
    """Return a text without marks, spaces and case, to recognize it in another form."""
    return "".join(filter(str.isalnum, text)).casefold()


def _risks(runs: Sequence[RunSummary], failing: Sequence[FailingTests], conclusions: Sequence[str]) -> Iterator[str]:
    for tests in failing:
        yield f"{tests.runner} failed in its last run"
    yield from _closing(runs, conclusions)
    for run in runs[:RISK_RUNS]:
        for statement in _statements(run):
            if statement.section == "open":
                yield clip(statement.text, SENTENCE_CHARACTERS)


def _files(runs: Sequence[RunSummary]) -> tuple[TouchedFile, ...]:
    """Return the changed files, each with the latest sentence that names it, else with the latest request for it.

    A run without a request of its own ("commit") has that of its task, which counts only if there is no other.
    """
    reasons: dict[str, str] = {}
    with_request: set[str] = set()
    with_sentence: set[str] = set()
    for position, run in enumerate(runs):
        has_request = all(run.objective != earlier.objective for earlier in runs[position + 1 :])
        for path in run.touched:
            if path not in reasons or (has_request and path not in with_request | with_sentence):
                reasons[path] = run.objective
            if has_request:
                with_request.add(path)
            sentence = None if path in with_sentence else _sentence_naming(path, run.conclusion)
            if sentence is not None:
                reasons[path] = sentence
                with_sentence.add(path)
    return tuple(TouchedFile(path, why) for path, why in list(reasons.items())[:MAX_FILES])


def _sentence_naming(path: str, text: str) -> str | None:
    name = PurePosixPath(path).name
    if name not in text:
        return None
    pattern = lazy_regex(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    naming = (without_links(sentence) for sentence in sentences(text) if pattern.search(sentence))
    reasons = (sentence for sentence in naming if word_count(_PATHS.sub("", sentence)) >= MIN_REASON_WORDS)
    return next((clip(sentence, SENTENCE_CHARACTERS) for sentence in reasons), None)


def _first(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    distinct: dict[str, None] = {}
    for text in texts:
        distinct.setdefault(text)
        if len(distinct) == limit:
            break
    return tuple(distinct)


RUNS = 50
"""Maximum number of a conversation's runs considered."""

ARTIFACTS = 50


def structured_state(tx: apsw.Connection, sub_chat_id: str) -> Snapshot:
    """Return what a conversation has reached, as of its last run."""
    from sidecar.memory import captured_statements  # loads the capture, which an ordinary pre-run does not need

    state = conversations.sub_chat(tx, sub_chat_id)
    place = conversations.conversation_place(tx, sub_chat_id)
    if place is None:
        return snapshot_of(state, (), (), ())
    conversation_artifacts = [
        artifact
        for kind in ("adr", "rejectedApproach")
        for artifact, is_intact in artifact_store.artifacts_of_project(tx, place.project, None, kind, ARTIFACTS)
        if is_intact and artifact.provenance.sub_chat_id == sub_chat_id
    ]
    runs = run_records.run_summaries(tx, sub_chat_id, RUNS)
    superseded = superseded_runs(conversation_artifacts)
    captured = captured_statements(tx, place.project, [run.run_id for run in runs if run.run_id not in superseded])
    failing = run_records.failing_tests(tx, place.workspace)
    return snapshot_of(state, runs, failing, conversation_artifacts, *captured)


def store_snapshot(
    tx: apsw.Connection, sub_chat_id: str, run_id: str, reasons: tuple[str, ...], now_ms: int
) -> StoredSnapshot:
    """Store the current structured state of a conversation; only its latest snapshots remain."""
    return put_snapshot(tx, sub_chat_id, run_id, reasons, structured_state(tx, sub_chat_id), now_ms)


def marker_text(counters: PressureCounters, snapshot: Snapshot) -> str:
    """Return one or two sentences: a fresh session starts, what the previous one had, and what is carried over."""
    delivered = f", {_size(counters.delivered_bytes)} of context" if counters.delivered_bytes else ""
    return (
        f"Continued in a fresh session: the previous one had {count_noun(counters.turns, 'turn')}{delivered}."
        f" Nothing was removed. Carried over: {join_and(_carried(snapshot)) or 'the repository state'}."
    )


def _carried(snapshot: Snapshot) -> list[str]:
    done = sum(status == "completed" for _, status in snapshot.todos)
    counted = (
        (len(snapshot.todos), "step", f" ({done} done)"),
        (len(snapshot.conclusions), "conclusion", ""),
        (len(snapshot.decisions), "decision", ""),
        (len(snapshot.corrections), "correction", ""),
        (len(snapshot.risks), "open point", ""),
        (len(snapshot.failing), "failing test", ""),
        (len(snapshot.files), "changed file", ""),
    )
    return [
        *(["the goal"] if snapshot.objective else []),
        *(["the plan"] if snapshot.plan else []),
        *(f"{count_noun(number, noun)}{more}" for number, noun, more in counted if number),
    ]


def _size(number: int) -> str:
    return f"{number / 1000:,.0f} KB" if number >= 1000 else count_noun(number, "byte")
