"""The structured state of a conversation: what a fresh session has to know to go on. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from sidecar.core.regex import regex
from sidecar.runs import Artifact, FailingTests, RunTold, SubChat

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
