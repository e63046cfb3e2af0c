"""The structured state of a conversation: what a fresh session has to know to go on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import apsw

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.runs import Artifact, Counters, FailingTests, KeptSnapshot, RunTold, SubChat, artifacts, records, snapshots

MAX_FILES = 60
MAX_FAILING = 40
MAX_DECISIONS = 12
MAX_RISKS = 8
RISK_RUNS = 5
"""Only the latest runs' open points are open: those of earlier ones were met, or are said again."""

SENTENCE_CHARACTERS = 300

_FENCE = regex(r"```[\s\S]*?(?:```|\Z)")
_END = regex(r"(?<=[.!?])\s+|\n+")
_LEADING = regex(r"^[\s>*#\-•\d.)\]\[]+")
_DECIDED = regex(
    r"(?i)\b(?:decided|chose|chosen|opted|settled on|went with|going with|agreed to|decision:|rather than|abandon\w*"
    r"|reject(?:ed|ing)|ruled out)\b"
)
_OPEN = regex(
    r"(?i)\b(?:risk\w*|todo|fixme|not yet|un(?:tested|verified|resolved|clear|sure)|not (?:tested|verified|covered)"
    r"|have(?:n't| not) (?:run|tested|verified|checked)|follow[- ]?up|caveat|beware"
    r"|still (?:fails?|failing|missing|open|needs?)|remain(?:s|ing)|open (?:question|point)s?"
    r"|left (?:open|to do)|needs? (?:to be )?(?:decided|confirm\w*"
    r"|review\w*))\b"
)
_CLEARED = regex(r"(?i)\b(?:no|without|any) (?:\w+ )?(?:risks?|todos?|caveats?|follow[- ]?ups?|open)\b|nothing remains")


class TouchedFile(NamedTuple):
    """A file that the conversation changed, and what for."""

    path: str
    why: str


class Snapshot(NamedTuple):
    """What a conversation has reached."""

    objective: str
    plan: str
    todos: tuple[tuple[str, str], ...]
    decisions: tuple[str, ...]
    risks: tuple[str, ...]
    failing: tuple[str, ...]
    files: tuple[TouchedFile, ...]
    """The latest first."""
    conclusion: str
    """What the agent said last."""


def snapshot_of(
    state: SubChat, runs: Sequence[RunTold], failing: Sequence[FailingTests], artifacts: Sequence[Artifact]
) -> Snapshot:
    """Puts together what is known of a conversation; runs are those of it, the latest first."""
    return Snapshot(
        objective=state.task.objective if state.task else "",
        plan=state.plan,
        todos=state.todos,
        decisions=_first(_decisions(runs, artifacts), MAX_DECISIONS),
        risks=_first(_risks(runs, failing), MAX_RISKS),
        failing=_first((name for tests in failing for name in tests.names), MAX_FAILING),
        files=_files(runs),
        conclusion=next((run.conclusion for run in runs if run.conclusion), ""),
    )


def as_kept(snapshot: Snapshot) -> dict[str, Any]:
    """Gives a snapshot as the JSON value that is kept."""
    return {**snapshot._asdict(), "files": [list(file) for file in snapshot.files]}


def from_kept(value: dict[str, Any]) -> Snapshot:
    """Reads a snapshot that was kept."""
    return Snapshot(
        objective=value["objective"],
        plan=value["plan"],
        todos=tuple((content, status) for content, status in value["todos"]),
        decisions=tuple(value["decisions"]),
        risks=tuple(value["risks"]),
        failing=tuple(value["failing"]),
        files=tuple(TouchedFile(*file) for file in value["files"]),
        conclusion=value["conclusion"],
    )


def sentences(text: str) -> Iterator[str]:
    """Gives a text's sentences without code blocks, headings' and lists' marks."""
    for part in _END.split(_FENCE.sub("\n", text)):
        sentence = _LEADING.sub("", part).strip()
        if sentence:
            yield sentence if len(sentence) <= SENTENCE_CHARACTERS else sentence[: SENTENCE_CHARACTERS - 1] + "…"


def _decisions(runs: Sequence[RunTold], artifacts: Sequence[Artifact]) -> Iterator[str]:
    """What was written down of the conversation, then what the agent said to have decided."""
    for artifact in artifacts:
        if artifact.status == "discarded":
            continue
        if artifact.type == "adr":
            yield artifact.title
        elif artifact.type == "rejectedApproach":
            yield f"Rejected: {artifact.title}"
    for run in runs:
        yield from (sentence for sentence in sentences(run.conclusion) if _DECIDED.search(sentence))


def _risks(runs: Sequence[RunTold], failing: Sequence[FailingTests]) -> Iterator[str]:
    for tests in failing:
        yield f"{tests.runner} did not pass the last time it ran"
    for run in runs[:RISK_RUNS]:
        for sentence in sentences(run.conclusion):
            if _OPEN.search(sentence) and not _CLEARED.search(sentence):
                yield sentence


def _files(runs: Sequence[RunTold]) -> tuple[TouchedFile, ...]:
    found: dict[str, str] = {}
    named: set[str] = set()
    for run in runs:
        for path in run.touched:
            found.setdefault(path, run.objective)
            sentence = None if path in named else _sentence_naming(path, run.conclusion)
            if sentence is not None:
                found[path] = sentence
                named.add(path)
    return tuple(TouchedFile(path, why) for path, why in list(found.items())[:MAX_FILES])


def _sentence_naming(path: str, text: str) -> str | None:
    name = PurePosixPath(path).name
    if name not in text:
        return None
    word = regex(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    return next((sentence for sentence in sentences(text) if word.search(sentence)), None)


def _first(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    distinct: dict[str, None] = {}
    for text in texts:
        distinct.setdefault(text)
        if len(distinct) == limit:
            break
    return tuple(distinct)


# Gathers the structured state of a conversation from the records, and keeps it.


RUNS = 50
"""How far back a conversation's runs are looked at."""

ARTIFACTS = 50


def structured_state(tx: apsw.Connection, sub_chat_id: str) -> Snapshot:
    """Gives what a conversation has reached, as of its last run."""
    state = records.sub_chat(tx, sub_chat_id)
    place = records.place_of(tx, sub_chat_id)
    if place is None:
        return snapshot_of(state, (), (), ())
    own = [
        artifact
        for kind in ("adr", "rejectedApproach")
        for artifact, is_whole in artifacts.listed(tx, place.project, None, kind, ARTIFACTS)
        if is_whole and artifact.provenance.get("subChatId") == sub_chat_id
    ]
    runs = records.runs_told(tx, sub_chat_id, RUNS)
    return snapshot_of(state, runs, records.failing_tests(tx, place.workspace), own)


def keep_snapshot(
    tx: apsw.Connection, sub_chat_id: str, run_id: str, reasons: tuple[str, ...], now_ms: int
) -> KeptSnapshot:
    """Keeps the structured state of a conversation as it is now; only its latest snapshots stay."""
    value = as_kept(structured_state(tx, sub_chat_id))
    kept = KeptSnapshot(short_id([sub_chat_id, run_id, now_ms, value]), sub_chat_id, run_id, now_ms, reasons, value)
    snapshots.put(tx, kept)
    return kept


# What the chat shows where a conversation goes on in a fresh session. Pure.


def marker_text(counters: Counters, snapshot: Snapshot) -> str:
    """Says in a line or two that a fresh session begins, what the one before had, and what is carried over."""
    given = f", {_size(sum(counters.injected))} of context" if any(counters.injected) else ""
    return (
        f"Continued in a fresh session: the one before had {_count(counters.turns, 'turn')}{given}."
        f" Nothing was removed. Carried over: {_listed(_carried(snapshot))}."
    )


def _carried(snapshot: Snapshot) -> list[str]:
    done = sum(status == "completed" for _, status in snapshot.todos)
    counted = (
        (len(snapshot.todos), "step", f" ({done} done)"),
        (len(snapshot.decisions), "decision", ""),
        (len(snapshot.risks), "open point", ""),
        (len(snapshot.failing), "failing test", ""),
        (len(snapshot.files), "changed file", ""),
    )
    return [
        *(["the goal"] if snapshot.objective else []),
        *(["the plan"] if snapshot.plan else []),
        *(f"{_count(number, noun)}{more}" for number, noun, more in counted if number),
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _size(number: int) -> str:
    return f"{number / 1000:,.0f} KB" if number >= 1000 else f"{number} bytes"


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return parts[0] if parts else "what the repository tells"
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
