"""The regions of the best files that a prompt is about: contents are read and split once, and cached by content id.

What a conversation was already shown by a search is one line, the rest is packed into a budget.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import NamedTuple, Protocol

from sidecar.codebase.file_exclusions import is_example
from sidecar.codebase.files import is_document, is_test
from sidecar.codebase.search.prompt_parts import PromptEvidence
from sidecar.codebase.search.query import DOCUMENT_WORDS
from sidecar.codebase.search.ranking import NAMED_PARTS, RankedFile
from sidecar.codebase.search.region_ranking import (
    CandidateFile,
    IndexedRegion,
    RankedRegion,
    WordMatches,
    index_regions,
    match_words,
    rank_regions,
)
from sidecar.codebase.summary.model import Summary
from sidecar.codebase.summary.pattern_languages import is_notebook, notebook_text
from sidecar.codebase.summary.summarize import summarize
from sidecar.core.clean_text import line_of_code
from sidecar.core.digests import digest_bytes
from sidecar.core.lru_cache import LruCache
from sidecar.core.redact import lowercase_in_place, redact_lines
from sidecar.core.terms import count_terms

CACHE_BYTES = 24 * 2**20
SIZE_FACTOR = 12
"""Memory of a split file as a multiple of its text."""

MATCH_BYTES = 200
"""Memory of one region's match."""

LINE_CHARACTERS = 240
MAX_MINIFIED_CHARACTERS = 2**16
"""Characters of a minified file from which lines are shown if the prompt names it."""
FOUND_BYTES, REGION_BYTES, LINE_BYTES = 4 * 2**20, 800, 140
"""Size of the cache of regions with their lines; memory of one region, and of one of its lines besides its text."""

MAX_SEARCHED_CHARACTERS = 16 * 2**20
BLOCK_LINES, MAX_BLOCKS, MAX_HITS = 12, 8, 2_000
"""A file too large to be analysed is searched in blocks of lines; of a frequent term only the first hits count."""

MARGIN_LINES = 110
"""Number of lines around a block that are read with it: for the definition it is in, and for secrets of many lines."""

WEIGHT_DIGITS = 1
"""Term weights are rounded, so that an edit elsewhere leaves cached matches valid."""

DOCUMENT_SHARE = 0.5
"""Share that the weight of documents has for a prompt that asks for documents."""

ReadTexts = Callable[[dict[str, str]], Mapping[str, str]]
"""Path → content id to path → text; a file that cannot be read now is left out."""


class RegionQuery(NamedTuple):
    """A prompt's evidence and the weights of its terms, with which regions are compared."""

    evidence: PromptEvidence
    weights: Mapping[str, float]
    words: Mapping[str, str] = {}
    """The prompt's own words by term, for files that are too large to be analysed."""


class SearchedFile(NamedTuple):
    """A ranked file with its content id and summary."""

    ranked: RankedFile
    content: str
    summary: Summary
    has_all_regions: bool = False
    """Whether each of its regions is a candidate, rather than the best ones."""


class NumberedRegion(Protocol):
    """A region as it is shown."""

    @property
    def lines(self) -> Sequence[tuple[int, str]]:
        """Line numbers, counted from 1, and lines."""

    @property
    def goes_on(self) -> bool:
        """Whether its statement continues below it."""


class FoundRegion(NamedTuple):
    """A ranked region with its lines."""

    ranked: RankedRegion
    lines: tuple[tuple[int, str], ...]
    """Line numbers, counted from 1, and lines."""
    digest: str
    """Identifies its content, wherever in the file it is."""

    @property
    def memory(self) -> int:
        """Number of bytes in memory."""
        return REGION_BYTES + sum(LINE_BYTES + len(text) for _, text in self.lines)

    @property
    def goes_on(self) -> bool:
        """Whether its statement continues below it."""
        return self.ranked.region.goes_on


class _SplitFile(NamedTuple):
    lines: dict[int, str] | tuple[str, ...]
    """By number, counted from 0; of a large file some."""
    regions: tuple[IndexedRegion, ...]
    version: int | None = None
    """The query that a large file was split for."""
    weights: Mapping[str, float] = {}
    """The weights of that query's terms in a large file."""
    is_outline: bool = False
    """Whether it was split by line patterns, for the time until its summary exists."""

    @property
    def characters(self) -> int:
        """Number of characters in memory."""
        return sum(map(len, self.lines.values() if isinstance(self.lines, dict) else self.lines))


def is_named_file(ranked: RankedFile) -> bool:
    """Whether the prompt names or mentions a file."""
    return not NAMED_PARTS.isdisjoint(ranked.parts)


def candidate_file(
    ranked: RankedFile,
    regions: Sequence[IndexedRegion],
    matches: WordMatches,
    evidence: PromptEvidence,
    *,
    names_test: bool = False,
    has_all_regions: bool = False,
) -> CandidateFile:
    """Return a ranked file as a candidate; tests, examples and documents count less, unless the prompt asks for them.

    A prompt that names one test by path does not ask for others.
    """
    is_named = is_named_file(ranked)
    wants_tests = not names_test and evidence.wants_tests
    wants_documents = not DOCUMENT_WORDS.isdisjoint(evidence.title)
    is_aside = (is_test(ranked.path) and not wants_tests) or (is_example(ranked.path) and not evidence.wants_examples)
    return CandidateFile(
        ranked.path,
        ranked.score,
        is_aside and not is_named,
        regions,
        matches,
        (DOCUMENT_SHARE if wants_documents else 1.0) if is_document(ranked.path) and not is_named else 0.0,
        ranked.parts.get("path", 0.0),
        wants_tests or is_named,
        has_all_regions,
    )


class RegionSearch:
    """Ranks regions. Thread-safe."""

    def __init__(self) -> None:
        self._split: LruCache[tuple[str, str], _SplitFile] = LruCache(CACHE_BYTES)
        self._found: LruCache[tuple[str, str, int], FoundRegion] = LruCache(FOUND_BYTES)
        self._terms: LruCache[str, dict[str, int]] = LruCache(CACHE_BYTES // 4)
        """By a region's text: most regions of an edited file are the same as before."""
        self._matches: LruCache[tuple[str, str, int], WordMatches] = LruCache(CACHE_BYTES // 8)

    def rank(self, query: RegionQuery, files: Sequence[SearchedFile], read_texts: ReadTexts) -> list[RankedRegion]:
        """Rank the regions of files, which come best first; a file that cannot be read has none."""
        weights = {term: round(weight, WEIGHT_DIGITS) for term, weight in query.weights.items()}
        version = hash((tuple(weights.items()), query.evidence.title))
        split = self._split_files(files, read_texts, query)
        names_test = any(is_named_file(file.ranked) and is_test(file.ranked.path) for file in files)
        candidates = [
            candidate_file(
                file.ranked,
                split[file.ranked.path].regions,
                self._match(file, split[file.ranked.path], version, weights, query.evidence.title),
                query.evidence,
                names_test=names_test,
                has_all_regions=file.has_all_regions,
            )
            for file in files
            if file.ranked.path in split
        ]
        return rank_regions(candidates, query.evidence, math.fsum(weights.values()))

    def with_lines(self, region: RankedRegion, content: str) -> FoundRegion | None:
        """Return a ranked region with its lines; None if the file is no longer cached."""
        key = (region.path, content, region.region.first)
        found = self._found.get(key)
        if found is not None and found.ranked.region == region.region:
            return found._replace(ranked=region)
        split = self._split.get((region.path, content))
        if split is None:
            return None
        if isinstance(split.lines, dict) and not split.lines.keys() >= {number - 1 for number in region.region.numbers}:
            return None  # it has been split for another query meanwhile
        found = _with_lines(region, split.lines)
        self._found.put(key, found, found.memory)
        return found

    def _count_terms(self, text: str) -> dict[str, int]:
        counts = self._terms.get(text)
        if counts is None:
            counts = count_terms(text)
            self._terms.put(text, counts, SIZE_FACTOR * len(text))
        return counts

    def _split_files(
        self, files: Sequence[SearchedFile], read_texts: ReadTexts, query: RegionQuery
    ) -> dict[str, _SplitFile]:
        version = hash((tuple(query.words), query.evidence.frames))
        split: dict[str, _SplitFile | None] = {}
        for file in files:
            known = self._split.get((file.ranked.path, file.content))
            is_usable = known is not None and known.version in (None, version)
            if known is not None and known.is_outline and file.summary.analysis != "outline":
                is_usable = False
            split[file.ranked.path] = known if is_usable else None
        unknown = {file.ranked.path: file for file in files if split[file.ranked.path] is None}
        texts = read_texts({path: file.content for path, file in unknown.items()}) if unknown else {}
        for path, text in texts.items():
            searched = unknown[path]
            shown = notebook_text(text) if is_notebook(path) else text
            is_minified = searched.summary.analysis == "minified"
            if is_minified:
                shown = shown[:MAX_MINIFIED_CHARACTERS]
            if searched.summary.analysis == "large":
                part = _split_large(path, shown, query)._replace(version=version)
            else:
                masked = shown if searched.summary.is_clean else redact_lines(shown)
                lines = masked.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
                if is_minified:  # a region has the size of what is shown
                    lines = [line[: LINE_CHARACTERS + 1] for line in lines]
                regions = index_regions(lines, searched.summary, self._count_terms)
                part = _SplitFile(tuple(lines), regions, is_outline=searched.summary.analysis == "outline")
            self._split.put((path, searched.content), part, 500 + SIZE_FACTOR * part.characters)
            split[path] = part
        return {path: known for path, known in split.items() if known is not None}

    def _match(
        self, file: SearchedFile, split: _SplitFile, version: int, weights: Mapping[str, float], title: Sequence[str]
    ) -> WordMatches:
        is_own = split.version is None and not split.is_outline
        split_version = version if is_own else hash((version, split.version, split.is_outline))
        key = (file.ranked.path, file.content, split_version)
        matches = self._matches.get(key)
        if matches is None:
            matches = match_words(split.regions, split.weights or weights, title)
            self._matches.put(key, matches, MATCH_BYTES * (1 + len(matches.regions)))
        return matches


def _split_large(path: str, text: str, query: RegionQuery) -> _SplitFile:
    """Split only the parts of a file that contain the prompt's places, or the rarest of its words."""
    lines: dict[int, str] = {}
    regions: list[IndexedRegion] = []
    if len(text) > MAX_SEARCHED_CHARACTERS:
        return _SplitFile(lines, ())
    every = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    hits = _hits(every, query.words)
    scores: defaultdict[int, float] = defaultdict(float)
    for frame in query.evidence.frames:
        if frame.lies_in(path) and 0 < frame.line <= len(every):
            scores[(frame.line - 1) // BLOCK_LINES] = math.inf
    largest = max(query.weights.values(), default=1.0)
    weights = {term: largest / math.sqrt(len(found)) for term, found in hits.items()}
    for term, found in hits.items():
        for block in found:
            scores[block] += weights[term]
    blocks = frozenset(sorted(scores, key=lambda block: (-scores[block], block))[:MAX_BLOCKS])
    for first, last in _spans(blocks, len(every)):
        part = redact_lines("\n".join(every[first:last])).split("\n")
        for indexed in index_regions(part, summarize(path, "\n".join(part).encode("utf-8", "surrogatepass"))):
            region = indexed.region
            moved = region._replace(
                first=region.first + first,
                last=region.last + first,
                head=region.head and region.head + first,
                head_last=region.head_last and region.head_last + first,
                encloser_last=region.encloser_last and region.encloser_last + first,
                gap=(region.gap[0] + first, region.gap[1] + first) if region.gap[0] else region.gap,
            )
            if any(number // BLOCK_LINES in blocks for number in range(moved.first - 1, moved.last)):
                regions.append(indexed.moved(moved))
        lines.update(enumerate(part, first))
    return _SplitFile(lines, tuple(regions), weights=weights)


def _spans(blocks: Iterable[int], count: int) -> list[tuple[int, int]]:
    """Return the lines around blocks, counted from 0, without the one after the last; those that meet are joined."""
    spans: list[tuple[int, int]] = []
    for block in sorted(blocks):
        first = max(0, block * BLOCK_LINES - MARGIN_LINES)
        last = min(count, (block + 1) * BLOCK_LINES + MARGIN_LINES)
        if spans and first <= spans[-1][1]:
            first = spans.pop()[0]
        spans.append((first, last))
    return spans


def _hits(lines: Sequence[str], words: Mapping[str, str]) -> dict[str, set[int]]:
    """Return for each term the numbers of the blocks of lines that contain its word, if there are any."""
    text = lowercase_in_place("\n".join(lines))
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    hits: defaultdict[str, set[int]] = defaultdict(set)
    for term, word in words.items():
        folded = lowercase_in_place(word)
        offset, count = text.find(folded), 0
        while offset >= 0 and count < MAX_HITS:
            hits[term].add((bisect_right(starts, offset) - 1) // BLOCK_LINES)
            offset, count = text.find(folded, offset + 1), count + 1
    return hits


GAP = "…"


def numbered_lines(shown: Iterable[NumberedRegion]) -> list[str]:
    """Return the lines of a file's regions with their numbers, and a mark where some are left out.

    The last region of a file has one too if its statement continues.
    """
    regions = list(shown)
    lines: list[str] = []
    previous = 0
    for number, text in sorted({number: text for region in regions for number, text in region.lines}.items()):
        if previous and number > previous + 1:
            lines.append(GAP)
        lines.append(f"{number}| {text}")
        previous = number
    if any(region.goes_on and region.lines[-1][0] == previous for region in regions):
        lines.append(GAP)
    return lines


def _with_lines(region: RankedRegion, lines: dict[int, str] | tuple[str, ...]) -> FoundRegion:
    """Return a region with its lines, and the signature that a later window of a definition belongs to."""
    numbers = region.region.numbers
    texts = [_clean_line(lines[number - 1]) for number in numbers]
    digest = digest_bytes("\n".join(texts).encode("utf-8", "surrogatepass"))[:8]
    shown = list(zip(numbers, texts, strict=True))
    head, signature = region.region.head, []
    if head and head < region.region.first:
        signature = [(number, _clean_line(lines[number - 1])) for number in range(head, region.region.head_last + 1)]
    return FoundRegion(region, (*signature, *shown), digest)


@lru_cache(maxsize=2_048)
def _clean_line(line: str) -> str:
    """Return a line as it is shown; most lines of an edited file are the same as before."""
    return line_of_code(line, LINE_CHARACTERS)


SHOWN_SESSIONS = 64

Shown = Mapping[tuple[str, str], tuple[str, ...]]
"""By path and digest of a region, the line numbers with which it was shown."""


class ShownRegions:
    """The regions that conversations received from searches, in memory. Thread-safe."""

    def __init__(self) -> None:
        self._by_session: LruCache[str, Shown] = LruCache(SHOWN_SESSIONS)

    def of(self, session_id: str) -> Shown:
        """Return the regions that a conversation received."""
        return self._by_session.get(session_id) or {}

    def add(self, session_id: str, packed: "PackedRegions") -> None:
        """Record the regions that a conversation receives with their lines."""
        shown = dict(self.of(session_id))
        for entry in packed.entries:
            for window in () if entry.is_repeated else entry.windows:
                key = (window.ranked.path, window.digest)
                shown[key] = tuple(dict.fromkeys((*shown.get(key, ()), line_span(entry.region))))
        self._by_session.put(session_id, shown, 1)

    def forget(self, session_id: str | None) -> None:
        """Forget a conversation that lost its context; without an id, all of them."""
        if session_id is None:
            self._by_session.clear()
        else:
            self._by_session.put(session_id, {}, 1)


class PackedRegion(NamedTuple):
    """A region as it is returned, with the windows of one definition joined."""

    region: FoundRegion
    """The most valuable window, with the lines of all."""
    windows: tuple[FoundRegion, ...]
    text: str
    is_repeated: bool


class PackedRegions(NamedTuple):
    """Regions within a token budget, and the number of those that are over it."""

    entries: list[PackedRegion]
    omitted: int


WeighRegion = Callable[[FoundRegion, str], float]
"""Returns the tokens that a region with its text takes."""


def pack_regions(
    found: Sequence[FoundRegion], budget_tokens: float, weigh: WeighRegion, shown: Shown | None = None
) -> PackedRegions:
    """Choose regions in their order while they fit, and join the windows of a definition.

    What was shown before is one line. Its text counts all the same: else the same query again would return worse
    regions in the place of the known ones.
    """
    entries: dict[tuple[str, int, bool], PackedRegion] = {}
    weights = defaultdict[tuple[str, int, bool], float](float)
    known, left, order, omitted = shown or {}, budget_tokens, dict[str, int](), 0
    for found_region in found:
        path, region = found_region.ranked.path, found_region.ranked.region
        key = (path, region.head or region.first, (path, found_region.digest) in known)
        windows = (*(entries[key].windows if key in entries else ()), found_region)
        entry = PackedRegion(_with_lines_of(windows), windows, "\n".join(numbered_lines(windows)), key[2])
        weight = weigh(entry.region, entry.text)
        if weight - weights[key] > left:
            omitted += 1
            continue
        left -= weight - weights[key]
        entries[key], weights[key] = entry, weight
        order.setdefault(path, len(order))
    packed = [_as_one_line(entry, known) if entry.is_repeated else entry for entry in entries.values()]
    packed.sort(key=lambda entry: (order[entry.region.ranked.path], entry.region.lines[0][0]))
    return PackedRegions(packed, omitted)


def _as_one_line(entry: PackedRegion, shown: Shown) -> PackedRegion:
    """Return a region that was shown before with the line that says so in place of its text."""
    spans = [span for window in entry.windows for span in shown[window.ranked.path, window.digest]]
    return entry._replace(text=repeated_line(entry.region, spans))


def _with_lines_of(windows: Sequence[FoundRegion]) -> FoundRegion:
    """Return the first of some windows of a definition with the lines of all."""
    return windows[0]._replace(lines=tuple(sorted({line for window in windows for line in window.lines})))


def has_name(region: FoundRegion, name: str) -> bool:
    """Whether a region contains a name, given by its term, or code that the definition of the name uses."""
    return "calledByNamed" in region.ranked.parts or name in count_terms("\n".join(text for _, text in region.lines))


def line_span(region: NumberedRegion) -> str:
    """Return the numbers of a region's lines, such as `12-40`, or `12,20-40` with a gap."""
    spans = []
    for _, run in groupby(enumerate(number for number, _ in region.lines), key=lambda at: at[1] - at[0]):
        numbers = [number for _, number in run]
        spans.append(f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0]))
    return ",".join(spans)


def repeated_line(region: FoundRegion, spans: Sequence[str]) -> str:
    """Return the line for a region that was shown before, with the numbers it had there if its lines moved."""
    span = line_span(region)
    above = "shown above" if span in spans else f"shown above as {spans[-1]}"
    return f"{region.ranked.path}:{span} ({above})"
