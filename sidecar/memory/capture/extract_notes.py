"""What of a session's digest is worth a memory. Pure.

A prompt is read for corrections and decisions of the user, an answer for the agent's conclusions; an error is kept with
what ended it, because one that nothing has ended is no fact.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.text.prose import paragraphs, sentences
from sidecar.language.conclusions import conclusion
from sidecar.language.corrections import correction
from sidecar.memory.capture.junk import Reason, is_tool_output, junk
from sidecar.memory.capture.session_summary import Digest, Note, Said, Trouble
from sidecar.memory.dedupe import digest_of
from sidecar.memory.privacy_filter import screened

# A short title of a sentence that was said. Pure.


MAX_TITLE = 80

_LEAD = regex(
    r"^(?:(?:no|nope|nah|actually|wait|well|ok(?:ay)?|yes|so|and|but|also|then|please|hm+|sorry|right|decision|nein|bitte|non"
    r"|não|nee|нет)\b[\s,.:;!—–-]*)+",
    re.IGNORECASE,
)
_CLAUSE = regex(
    r"\s{0,4}(?:[,;:]\s|\s[—–-]\s|\s\(|[，；。、]|\s(?:because|since|so that|due to|weil|parce que|porque|perché)\s)"
)
LEAST_WORDS = 4


def title_of(sentence: str) -> str:
    """Gives a sentence without its lead-in and its reasons, at most 80 characters."""
    flat = re.sub(r"\s+", " ", sentence).strip(" \t\"'*_`#")
    core = _LEAD.sub("", flat) or flat
    for found in _CLAUSE.finditer(core):
        if len(core[: found.start()].split()) >= LEAST_WORDS:
            core = core[: found.start()]
            break
    core = _cut(core.rstrip(" .!。:;,"))
    return core[:1].upper() + core[1:]


def label_of(line: str) -> str:
    """Gives a line as a title: as it is, at most 80 characters."""
    return _cut(re.sub(r"\s+", " ", line).strip())


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


# The line of an error's output by which it is known again. Pure.


MAX_LINE = 300

_TELLING = regex(
    r"(?m)^.{0,400}?(?P<line>(?:[\w.]{0,100}(?:Error|Exception|Failure|Warning|Panic)\b: .+)"
    r"|(?:\b(?:error|fatal|panic|failed|ERR!)(?:\[[\w-]{1,40}\])?: .+)|(?:\berror TS\d+: .+)"
    r"|(?:.{0,400}(?:command not found|No such file or directory|Permission denied|Connection refused|EADDRINUSE"
    r"|Cannot find module|is not recognized as|not found in PATH|Segmentation fault).*))$"
)


def error_line(output: str, subject: str = "") -> str:
    """Gives the last line that names an error, behind what failed; an output of one line is that line."""
    found = [match["line"].strip() for match in _TELLING.finditer(output[-20_000:])]
    if subject:
        return f"{subject} failed{': ' + found[-1] if found else ''}"[:MAX_LINE]
    if found:
        return found[-1][:MAX_LINE]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[0][:MAX_LINE] if len(lines) == 1 else ""


CONFIDENCE = {
    "decision": 0.8, "error_pattern": 0.6, "resolution": 0.75, "user_correction": 0.9, "validated_pattern": 0.75,
    "gotcha": 0.8, "lesson": 0.75, "episodic": 0.7,
}  # fmt: skip
"""Of what is told as such; what is read from words has the confidence of the rule it fits."""

MAX_SENTENCE = 600
MAX_TEXT = 4_000

_ENDED = regex(r"(?<=[。！？])\s*")


class Met(NamedTuple):
    """An error that was met, by what is the same whenever it is met again."""

    line: str
    digest: str
    at_ms: int


class Found(NamedTuple):
    """What is worth keeping, the errors that were met, and why the rest was dropped."""

    notes: tuple[Note, ...]
    met: tuple[Met, ...]
    dropped: Counter[str]


def found_in(digest: Digest, instructions: Collection[str]) -> Found:
    """Finds what is worth keeping; `instructions` are the lines of rule files, which are no news."""
    dropped: Counter[str] = Counter()
    notes = []
    cures = " ".join(trouble.resolution for trouble in digest.troubles)
    heard = [note for said in digest.said for note in _heard(said, dropped)]
    candidates = [*digest.notes, *(note for note in heard if note.type != "resolution" or note.text not in cures)]
    met = tuple(_met(trouble) for trouble in digest.troubles if _line(trouble))
    candidates += [note for trouble in digest.troubles for note in _mended(trouble, dropped)]
    for note in candidates:
        kept = _screened(note, dropped)
        if kept is None:
            continue
        is_told = kept.type not in ("error_pattern", "gotcha") and kept.keeping == "daily"
        reason = junk(kept.text, instructions) if is_told else None
        if reason is not None:
            dropped[reason] += 1
        else:
            notes.append(kept)
    return Found(tuple(sorted(notes, key=lambda note: note.at_ms)), met, dropped)


def gotcha(met: Met) -> Note:
    """Gives the memory of an error that comes again and again."""
    text = f"The same error keeps coming back: {_shown(met.line)}"
    return Note("gotcha", label_of(f"Keeps coming back: {met.line}"), text, "tool", met.at_ms, CONFIDENCE["gotcha"])


def _heard(said: Said, dropped: Counter[str]) -> Iterator[Note]:
    """Reads one message; what is private and what we said ourselves is gone before a sentence of it is looked at."""
    clean = screened(said.text)
    dropped["private"] += clean.private
    dropped["injected"] += clean.injected
    for paragraph in paragraphs(clean.text):
        is_dump = is_tool_output(paragraph)
        for sentence in _sentences(paragraph):
            note = _note(said, sentence)
            if note is not None and (is_dump or len(sentence) > MAX_SENTENCE):
                dropped["toolOutput" if is_dump else "tooLong"] += 1
            elif note is not None:
                yield note


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in sentences(paragraph):
        yield from (part.strip() for part in _ENDED.split(sentence) if part.strip())


def _note(said: Said, sentence: str) -> Note | None:
    fits = correction(sentence) if said.author == "user" else conclusion(sentence)
    if fits is None:
        return None
    return Note(fits.type, title_of(sentence), sentence, said.author, said.at_ms, fits.confidence)


def _met(trouble: Trouble) -> Met:
    line = screened(_line(trouble)).text
    return Met(line, digest_of("error", line), trouble.at_ms)


def _mended(trouble: Trouble, dropped: Counter[str]) -> Iterator[Note]:
    line = _line(trouble)
    if not line or not trouble.resolution.strip():
        _count(dropped, "unresolvedError")
        return
    yield Note("error_pattern", label_of(line), _shown(line), "tool", trouble.at_ms, CONFIDENCE["error_pattern"])
    text = f"{trouble.resolution.strip()}\n\nThe error was {_shown(line)}."
    yield Note("resolution", label_of(f"Resolved: {line}"), text, "assistant", trouble.at_ms, CONFIDENCE["resolution"])


def _line(trouble: Trouble) -> str:
    return error_line(trouble.text, trouble.subject)


def worth_keeping(said: Said) -> Said | None:
    """Gives a message with nothing left but the sentences that may become memories; None where it has none.

    What waits to be captured is this, so that no prompt is kept as it was written.
    """
    kept = [note.text for note in _heard(said, Counter())]
    return said._replace(text="\n\n".join(kept)) if kept else None


def mending(text: str) -> str:
    """Gives what an answer says of the cause or the cure of an error; empty where it says nothing of it."""
    found = (sentence for paragraph in paragraphs(text) for sentence in _sentences(paragraph))
    return " ".join(sentence for sentence in found if (told := conclusion(sentence)) and told.type == "resolution")


def _shown(line: str) -> str:
    plain = line.replace("`", "'")
    return f"`{plain}`"


def _screened(note: Note, dropped: Counter[str]) -> Note | None:
    """Gives a note as it may be stored; None when nothing is left of it."""
    text, title = screened(note.text[:MAX_TEXT]), screened(note.title)
    if not text.text:
        _count(dropped, "injected" if text.injected else "private" if text.private else "tooShort")
        return None
    sure = CONFIDENCE[note.type] if note.confidence is None else note.confidence
    return note._replace(text=text.text, title=title.text or title_of(text.text), confidence=sure)


def _count(dropped: Counter[str], reason: Reason) -> None:
    dropped[reason] += 1
