"""Extract notes worth storing from a session's summary. Pure.

Prompts are searched for corrections and decisions of the user, answers for the agent's conclusions. An error is stored
with its resolution; an unresolved one is not a fact.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import paragraphs, sentences
from sidecar.core.text import clip_at_word
from sidecar.language.conclusions import match_conclusion
from sidecar.language.corrections import is_question, match_correction
from sidecar.memory.capture.session_summary import ErrorEvent, Note, SessionSummary, Utterance
from sidecar.memory.entry import content_hash, normalized
from sidecar.memory.privacy_filter import filter_private

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


def junk_reason(text: str, instructions: Collection[str]) -> Reason | None:
    """Return why a text is dropped; None if it may be stored. `instructions` are normalized lines of rule files."""
    words = normalized(text)
    if _is_short(text, words):
        return "tooShort"
    if len(text) > MAX_CHARACTERS:
        return "tooLong"
    if is_question(text):
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


MAX_TITLE = 80

_LEAD = lazy_regex(
    r"^(?:(?:no|nope|nah|actually|wait|well|ok(?:ay)?|yes|so|and|but|also|then|please|hm+|sorry|right|decision|nein|bitte|non"
    r"|não|nee|нет)\b[\s,.:;!—–-]*)+",
    re.IGNORECASE,
)
_CLAUSE = lazy_regex(
    r"\s{0,4}(?:[,;:]\s|\s[—–-]\s|\s\(|[，；。、]|\s(?:because|since|so that|due to|weil|parce que|porque|perché)\s)"
)
MIN_TITLE_WORDS = 4


def title_of(sentence: str) -> str:
    """Return a sentence without lead-in and reasons, at most 80 characters."""
    flat = re.sub(r"\s+", " ", sentence).strip(" \t\"'*_`#")
    core = _LEAD.sub("", flat) or flat
    for match in _CLAUSE.finditer(core):
        if len(core[: match.start()].split()) >= MIN_TITLE_WORDS:
            core = core[: match.start()]
            break
    core = clip_at_word(core.rstrip(" .!。:;,"), MAX_TITLE)
    return core[:1].upper() + core[1:]


def label_of(line: str) -> str:
    """Return a line as a title, at most 80 characters."""
    return clip_at_word(re.sub(r"\s+", " ", line).strip(), MAX_TITLE)


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
    "validated_pattern": 0.75, "gotcha": 0.8, "lesson": 0.75, "episodic": 0.7,
}  # fmt: skip
"""Confidence of explicit notes; a note extracted from text has the confidence of its rule."""

MAX_SENTENCE = 600
MAX_TEXT = 4_000

_ENDED = lazy_regex(r"(?<=[。！？])\s*")


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


def extract_notes(summary: SessionSummary, instructions: Collection[str]) -> ExtractedNotes:
    """Extract what is worth storing; `instructions` are the lines of rule files, which are not new."""
    dropped: Counter[str] = Counter()
    notes = []
    resolutions = " ".join(error.resolution for error in summary.errors)
    spoken_notes = [note for utterance in summary.utterances for note in _notes_in(utterance, dropped)]
    candidates = [
        *summary.notes,
        *(note for note in spoken_notes if note.type != "resolution" or note.text not in resolutions),
    ]
    sightings = tuple(_sighting(error) for error in summary.errors if _error_line(error))
    candidates += [note for error in summary.errors for note in _resolution_notes(error, dropped)]
    for note in candidates:
        storable = _storable(note, dropped)
        if storable is None:
            continue
        is_agent_statement = storable.type not in ("error_pattern", "gotcha") and storable.retention == "daily"
        reason = junk_reason(storable.text, instructions) if is_agent_statement else None
        if reason is not None:
            dropped[reason] += 1
        else:
            notes.append(storable)
    return ExtractedNotes(tuple(sorted(notes, key=lambda note: note.at_ms)), sightings, dropped)


def gotcha(sighting: Sighting) -> Note:
    """Return the note for a recurring error."""
    text = f"The same error keeps coming back: {_code_span(sighting.line)}"
    return Note(
        "gotcha", label_of(f"Keeps coming back: {sighting.line}"), text, "tool", sighting.at_ms, CONFIDENCE["gotcha"]
    )


def _notes_in(utterance: Utterance, dropped: Counter[str]) -> Iterator[Note]:
    """Extract the notes of one message, after removing private and injected text."""
    clean = filter_private(utterance.text)
    dropped["private"] += clean.private
    dropped["injected"] += clean.injected
    for paragraph in paragraphs(clean.text):
        is_output = is_tool_output(paragraph)
        for sentence in _sentences(paragraph):
            note = _note(utterance, sentence)
            if note is not None and (is_output or len(sentence) > MAX_SENTENCE):
                dropped["toolOutput" if is_output else "tooLong"] += 1
            elif note is not None:
                yield note


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in sentences(paragraph):
        yield from (part.strip() for part in _ENDED.split(sentence) if part.strip())


def _note(utterance: Utterance, sentence: str) -> Note | None:
    match = match_correction(sentence) if utterance.author == "user" else match_conclusion(sentence)
    if match is None:
        return None
    return Note(match.type, title_of(sentence), sentence, utterance.author, utterance.at_ms, match.confidence)


def _sighting(error: ErrorEvent) -> Sighting:
    line = filter_private(_error_line(error)).text
    return Sighting(line, content_hash("error", line, "error_pattern"), error.at_ms)


def _resolution_notes(error: ErrorEvent, dropped: Counter[str]) -> Iterator[Note]:
    line = _error_line(error)
    if not line or not error.resolution.strip():
        _count(dropped, "unresolvedError")
        return
    yield Note("error_pattern", label_of(line), _code_span(line), "tool", error.at_ms, CONFIDENCE["error_pattern"])
    text = f"{error.resolution.strip()}\n\nThe error was {_code_span(line)}."
    yield Note("resolution", label_of(f"Resolved: {line}"), text, "assistant", error.at_ms, CONFIDENCE["resolution"])


def _error_line(error: ErrorEvent) -> str:
    return error_line(error.text, error.subject)


def capturable_part(utterance: Utterance) -> Utterance | None:
    """Return a message reduced to sentences that may become memories; None if it has none.

    Only this is queued for capture, so that no prompt is stored as written.
    """
    sentences = [note.text for note in _notes_in(utterance, Counter())]
    return utterance._replace(text="\n\n".join(sentences)) if sentences else None


def resolution_in(text: str) -> str:
    """Return an answer's sentences on the cause or fix of an error; empty if there are none."""
    all_sentences = (sentence for paragraph in paragraphs(text) for sentence in _sentences(paragraph))
    return " ".join(
        sentence for sentence in all_sentences if (match := match_conclusion(sentence)) and match.type == "resolution"
    )


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
