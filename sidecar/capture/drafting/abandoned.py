"""Finds where an agent says in so many words that it gave an approach up, and why. Pure: a grammar of sentences.

What somebody else did, what is asked, denied, supposed or planned, quoted or code, is none; nor is one construct
written in place of another ("use const instead of let").
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sidecar.capture.drafting.giving_up import (
    BROKE,
    ELSEWHERE,
    FOLLOWS,
    IN_ITS_PLACE,
    INSTEAD,
    KEYWORDS,
    MEANT,
    NOT_OURS,
    NOUN,
    ONLY_TRIED,
    PATTERNS,
    REASON,
    UNREAL,
)
from sidecar.core.prose import sentences
from sidecar.core.secrets.redact import redact

MAX_TRIED, MAX_REASON = 160, 300
MAX_SENTENCE = 600
"""A longer one is no sentence of somebody's who tells what was tried, and reading it takes time by its square."""


class Abandoned(NamedTuple):
    """An approach that was given up."""

    sentence: str
    tried: str
    """What it was, in the agent's words."""
    reason: str
    """Why it was given up; empty where the agent does not say."""
    instead: str
    """What came in its place; empty where the agent does not say."""


def abandonments(text: str) -> Iterator[Abandoned]:
    """Yields the approaches that a conclusion says were given up, in its order."""
    told = [sentence for sentence in sentences(text) if len(sentence) <= MAX_SENTENCE]
    for at, sentence in enumerate(told):
        following = told[at + 1] if at + 1 < len(told) else ""
        found = _read(sentence, following)
        if found is not None:
            yield found


def _read(sentence: str, following: str) -> Abandoned | None:
    masked = _masked(sentence)
    if sentence.endswith("?") or ELSEWHERE.search(masked) or MEANT.search(masked):
        return None
    for kind, pattern in PATTERNS:
        match = pattern.search(masked)
        if match is not None and not UNREAL.search(masked[: match.end() if kind == "failed" else _what_at(match)]):
            found = _told(kind, match, sentence, following)
            if found is not None:
                return found
    return None


def _told(kind: str, match: re.Match[str], sentence: str, following: str) -> Abandoned | None:
    groups = match.groupdict()
    start, end = match.span("what") if groups.get("what") else (match.end(), match.end())
    what = sentence[start:end]
    reason = REASON.search(_masked(what))
    if kind == "tried":
        tried, why = what, sentence[match.start("why") :]
        if ONLY_TRIED.match(tried) or not BROKE.search(why):
            return None
    elif kind == "failed":
        tried, why = what, sentence[end:].strip(" .,")
    else:
        tried = what[: reason.start()] if reason else what
        why = what[reason.end() :] if reason else _after(sentence[end:])
    instead = sentence[match.start("instead") : match.end("instead")] if groups.get("instead") else ""
    if groups.get("instead") and (cut := REASON.search(_masked(instead))) is not None:
        why, instead = instead[cut.end() :], instead[: cut.start()]
    if not why and FOLLOWS.match(following) and BROKE.search(following):
        why = following
    if kind == "reason" and not BROKE.search(why):
        return None
    if kind in ("failed", "reason") and (UNREAL.search(_masked(tried)) or _is_small(tried)):
        return None
    if kind == "failed" and not _goes_on(why, tried):
        return None
    found = _tidied(sentence, tried, _why_of(why) if kind == "failed" else why, instead, following)
    return None if kind != "given up" and NOT_OURS.match(found.tried) else found


def _tidied(sentence: str, tried: str, why: str, instead: str, following: str) -> Abandoned:
    tried, instead = _parted(tried, instead)
    why, instead = _parted(why, instead)
    if not instead and (place := IN_ITS_PLACE.match(following)) is not None:
        instead = place["what"]
    tried = _plain(re.sub(rf"(?i)(\b{NOUN}) and \w+ (?:the|it|a|my)\b.*$", r"\1", tried))
    return Abandoned(
        redact(sentence), _cut(tried, MAX_TRIED), _cut(_plain(why), MAX_REASON), _cut(_plain(instead), MAX_TRIED)
    )


def _parted(text: str, instead: str) -> tuple[str, str]:
    """Takes off what came in the place of an approach."""
    found = INSTEAD.search(text)
    if found is None:
        return text, instead
    place = next(group for group in found.groups() if group)
    return text[: found.start()], instead or re.sub(r"(?i),? instead\b", "", place)


def _why_of(rest: str) -> str:
    """Of what an approach came to, the reason where one is told."""
    found = REASON.search(rest)
    return rest[found.end() :] if found is not None else rest


def _goes_on(rest: str, tried: str) -> bool:
    """Whether a failure is an approach's: it is called one, or the sentence tells what was done in its place."""
    return bool(re.search(rf"(?i)\b{NOUN}\b", tried) or re.search(r"(?i)\b(?:so|and|therefore|hence|instead)\b", rest))


def _after(rest: str) -> str:
    reason = REASON.search(_masked(rest))
    return rest[reason.end() :] if reason else ""


def _is_small(tried: str) -> bool:
    """Whether only one word of the language's own was put in place of another."""
    words = re.findall(r"\w+", tried.casefold())
    return bool(words) and all(word in KEYWORDS or word in ("the", "a", "keyword", "to") for word in words)


def _what_at(match: re.Match[str]) -> int:
    groups = match.groupdict()
    return match.start("what" if groups.get("what") else "instead")


def _masked(text: str) -> str:
    """Puts signs that match no word in the place of code and of what is quoted; every place stays where it is."""
    return re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)", lambda found: "§" * len(found[0]), text)


def _plain(text: str) -> str:
    return text.strip(" .,;:–—-!").strip()


def _cut(text: str, limit: int) -> str:
    text = redact(text)
    return text if len(text) <= limit else text[: limit - 2].rsplit(" ", 1)[0] + " …"
