"""Extract notes worth storing from a session's summary. Pure.

Prompts are searched for corrections and decisions of the user, answers for the agent's conclusions. An error is stored
with its resolution; an unresolved one is not a fact.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.capture.session_summary import ErrorEvent, NearMiss, Note, SessionSummary
from sidecar.memory.capture.statement_notes import clean_sentence, label_of, read_message, title_of
from sidecar.memory.entry import content_hash, normalized
from sidecar.memory.private_and_injected_text import filter_private

Reason = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip
"""Reason why a statement was dropped; `memory/status` counts them."""

MIN_WORDS = 3
MIN_UNSPACED_CHARACTERS = 5
MAX_CHARACTERS = 2_000

_UNSPACED = lazy_regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_DUMP_LINE = lazy_regex(
    r"^\s*+(?:[\[{}\]<]|\"?[\w-]+\"?: ?[\"\[{\d]|\d+,?$"
    r"|at \S+ ?\(|File \"|\d{1,5}[:|→\t ]|[+-]{1,3} ?\S|@@|\$ |>>> |\||#include|import \w"
    r"|def |class |func|const |let |var |return\b|\w+\(.*\)[;{]?$|[\w./-]+:\d+:|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:INFO|DEBUG|WARN|ERROR)\b|.*[;{}]$)"
)
_DUMP_SHARE = 0.6
_SIGNS = lazy_regex(r"[{}()\[\];=<>|\\/_`$&*#@]")


def junk_reason(note: Note, instructions: Collection[str]) -> Reason | None:
    """Return why a note is dropped; None if it may be stored. `instructions` are normalized lines of rule files."""
    text = note.text.partition("\n\n")[0] if note.author == "user" else note.text
    words = normalized(text)
    if _is_short(text, words):
        return "tooShort"
    if len(text) > MAX_CHARACTERS:
        return "tooLong"
    if text.endswith(("?", "？")):
        return "question"
    if is_tool_output(text):
        return "toolOutput"
    return "instructionFile" if words in instructions else None


def is_tool_output(text: str) -> bool:
    """Whether a text is tool output or code rather than prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) >= 3 and sum(map(bool, map(_DUMP_LINE.match, lines))) >= _DUMP_SHARE * len(lines):
        return True
    return len(text) > 40 and len(_SIGNS.findall(text)) > 0.2 * len(text)


def instruction_lines(text: str) -> set[str]:
    """Return a rule file's lines and sentences without variable parts."""
    lines = [line.strip().lstrip("-*+#> ").strip() for line in text.splitlines()]
    parts = [*lines, *(part for line in lines for part in re.split(r"(?<=[.!?。])\s+", line))]
    return {words for part in parts if len((words := normalized(part)).split()) >= MIN_WORDS}


def _is_short(text: str, words: str) -> bool:
    if _UNSPACED.search(text):
        return len(words.replace(" ", "")) < MIN_UNSPACED_CHARACTERS
    return len(text.split()) < MIN_WORDS


MAX_LINE = 300

_ERROR_LINE = lazy_regex(
    r"(?m)^.{0,400}?(?P<line>(?:[\w.]{0,100}(?:Error|Exception|Failure|Warning|Panic)\b: .+)"
    r"|(?:\b(?:error|fatal|panic|failed|ERR!)(?:\[[\w-]{1,40}\])?: .+)|(?:\berror TS\d+: .+)"
    r"|(?:.{0,400}(?:command not found|No such file or directory|Permission denied|Connection refused|EADDRINUSE"
    r"|Cannot find module|is not recognized as|not found in PATH|Segmentation fault).*))$"
)


def error_line(output: str, subject: str = "") -> str:
    """Return the last line that names an error, after its subject; an output of one line is that line."""
    error_lines = [match["line"].strip() for match in _ERROR_LINE.finditer(output[-20_000:])]
    if subject:
        return f"{subject} failed{': ' + error_lines[-1] if error_lines else ''}"[:MAX_LINE]
    if error_lines:
        return error_lines[-1][:MAX_LINE]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[0][:MAX_LINE] if len(lines) == 1 else ""


CONFIDENCE = {
    "decision": 0.8, "error_pattern": 0.6, "resolution": 0.75, "user_correction": 0.9, "preference": 0.9,
    "validated_pattern": 0.75, "semantic": 0.7, "gotcha": 0.8, "lesson": 0.75, "episodic": 0.7,
}  # fmt: skip
"""Confidence of explicit notes; a note extracted from text has the confidence of its rule."""

MAX_TEXT = 4_000
MAX_FILES = 5


class Sighting(NamedTuple):
    """An error occurrence, identified by a hash that is equal for repetitions."""

    line: str
    digest: str
    at_ms: int


class ExtractedNotes(NamedTuple):
    """Notes worth storing, errors seen, and the number of drops by reason."""

    notes: tuple[Note, ...]
    sightings: tuple[Sighting, ...]
    dropped: Counter[str]
    near_misses: tuple[NearMiss, ...] = ()


def extract_notes(summary: SessionSummary, instructions: Collection[str]) -> ExtractedNotes:
    """Extract what is worth storing; `instructions` are the lines of rule files, which are not new."""
    read = [read_message(utterance) for utterance in summary.utterances]
    dropped: Counter[str] = sum((message.dropped for message in read), Counter())
    near_misses = [*summary.near_misses, *(miss for message in read for miss in message.near_misses)]
    sightings = tuple(_sighting(error) for error in summary.errors if _error_line(error))
    resolutions = [note for error in summary.errors for note in _resolution_notes(error, dropped)]
    explained = " ".join(note.text for note in resolutions)
    stated = [*summary.notes, *(note for message in read for note in message.notes)]
    candidates = [*(note for note in stated if note.author != "assistant" or note.text not in explained), *resolutions]
    notes = []
    for note in candidates:
        storable = _storable(note, dropped)
        if storable is None:
            continue
        is_statement = storable.retention == "daily" or storable.is_standing_instruction
        is_statement &= storable.type not in ("error_pattern", "gotcha")
        reason = junk_reason(storable, instructions) if is_statement else None
        if reason is not None:
            dropped[reason] += 1
        else:
            notes.append(storable)
    ordered = tuple(sorted(notes, key=lambda note: note.at_ms))
    return ExtractedNotes(ordered, sightings, dropped, tuple(near_misses))


def gotcha(sighting: Sighting) -> Note:
    """Return the note for a recurring error."""
    text = f"The same error keeps coming back: {_code_span(sighting.line)}"
    return Note(
        "gotcha", label_of(f"Recurring error: {sighting.line}"), text, "tool", sighting.at_ms, CONFIDENCE["gotcha"]
    )


def _sighting(error: ErrorEvent) -> Sighting:
    line = filter_private(_error_line(error)).text
    return Sighting(line, content_hash("error", line, "error_pattern"), error.at_ms)


def _resolution_notes(error: ErrorEvent, dropped: Counter[str]) -> Iterator[Note]:
    line, explanation = _error_line(error), clean_sentence(error.resolution)
    if not line or not explanation:
        _count(dropped, "unresolvedError")
        return
    files = ", ".join(f"`{path}`" for path in error.changed[:MAX_FILES])
    details = (f"Changed: {files}." if files else "", f"The error was {_code_span(line)}.")
    text = "\n\n".join(filter(None, (explanation, *details)))
    yield Note("resolution", title_of(explanation), text, "assistant", error.at_ms, CONFIDENCE["resolution"])


def _error_line(error: ErrorEvent) -> str:
    return error_line(error.text, error.subject)


def reduce_summary(summary: SessionSummary) -> SessionSummary:
    """Return a summary whose messages are reduced to notes and masked near misses.

    Only this is queued for capture, so that no prompt is stored as written.
    """
    read = [read_message(utterance) for utterance in summary.utterances]
    return summary._replace(
        utterances=(),
        notes=(*summary.notes, *(_masked(note) for message in read for note in message.notes)),
        near_misses=(*summary.near_misses, *(miss for message in read for miss in message.near_misses)),
    )


def _masked(note: Note) -> Note:
    return note._replace(text=filter_private(note.text).text, title=filter_private(note.title).text)


def _code_span(line: str) -> str:
    plain = line.replace("`", "'")
    return f"`{plain}`"


def _storable(note: Note, dropped: Counter[str]) -> Note | None:
    """Return a note as it may be stored; None if nothing remains."""
    text, title = filter_private(note.text[:MAX_TEXT]), filter_private(note.title)
    if not text.text:
        _count(dropped, "injected" if text.injected else "private" if text.private else "tooShort")
        return None
    confidence = CONFIDENCE[note.type] if note.confidence is None else note.confidence
    return note._replace(text=text.text, title=title.text or title_of(text.text), confidence=confidence)


def _count(dropped: Counter[str], reason: Reason) -> None:
    dropped[reason] += 1
