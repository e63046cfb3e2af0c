"""The Context Pack: per file its path, why it is here, and the definitions the prompt points at. Pure."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from operator import is_
from typing import NamedTuple

from sidecar.codebase import Definition, Ranked, Repository, Summary, query_terms, word_share
from sidecar.core.digests import digest_bytes
from sidecar.core.instruction_files import AGENT_FILES
from sidecar.core.text.sanitize import one_line, size
from sidecar.packs.byte_budget import Appetite
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.passages import INTERESTING, Passage, interest, passage_of, terms_in
from sidecar.runs import keys
from sidecar.storage.lru import Lru

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


class SentChange(NamedTuple):
    """A file as it is told, and the digest of what a session knows once it was told; a pointer tells no content."""

    text: str
    digest: str


def told(file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> SentChange:
    """Renders one file: what it is, why it is here, the definitions the terms point at, and the lines that matter."""
    summary = file.summary
    lines = _at_length(file, rank) if rank <= TOLD_RANKS else [_brief(file)]
    left = limit_bytes - sum(size(line) + 1 for line in lines)
    content = _content_lines(file, rank, terms, left, limit_bytes)
    is_told = bool(summary.purpose or content) if rank <= TOLD_RANKS else content and not content[0].startswith(_ALSO)
    digest = _told_digest(summary) if is_told and summary is not UNREAD else keys.POINTER
    return SentChange("\n".join((*lines, *content)), digest)


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


def context_item(file: ContextFile, rank: int, told: SentChange) -> PackItem:
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


# Where a context pack ends before its budget does: what is not relevant enough is not told. Pure.


LEAST_LINK = 0.3
"""What a link to a file that the prompt names has to count for, as a part of the score."""

LEAST_TERMS, LEAST_WORD_SHARE = 2, 0.5
"""What speaks for a file without a link: words in common, and how well they fit, of the file they fit best."""

_NAMING = frozenset(("namedPath", "mentioned"))


def above_floor(found: Sequence[Ranked]) -> list[Ranked]:
    """Leaves out what is told elsewhere, and, where a prompt names files, what has little to do with them or its words.

    The anchor tells the rules of instruction files, or the host sends them.
    """
    named = {one.path for one in found if not _NAMING.isdisjoint(one.parts)}
    others = (one for one in found if one.path in named or one.path.rpartition("/")[2] not in AGENT_FILES)
    return [one for one in others if not named or one.path in named or _stands_by(one, named)]


def _stands_by(ranked: Ranked, named: Collection[str]) -> bool:
    linked = any(seed in named and ranked.parts.get(kind, 0.0) >= LEAST_LINK for kind, seed in ranked.near)
    return linked or (len(ranked.matched) >= LEAST_TERMS and word_share(ranked) >= LEAST_WORD_SHARE)


# The lines that matter of the best files, as they were found last: after an edit those of the others are the same.


QUOTED_BYTES = 64 * 1024
"""Passages kept for one workspace."""


class Quoted:
    """Passages by file, content and terms. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(QUOTED_BYTES)

    def added(
        self, repository: Repository, files: Sequence[ContextFile], terms: Sequence[str]
    ) -> Iterator[ContextFile]:
        """Gives the files with the lines that hold most of the terms, as far as the worktree has their contents."""
        keys = {file.ranked.path: (file.ranked.path, file.content, *(file.ranked.matched or terms)) for file in files}
        unknown = {file.ranked.path: file.content for file in files if self._known.get(keys[file.ranked.path]) is None}
        texts = repository.present_texts(unknown) if unknown else {}
        for file in files:
            path = file.ranked.path
            if path in texts:
                found = passage_of(texts[path], file.summary, keys[path][2:])
                self._known.put(keys[path], found, 100 + sum(len(line) for _, line in found))
            known = self._known.get(keys[path])
            yield file._replace(passage=known) if isinstance(known, tuple) else file


# The context's texts as they were rendered last: a file that is told as before is not rendered again.


RENDERED_BYTES = 512 * 1024
"""Texts kept for one workspace."""


class Rendered:
    """Texts by everything they are made of. Thread-safe."""

    def __init__(self) -> None:
        self._known = Lru(RENDERED_BYTES)
        self._last: tuple[Sequence[ContextFile], tuple[str, Appetite, int] | None, list[PackItem]] = ((), None, [])

    def items(
        self, files: Sequence[ContextFile], query: str, appetite: Appetite, sendable_bytes: int
    ) -> list[PackItem]:
        """Renders the files, the most relevant first; the very same files as before without looking at them."""
        last_files, last_asked, last_items = self._last
        asked = (query, appetite, sendable_bytes)
        if last_asked == asked and _are_same(files, last_files):
            return last_items
        terms = frozenset(query_terms(query))
        items = [
            context_item(file, rank, self._told(file, rank, terms, appetite.most_bytes(rank, sendable_bytes)))
            for rank, file in enumerate(files, 1)
        ]
        self._last = (tuple(files), asked, items)
        return items

    def _told(self, file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> SentChange:
        key = (_identity(file), rank, terms, limit_bytes)
        known = self._known.get(key)
        if isinstance(known, SentChange):
            return known
        made = told(file, rank, terms, limit_bytes)
        self._known.put(key, made, len(made.text) + sum(map(len, terms)))
        return made


def _identity(file: ContextFile) -> Hashable:
    """What a summary says follows from its file's path and content, and from how far the file could be analysed."""
    summary = file.summary
    analysed = summary.analysis, summary.purpose, len(summary.definitions)
    return file.ranked.path, file.content, file.why, file.passage, analysed


def _are_same(files: Sequence[ContextFile], others: Sequence[ContextFile]) -> bool:
    return len(files) == len(others) and all(map(is_, files, others))
