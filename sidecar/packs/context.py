"""The Context Pack: per file its path, why it is here, and the definitions the prompt points at. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase import Definition, Ranked, Summary, chunk_lines, count_terms, query_terms
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.text import one_line, size
from sidecar.runs import keys

TAPER = ((2, 1_500), (6, 700), (10, 350))
"""Up to this rank, at most this many bytes; what comes after gets `REST_BYTES`. Steep tapering fits more of the right
files into the same bytes, and their definitions, than equal shares do (tests/benchmarks/localization.py)."""

REST_BYTES = 110
TOLD_RANKS = 12
"""Files up to this rank say what they are for."""
TOP_RANKS = 6
"""Files up to this rank are top context, the others further context."""

SIGNATURE_CHARACTERS = 140

NAME_INTEREST, LINES_INTEREST = 3.0, 1.5
"""What a word in a definition's name, and all words in its lines, count beside one in its signature."""

INTERESTING = 1.0
"""A definition of less interest is told by its name alone."""

NAMES_BYTES, MORE_BYTES = 120, 14
"""What is kept for the names of the other definitions, and for saying how many there are."""

TELLING_PART = 0.3
"""A part of a score from which on it is a reason to tell."""

_LINKS = {
    "together": "changes with",
    "togetherTouched": "changes with",
    "imports": "imported by",
    "importsTouched": "imported by",
    "pair": "test or subject of",
    "pairTouched": "test or subject of",
}

UNREAD = Summary("", 0, 0, "", (), ())
"""Stands for the summary of a file that was not read yet."""


class ContextFile(NamedTuple):
    """A chosen file with its content id, summary, and reasons."""

    ranked: Ranked
    content: str
    summary: Summary
    why: str


def context_items(files: Sequence[ContextFile], query: str, sendable_bytes: int) -> list[PackItem]:
    """Renders the files, the most relevant first."""
    terms = frozenset(query_terms(query))
    return [
        context_item(file, rank, item_text(file, rank, terms, most_bytes(rank, sendable_bytes)))
        for rank, file in enumerate(files, 1)
    ]


def most_bytes(rank: int, sendable_bytes: int) -> int:
    """Gives what a file of a rank, which counts from 1, may take.

    `sendable_bytes` is what the call may send in all: no item comes near it, else it would never be sent.
    """
    return min(next((most for last, most in TAPER if rank <= last), REST_BYTES), sendable_bytes // 8)


def item_text(file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> str:
    """Renders one file: what it is, why it is here, and the definitions the terms point at."""
    summary = file.summary
    about = f" ({summary.language}, {summary.lines} lines)" if summary is not UNREAD else ""
    purpose = f" — {one_line(summary.purpose, _purpose_limit(rank))}" if summary.purpose and rank <= TOLD_RANKS else ""
    lines = [f"{one_line(file.ranked.path, 300)}{about}{purpose}", f"  why: {one_line(file.why, 160)}"]
    left = limit_bytes - sum(size(line) + 1 for line in lines)
    return "\n".join((*lines, *_definition_lines(summary, terms, left)))


def context_item(file: ContextFile, rank: int, text: str) -> PackItem:
    """Makes an item of a rendered file."""
    return PackItem(
        key=keys.context_key(file.ranked.path),
        kind="context",
        priority=Priority.TOP_CONTEXT if rank <= TOP_RANKS else Priority.FURTHER_CONTEXT,
        text=text,
        digest=keys.content_digest(file.content),
        why=file.why,
        score=file.ranked.parts,
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
        reasons.append("matches " + ", ".join(list(matched)[:6]))
    reasons.extend(_near(ranked))
    if ranked.parts.get("commits", 0.0) >= TELLING_PART:
        reasons.append("past commits on such words changed it")
    if changed:
        reasons.append("changed")
    return "; ".join(reasons) or "near the request"


def for_query(summary: Summary, query: str) -> Summary:
    """Keeps of a summary's terms those that a query asks for: enough to choose its definitions, and small."""
    terms = query_terms(query)
    return summary._replace(
        chunks=tuple({term: chunk[term] for term in terms if term in chunk} for chunk in summary.chunks)
    )


def gives_content(item: PackItem) -> bool:
    """Says whether a file's item shows more than that the file is there."""
    return item.kind == "context" and item.bytes > REST_BYTES


def _near(ranked: Ranked) -> list[str]:
    """The strongest link to another file, where it counts for something."""
    links = [(ranked.parts.get(kind, 0.0), kind, seed) for kind, seed in ranked.near if kind in _LINKS]
    value, kind, seed = max(links, default=(0.0, "", ""))
    return [f"{_LINKS[kind]} {seed}"] if value >= TELLING_PART else []


def _purpose_limit(rank: int) -> int:
    return 160 if rank <= TOP_RANKS else 80


def _definition_lines(summary: Summary, terms: frozenset[str], left: int) -> list[str]:
    """The definitions the prompt points at with their signatures; as many others as fit by name and line alone."""
    by_interest = sorted(
        ((_interest(one, summary, terms), one) for one in summary.definitions),
        key=lambda pair: (-pair[0], not pair[1].public, pair[1].line),
    )
    shown: list[Definition] = []
    for interest, definition in by_interest:
        cost = size(_signature_line(definition)) + 1
        if interest < INTERESTING or cost > left - NAMES_BYTES * (len(by_interest) > len(shown) + 1):
            break
        shown.append(definition)
        left -= cost
    lines = [_signature_line(definition) for definition in sorted(shown)]
    names = _names_line([one for _, one in by_interest if one not in shown], left)
    return [*lines, names] if names else lines


def _interest(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """How much the prompt's words point at a definition: by its name, its signature, and the lines it stands in."""
    named = terms & _terms(f"{definition.name} {definition.container}")
    said = terms & _terms(definition.signature)
    return NAME_INTEREST * len(named) + len(said - named) + LINES_INTEREST * _coverage(definition, summary, terms)


@lru_cache(maxsize=4_096)
def _terms(text: str) -> frozenset[str]:
    """The terms of a name or signature; after an edit all but a few are those of the call before."""
    return frozenset(count_terms(text))


def _coverage(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Share of the prompt's terms that stand in the chunks a definition lies in."""
    if not terms or not summary.chunks:
        return 0.0
    step = chunk_lines(summary.lines)
    first, last = (definition.line - 1) // step, (max(definition.line, definition.end_line) - 1) // step
    held = set[str]().union(*summary.chunks[first : last + 1])
    return len(held & terms) / len(terms)


def _names_line(definitions: Sequence[Definition], left: int) -> str:
    """Names with their lines, the most interesting first, as far as the bytes go."""
    line, start = "", "  also: "
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
