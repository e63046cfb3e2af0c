"""The context pack: per file its path, the reasons, and the definitions and lines that match the prompt.

Also the relevance cutoff, and caches of passages and rendered files.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import NamedTuple

from sidecar.codebase import (
    Definition,
    RankedFile,
    Repository,
    Summary,
    chunk_lines,
    count_terms,
    query_terms,
    text_match,
)
from sidecar.core.digests import digest_bytes
from sidecar.core.ides import AGENT_FILES
from sidecar.core.lru_cache import LruCache
from sidecar.core.redact import may_span_lines, redact_lines
from sidecar.core.text import line_of_code, one_line, size
from sidecar.packs.items import DetailLimits, PackItem, Priority
from sidecar.runs import keys

NAME_WEIGHT, LINES_WEIGHT = 3.0, 1.5
"""Weight of a word in a definition's name, and of all words in its lines, relative to one in its signature."""

MIN_MATCH = 1.0
"""A definition with a weaker match is shown by name alone."""


def definition_match(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Return how well a definition matches the prompt's terms: by its name, its signature, and its lines."""
    named = terms & terms_in(f"{definition.name} {definition.container}")
    in_signature = terms & terms_in(definition.signature)
    return NAME_WEIGHT * len(named) + len(in_signature - named) + LINES_WEIGHT * _coverage(definition, summary, terms)


@lru_cache(maxsize=4_096)
def terms_in(text: str) -> frozenset[str]:
    """The terms of a name or signature; after an edit nearly all are the same as in the previous call."""
    return frozenset(count_terms(text))


def _coverage(definition: Definition, summary: Summary, terms: frozenset[str]) -> float:
    """Share of the prompt's terms that occur in the chunks of a definition."""
    if not terms or not summary.chunks:
        return 0.0
    step = chunk_lines(summary.lines)
    first, last = (definition.line - 1) // step, (max(definition.line, definition.end_line) - 1) // step
    chunk_terms = set[str]().union(*summary.chunks[first : last + 1])
    return len(chunk_terms & terms) / len(terms)


PASSAGE_LINES = 4
MAX_LINES = 120
"""Maximum number of lines that are searched."""

PASSAGE_CHARACTERS = 100
MIN_TERMS = 2
"""Lines with fewer of a prompt's terms add nothing to the file's path and names."""

Passage = tuple[tuple[int, str], ...]
"""Line numbers, counted from 1, and lines."""


def passage_of(text: str, summary: Summary, terms: Sequence[str]) -> Passage:
    """Return the lines with most of the terms, which come rarest first; empty where no lines contain several.

    The lines come from the definition that matches best, else from the part of the file with most matches.
    """
    weights = {term: 1 / (2 + at) for at, term in enumerate(terms)}
    if not summary.chunks or len(weights) < MIN_TERMS:
        return ()
    first, end = _inside_definition(summary, frozenset(weights)) or _inside_chunk(summary, weights)
    if may_span_lines(text):
        text = redact_lines(text)  # a single line of a key cannot be recognized
    lines = [line.rstrip("\r") for line in text.split("\n")[first : min(end, first + MAX_LINES)]]
    start, term_count = _densest([weights.keys() & _terms(line, weights) for line in lines], weights)
    if term_count < MIN_TERMS:
        return ()
    return tuple(
        (first + number + 1, shown)
        for number in range(start, min(start + PASSAGE_LINES, len(lines)))
        if (shown := line_of_code(lines[number], PASSAGE_CHARACTERS)).strip()
    )


def _inside_definition(summary: Summary, terms: frozenset[str]) -> tuple[int, int] | None:
    """The lines of the definition whose name the terms match, if there is one; from 0, end exclusive."""
    ranked = (
        (-definition_match(definition, summary, terms), definition.line, definition.end_line)
        for definition in summary.definitions
        if definition.end_line > definition.line and definition.end_line - definition.line <= MAX_LINES
    )
    best, line, end_line = min(ranked, default=(0.0, 0, 0))
    return (line - 1, end_line) if -best >= 2 * NAME_WEIGHT else None


def _inside_chunk(summary: Summary, weights: Mapping[str, float]) -> tuple[int, int]:
    weights_by_chunk = [sum(weights.get(term, 0.0) for term in chunk) for chunk in summary.chunks]
    step = chunk_lines(summary.lines)
    first = weights_by_chunk.index(max(weights_by_chunk)) * step
    return first, first + step


def _terms(line: str, weights: Collection[str]) -> Collection[str]:
    """A line's terms; most lines contain no prefix of any term and need no parsing."""
    folded = line.casefold()
    return count_terms(line) if any(term[:4] in folded for term in weights) else ()


def _densest(terms_by_line: Sequence[Collection[str]], weights: Mapping[str, float]) -> tuple[int, int]:
    """Return where the best run of lines begins, at a line with a term, and how many terms it contains."""
    best, start, term_count = 0.0, 0, 0
    for number, line_terms in enumerate(terms_by_line):
        if line_terms:
            inside = set(line_terms).union(*terms_by_line[number : number + PASSAGE_LINES])
            score = sum(weights[term] for term in sorted(inside))
            if score > best:
                best, start, term_count = score, number, len(inside)
    return start, term_count


FULL_FILES = 6
"""Files up to this rank show purpose and reasons; the others show one of them, on one line."""

BRIEF_CHARACTERS = 50
_MATCHES_PREFIX = "matches "
_ALSO_PREFIX = "  also: "
"""Prefix of names without signatures; alone they say no more than that the file exists."""
TOP_RANKS = 6
"""Files up to this rank are top context, the others further context."""

SIGNATURE_CHARACTERS = 140

NAMES_BYTES, MORE_BYTES = 120, 14
"""Bytes reserved for the names of the other definitions, and for their number."""

PASSAGE_FILES, PASSAGE_SHARE = 3, 0.6
"""Files up to this rank show a passage, within this share of their bytes."""

MAX_INVARIANTS = 2
INVARIANT_RANKS = 3
INVARIANT_CHARACTERS = 140

DIGEST_CHARACTERS = 16

REASON_SCORE = 0.3
"""Minimum value of a score's part that counts as a reason."""

_LINKS = {
    "changedTogether": "changes with",
    "changedWithTouched": "changes with",
    "imports": "imported by",
    "testPair": "test or subject of",
    "testPairTouched": "test or subject of",
}

UNREAD = Summary("", 0, 0, "", (), ())
"""Stands for the summary of a file that was not read yet."""


class ContextFile(NamedTuple):
    """A chosen file with its content id, summary, reasons, and passage if it is one of the best."""

    ranked: RankedFile
    content: str
    summary: Summary
    why: str
    passage: Passage = ()


class RenderedFile(NamedTuple):
    """A rendered file, and the digest of what a session knows after receiving it; a pointer shows no content."""

    text: str
    digest: str


def render_file(file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> RenderedFile:
    """Render one file: purpose, reasons, the definitions that match the terms, and the passage."""
    summary = file.summary
    lines = _full_lines(file, rank) if rank <= FULL_FILES else [_brief_line(file)]
    left = limit_bytes - sum(size(line) + 1 for line in lines)
    content = _content_lines(file, rank, terms, left, limit_bytes)
    has_details = (
        bool(summary.purpose or content) if rank <= FULL_FILES else content and not content[0].startswith(_ALSO_PREFIX)
    )
    digest = _rendered_digest(summary) if has_details and summary is not UNREAD else keys.POINTER
    return RenderedFile("\n".join((*lines, *content)), digest)


def _full_lines(file: ContextFile, rank: int) -> list[str]:
    """Path, language, purpose and reasons."""
    summary = file.summary
    about = f" ({summary.language}, {summary.lines} lines)" if summary is not UNREAD else ""
    purpose = f" — {one_line(summary.purpose, _purpose_limit(rank))}" if summary.purpose else ""
    return [f"{one_line(file.ranked.path, 300)}{about}{purpose}", f"  why: {one_line(file.why, 160)}"]


def _brief_line(file: ContextFile) -> str:
    """The file's own purpose, or the reason: each of these many files is unlikely to matter, but one probably does."""
    first, *others = file.why.split("; ")
    why = f"{first}; {others[0]}" if others and len(first) + len(others[0]) < BRIEF_CHARACTERS else first
    if first.startswith(_MATCHES_PREFIX):
        why = file.summary.stated_purpose or why
    return f"{one_line(file.ranked.path, 300)} — {one_line(why, BRIEF_CHARACTERS)}"


def context_item(file: ContextFile, rank: int, rendered: RenderedFile) -> PackItem:
    """Return the item of a rendered file."""
    return PackItem(
        key=keys.context_key(file.ranked.path),
        kind="context",
        priority=Priority.TOP_CONTEXT if rank <= TOP_RANKS else Priority.FURTHER_CONTEXT,
        text=rendered.text,
        digest=rendered.digest,
        why=file.why,
        score=file.ranked.parts,
        content=keys.content_digest(file.content),
    )


def reasons_for(ranked: RankedFile, words: Mapping[str, str], *, mentioned: bool, changed: bool) -> str:
    """Return in a few words why a file was chosen; `words` are the request's own, by term."""
    reasons = []
    if mentioned:
        reasons.append("mentioned")
    elif "namedPath" in ranked.parts:
        reasons.append("named in the request")
    if "identifiers" in ranked.parts:
        reasons.append("defines a name from the request")
    if ranked.matched:
        matched = dict.fromkeys(words.get(term, term) for term in ranked.matched)
        reasons.append(_MATCHES_PREFIX + ", ".join(list(matched)[:6]))
    reasons.extend(_link_reason(ranked))
    if ranked.parts.get("commits", 0.0) >= REASON_SCORE:
        reasons.append("changed by past commits on these words")
    if changed:
        reasons.append("changed")
    return "; ".join(reasons) or "near the request"


def with_terms(summary: Summary, terms: Collection[str]) -> Summary:
    """Reduce a summary's terms to the given ones: enough to choose its definitions, and small."""
    return summary._replace(
        chunks=tuple({term: chunk[term] for term in terms if term in chunk} for chunk in summary.chunks)
    )


def shows_content(item: PackItem) -> bool:
    """Whether a file's item shows more than that the file exists."""
    return item.kind == "context" and item.digest != keys.POINTER


def _link_reason(ranked: RankedFile) -> list[str]:
    """The strongest link to another file, if it is strong enough."""
    links = [(ranked.parts.get(kind, 0.0), kind, seed) for kind, seed in ranked.related if kind in _LINKS]
    value, kind, seed = max(links, default=(0.0, "", ""))
    return [f"{_LINKS[kind]} {seed}"] if value >= REASON_SCORE else []


def _purpose_limit(rank: int) -> int:
    return 160 if rank <= 2 else 80


def _rendered_digest(summary: Summary) -> str:
    """Identifies what can be shown of a file; an edit that only moves its lines is sent as a difference instead."""
    defined = (
        part
        for definition in summary.definitions
        for part in (definition.container, definition.name, definition.signature)
    )
    parts = (summary.purpose, *defined, *(invariant.text for invariant in summary.invariants))
    return digest_bytes("\0".join(parts).encode("utf-8", "surrogatepass"))[:DIGEST_CHARACTERS]


def _content_lines(file: ContextFile, rank: int, terms: frozenset[str], left: int, limit_bytes: int) -> list[str]:
    """Matching signatures, invariants stated there, the passage, and further names."""
    passage = _passage_lines(file) if rank <= PASSAGE_FILES else []
    reserved = sum(size(line) + 1 for line in passage)
    if reserved > min(left, PASSAGE_SHARE * limit_bytes):
        passage, reserved = [], 0
    by_match = sorted(
        ((definition_match(definition, file.summary, terms), definition) for definition in file.summary.definitions),
        key=lambda pair: (-pair[0], not pair[1].public, pair[1].line),
    )
    shown = _shown(by_match, left - reserved)
    quoted_lines = {number for number, _ in file.passage} if passage else set()
    lines = [_signature_line(definition) for definition in sorted(shown) if definition.line not in quoted_lines]
    left -= reserved + sum(size(line) + 1 for line in lines)
    for line in _invariant_lines(file.summary, shown, terms) if rank <= INVARIANT_RANKS else ():
        if size(line) + 1 <= left - NAMES_BYTES:
            lines.append(line)
            left -= size(line) + 1
    lines += passage
    names = _names_line([definition for _, definition in by_match if definition not in shown], left)
    return [*lines, names] if names else lines


def _shown(by_match: Sequence[tuple[float, Definition]], left: int) -> list[Definition]:
    """The definitions that are shown with their signatures."""
    shown: list[Definition] = []
    signatures: set[tuple[str, str]] = set()
    for match, definition in by_match:
        if (definition.container, definition.signature) in signatures:
            continue  # a change log's tenth heading with the same words
        signatures.add((definition.container, definition.signature))
        cost = size(_signature_line(definition)) + 1
        if match < MIN_MATCH or cost > left - NAMES_BYTES * (len(by_match) > len(shown) + 1):
            break
        shown.append(definition)
        left -= cost
    return shown


def _invariant_lines(summary: Summary, shown: Sequence[Definition], terms: frozenset[str]) -> list[str]:
    """Invariants the file states: first those inside a shown definition, then those that match the prompt."""
    inside = [
        invariant
        for invariant in summary.invariants
        if any(definition.line <= invariant.line <= definition.end_line for definition in shown)
    ]
    by_words = [invariant for invariant in summary.invariants if len(terms & terms_in(invariant.text)) > 1]
    chosen = sorted(list(dict.fromkeys((*inside, *by_words)))[:MAX_INVARIANTS])
    return [f"  L{invariant.line} holds: {one_line(invariant.text, INVARIANT_CHARACTERS)}" for invariant in chosen]


def _passage_lines(file: ContextFile) -> list[str]:
    return [f"  {number}| {line}" for number, line in file.passage]


def _names_line(definitions: Sequence[Definition], left: int) -> str:
    """A line of names with line numbers, best match first, up to the byte limit."""
    line, start = "", _ALSO_PREFIX
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


MIN_LINK = 0.3
"""Minimum score of a link to a file that the prompt names."""

MIN_COMMON_TERMS, MIN_WORD_SHARE = 2, 0.5
"""Minimum for a file without a link: terms in common, and how well they fit compared with the best file."""

_NAMED_PARTS = frozenset(("namedPath", "mentioned"))


def above_cutoff(ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Drop files that are covered elsewhere, and, if the prompt names files, those with little relation to them.

    The anchor covers the rules of instruction files, or the host sends them.
    """
    named = {file.path for file in ranked if not _NAMED_PARTS.isdisjoint(file.parts)}
    others = (file for file in ranked if file.path in named or file.path.rpartition("/")[2] not in AGENT_FILES)
    return [file for file in others if not named or file.path in named or _is_related(file, named)]


def _is_related(ranked: RankedFile, named: Collection[str]) -> bool:
    linked = any(seed in named and ranked.parts.get(kind, 0.0) >= MIN_LINK for kind, seed in ranked.related)
    return linked or (len(ranked.matched) >= MIN_COMMON_TERMS and text_match(ranked) >= MIN_WORD_SHARE)


PASSAGE_CACHE_BYTES = 64 * 1024
"""Maximum bytes of passages per workspace."""


class PassageCache:
    """Cache of extracted passages by file, content and terms; unedited files keep theirs. Thread-safe."""

    def __init__(self) -> None:
        self._cache: LruCache[Hashable, object] = LruCache(PASSAGE_CACHE_BYTES)

    def with_passages(
        self, repository: Repository, files: Sequence[ContextFile], terms: Sequence[str]
    ) -> Iterator[ContextFile]:
        """Return the files with their passages, if the worktree has their contents."""
        cache_keys = {
            file.ranked.path: (file.ranked.path, file.content, *(file.ranked.matched or terms)) for file in files
        }
        unknown = {
            file.ranked.path: file.content for file in files if self._cache.get(cache_keys[file.ranked.path]) is None
        }
        texts = repository.worktree_texts(unknown) if unknown else {}
        for file in files:
            path = file.ranked.path
            if path in texts:
                passage = passage_of(texts[path], file.summary, cache_keys[path][2:])
                self._cache.put(cache_keys[path], passage, 100 + sum(len(line) for _, line in passage))
            cached = self._cache.get(cache_keys[path])
            yield file._replace(passage=cached) if isinstance(cached, tuple) else file


RENDER_CACHE_BYTES = 512 * 1024
"""Maximum bytes of rendered texts per workspace."""


class RenderCache:
    """Cache of rendered files and memories by everything they depend on. Thread-safe."""

    def __init__(self) -> None:
        self._cache: LruCache[Hashable, object] = LruCache(RENDER_CACHE_BYTES)
        self._last: tuple[Sequence[ContextFile], tuple[str, DetailLimits, int] | None, list[PackItem]] = ((), None, [])
        self._last_memories: tuple[Sequence[object], list[PackItem]] = ((), [])

    def items(
        self, files: Sequence[ContextFile], query: str, detail_limits: DetailLimits, sendable_bytes: int
    ) -> list[PackItem]:
        """Render the files, most relevant first; return the previous items if the very same files are given again."""
        last_files, last_inputs, last_items = self._last
        inputs = (query, detail_limits, sendable_bytes)
        if last_inputs == inputs and _are_same(files, last_files):
            return last_items
        terms = frozenset(query_terms(query))
        items = [
            context_item(file, rank, self._render(file, rank, terms, detail_limits.max_bytes(rank, sendable_bytes)))
            for rank, file in enumerate(files, 1)
        ]
        self._last = (tuple(files), inputs, items)
        return items

    def memory_items(self, arguments: Sequence[object], render: Callable[..., list[PackItem]]) -> list[PackItem]:
        """Render memories; return the previous items if the very same arguments are given again."""
        last_arguments, items = self._last_memories
        if not _are_same(arguments, last_arguments):
            items = render(*arguments)
            self._last_memories = (arguments, items)
        return items

    def _render(self, file: ContextFile, rank: int, terms: frozenset[str], limit_bytes: int) -> RenderedFile:
        key = (_identity(file), rank, terms, limit_bytes)
        cached = self._cache.get(key)
        if isinstance(cached, RenderedFile):
            return cached
        rendered = render_file(file, rank, terms, limit_bytes)
        self._cache.put(key, rendered, len(rendered.text) + sum(map(len, terms)))
        return rendered


def _identity(file: ContextFile) -> Hashable:
    """A summary follows from the file's path and content, and from how far the file could be analyzed."""
    summary = file.summary
    analyzed = summary.analysis, summary.purpose, len(summary.definitions)
    return file.ranked.path, file.content, file.why, file.passage, analyzed


def _are_same(values: Sequence[object], others: Sequence[object]) -> bool:
    return len(values) == len(others) and all(map(is_, values, others))
