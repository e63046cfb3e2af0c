"""The Context Pack: per file its path, why it is here, and the definitions the prompt points at. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase import Definition, Ranked, Summary
from sidecar.core.digests import digest_bytes
from sidecar.core.text import one_line, size
from sidecar.packs.composing.items import PackItem, Priority
from sidecar.packs.context.interest import INTERESTING, interest, terms_in
from sidecar.packs.context.passages import Passage
from sidecar.runs import keys

TOLD_RANKS = 6
"""Files up to this rank say what they are for and why they are here; the others, in one line, one of both."""

BRIEF_CHARACTERS = 50
_MATCHES = "matches "
_ALSO = "  also: "
"""What names without signatures stand behind; alone, in one line, they tell no more than that a file is there."""
TOP_RANKS = 6
"""Files up to this rank are top context, the others further context."""

SIGNATURE_CHARACTERS = 140

NAMES_BYTES, MORE_BYTES = 120, 14
"""What is kept for the names of the other definitions, and for saying how many there are."""

PASSAGE_RANKS, PASSAGE_SHARE = 3, 0.6
"""Files up to this rank show the lines that matter, within this share of what they may take."""

MAX_INVARIANTS = 2
INVARIANT_RANKS = 3
INVARIANT_CHARACTERS = 140

DIGEST_CHARACTERS = 16

TELLING_PART = 0.3
"""A part of a score from which on it is a reason to tell."""

_LINKS = {
    "together": "changes with",
    "togetherTouched": "changes with",
    "imports": "imported by",
    "pair": "test or subject of",
    "pairTouched": "test or subject of",
}

UNREAD = Summary("", 0, 0, "", (), ())
"""Stands for the summary of a file that was not read yet."""


class ContextFile(NamedTuple):
    """A chosen file with its content id, summary, reasons, and the lines that matter, if it is one of the best."""

    ranked: Ranked
    content: str
    summary: Summary
    why: str
    passage: Passage = ()


class Told(NamedTuple):
    """A file as it is told, and the digest of what a session knows once it was told; a pointer tells no content."""

    text: str
    digest: str


def told(file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> Told:
    """Renders one file: what it is, why it is here, the definitions the terms point at, and the lines that matter."""
    summary = file.summary
    lines = _at_length(file, rank) if rank <= TOLD_RANKS else [_brief(file)]
    left = limit_bytes - sum(size(line) + 1 for line in lines)
    content = _content_lines(file, rank, terms, left, limit_bytes)
    is_told = bool(summary.purpose or content) if rank <= TOLD_RANKS else content and not content[0].startswith(_ALSO)
    digest = _told_digest(summary) if is_told and summary is not UNREAD else keys.POINTER
    return Told("\n".join((*lines, *content)), digest)


def _at_length(file: ContextFile, rank: int) -> list[str]:
    """What a file is, what it is for and why it is here."""
    summary = file.summary
    about = f" ({summary.language}, {summary.lines} lines)" if summary is not UNREAD else ""
    purpose = f" — {one_line(summary.purpose, _purpose_limit(rank))}" if summary.purpose else ""
    return [f"{one_line(file.ranked.path, 300)}{about}{purpose}", f"  why: {one_line(file.why, 160)}"]


def _brief(file: ContextFile) -> str:
    """What it says it is for, or why it is here: of so many files each is unlikely to matter, but one is likely to."""
    first, *others = file.why.split("; ")
    why = f"{first}; {others[0]}" if others and len(first) + len(others[0]) < BRIEF_CHARACTERS else first
    if first.startswith(_MATCHES):
        why = file.summary.stated_purpose or why
    return f"{one_line(file.ranked.path, 300)} — {one_line(why, BRIEF_CHARACTERS)}"


def context_item(file: ContextFile, rank: int, told: Told) -> PackItem:
    """Makes an item of a rendered file."""
    return PackItem(
        key=keys.context_key(file.ranked.path),
        kind="context",
        priority=Priority.TOP_CONTEXT if rank <= TOP_RANKS else Priority.FURTHER_CONTEXT,
        text=told.text,
        digest=told.digest,
        why=file.why,
        score=file.ranked.parts,
        content=keys.content_digest(file.content),
    )


def why_here(ranked: Ranked, words: Mapping[str, str], *, mentioned: bool, changed: bool) -> str:
    """Says in a few words why a file was chosen; `words` are the request's own, by term."""
    reasons = []
    if mentioned:
        reasons.append("mentioned")
    elif "namedPath" in ranked.parts:
        reasons.append("named in the request")
    if "identifiers" in ranked.parts:
        reasons.append("defines a name from the request")
    if ranked.matched:
        matched = dict.fromkeys(words.get(term, term) for term in ranked.matched)
        reasons.append(_MATCHES + ", ".join(list(matched)[:6]))
    reasons.extend(_near(ranked))
    if ranked.parts.get("commits", 0.0) >= TELLING_PART:
        reasons.append("past commits on such words changed it")
    if changed:
        reasons.append("changed")
    return "; ".join(reasons) or "near the request"


def for_terms(summary: Summary, terms: Collection[str]) -> Summary:
    """Keeps of a summary's terms those that are asked for: enough to choose its definitions, and small."""
    return summary._replace(
        chunks=tuple({term: chunk[term] for term in terms if term in chunk} for chunk in summary.chunks)
    )


def gives_content(item: PackItem) -> bool:
    """Says whether a file's item shows more than that the file is there."""
    return item.kind == "context" and item.digest != keys.POINTER


def _near(ranked: Ranked) -> list[str]:
    """The strongest link to another file, where it counts for something."""
    links = [(ranked.parts.get(kind, 0.0), kind, seed) for kind, seed in ranked.near if kind in _LINKS]
    value, kind, seed = max(links, default=(0.0, "", ""))
    return [f"{_LINKS[kind]} {seed}"] if value >= TELLING_PART else []


def _purpose_limit(rank: int) -> int:
    return 160 if rank <= 2 else 80


def _told_digest(summary: Summary) -> str:
    """Identifies what can be told of a file; an edit that only moves its lines is told as a difference instead."""
    defined = (part for one in summary.definitions for part in (one.container, one.name, one.signature))
    parts = (summary.purpose, *defined, *(one.text for one in summary.invariants))
    return digest_bytes("\0".join(parts).encode("utf-8", "surrogatepass"))[:DIGEST_CHARACTERS]


def _content_lines(file: ContextFile, rank: int, terms: frozenset[str], left: int, limit_bytes: int) -> list[str]:
    """Signatures the prompt points at, what the file insists on there, the lines that matter, and further names."""
    passage = _passage_lines(file) if rank <= PASSAGE_RANKS else []
    reserved = sum(size(line) + 1 for line in passage)
    if reserved > min(left, PASSAGE_SHARE * limit_bytes):
        passage, reserved = [], 0
    by_interest = sorted(
        ((interest(one, file.summary, terms), one) for one in file.summary.definitions),
        key=lambda pair: (-pair[0], not pair[1].public, pair[1].line),
    )
    shown = _shown(by_interest, left - reserved)
    quoted = {number for number, _ in file.passage} if passage else set()
    lines = [_signature_line(definition) for definition in sorted(shown) if definition.line not in quoted]
    left -= reserved + sum(size(line) + 1 for line in lines)
    for line in _invariant_lines(file.summary, shown, terms) if rank <= INVARIANT_RANKS else ():
        if size(line) + 1 <= left - NAMES_BYTES:
            lines.append(line)
            left -= size(line) + 1
    lines += passage
    names = _names_line([one for _, one in by_interest if one not in shown], left)
    return [*lines, names] if names else lines


def _shown(by_interest: Sequence[tuple[float, Definition]], left: int) -> list[Definition]:
    """The definitions that are told with their signatures."""
    shown: list[Definition] = []
    signatures: set[tuple[str, str]] = set()
    for how_much, definition in by_interest:
        if (definition.container, definition.signature) in signatures:
            continue  # a change log's tenth heading of the same words
        signatures.add((definition.container, definition.signature))
        cost = size(_signature_line(definition)) + 1
        if how_much < INTERESTING or cost > left - NAMES_BYTES * (len(by_interest) > len(shown) + 1):
            break
        shown.append(definition)
        left -= cost
    return shown


def _invariant_lines(summary: Summary, shown: Sequence[Definition], terms: frozenset[str]) -> list[str]:
    """What the file insists on where the prompt points: inside a shown definition first, then by the prompt's words."""
    inside = [one for one in summary.invariants if any(d.line <= one.line <= d.end_line for d in shown)]
    said = [one for one in summary.invariants if len(terms & terms_in(one.text)) > 1]
    chosen = sorted(list(dict.fromkeys((*inside, *said)))[:MAX_INVARIANTS])
    return [f"  L{one.line} holds: {one_line(one.text, INVARIANT_CHARACTERS)}" for one in chosen]


def _passage_lines(file: ContextFile) -> list[str]:
    return [f"  {number}| {line}" for number, line in file.passage]


def _names_line(definitions: Sequence[Definition], left: int) -> str:
    """Names with their lines, the most interesting first, as far as the bytes go."""
    line, start = "", _ALSO
    for at, definition in enumerate(definitions):
        name = f"{one_line(definition.name, 60)}:{definition.line}"
        longer = f"{line}, {name}" if line else start + name
        rest = len(definitions) - at - 1
        if size(longer) + 1 + (MORE_BYTES if rest else 0) > left:
            return f"{line}, … {rest + 1} more" if line else ""
        line = longer
    return line


def _signature_line(definition: Definition) -> str:
    return f"  L{definition.line} {one_line(definition.signature, SIGNATURE_CHARACTERS)}"
