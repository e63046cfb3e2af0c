"""Rank the regions of the best files, and choose those to show: a linear model whose parts are named. Pure."""

import math
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from operator import mul
from typing import NamedTuple

from sidecar.codebase.search.bm25 import K1
from sidecar.codebase.search.prompt_parts import Frame, PromptEvidence
from sidecar.codebase.search.regions import Region, split_regions
from sidecar.codebase.summary.model import Summary
from sidecar.codebase.summary.purpose import is_changelog
from sidecar.core.clean_text import utf8_size
from sidecar.core.terms import count_terms, query_terms, term_set

LENGTH_SHARE, AVERAGE_TERMS = 0.6, 100.0
"""BM25's `b` and average length for regions; a fixed average keeps the scores of unedited files valid."""

REGIONS_PER_FILE, FURTHER_REGIONS, BEST_FILES, ALL_REGIONS = 30, 6, 6, 400
"""Number of regions of the best files, and of the further ones, that match the words best. The others are candidates
only if the prompt points at them; of a file that a follow-up names all are, up to
`ALL_REGIONS`.
"""

TITLE_SHARE, NAME_SHARE = 0.6, 0.6
"""Weight of the title's words and of a name's words in that choice, relative to the text's."""

MAX_NAMESAKES = 3
"""Calls of a name with more definitions than this lead nowhere."""

NEAR_LINES = 20.0
"""Distance at which closeness to a file's best region counts half."""

NEWEST_LINES, MIN_COVERAGE = 20, 0.6
"""Lines of a changelog that are its newest entries, and the share of a prompt's words that lead to an older one."""

MAX_SEEDS, MAX_BEST = 6, 8
"""Number of named definitions, and of best ones, whose calls lead to others."""

PART_DIGITS = 4
SIZE_EXPONENT, SHORT_SIZE_EXPONENT = 0.6, 0.4
"""A region's bytes count with this power: a larger one has to be more likely. The second is for a short prompt."""

WEIGHTS: Mapping[str, float] = {
    "text": 2.24,  # BM25 of its words
    "title": 1.24,  # BM25 of the words that are in the prompt's first line
    "nameWords": 0.62,  # words of its name
    "titleName": 0.62,  # those of them that are in the prompt's first line
    "rankInFile": 0.26,  # logarithm of its rank in its file, by these words
    "coverage": 2.05,  # share of the prompt's words that it contains
    "named": 1.19,  # the prompt names the definition
    "chain": 1.07,  # the prompt names it with its container, as in `Cart.total`
    "callsNamed": 0.28,  # it uses a definition that the prompt names
    "calledByNamed": 0.54,  # such a definition uses it
    "callsBest": 2.0,  # it uses one of the best definitions, for a short prompt
    "calledByBest": 2.0,  # one of these uses it
    "frame": 1.18,  # a stack frame lies in it
    "fileRank": 0.58,  # logarithm of its file's rank
    "fileScore": 0.07,  # its file's score below the best file's
    "filePath": 0.44,  # match of the path's words, as its file's score has it
    "test": -5.31,  # a test or an example, and the prompt does not ask for them
    "document": -2.6,  # prose or data, and the prompt does not name the file; half if it asks for documents
    "near": 0.65,  # close to its file's best region
    "imports": 1.25,  # import statements
    "prose": -1.31,  # a long comment or docstring
    "window": 0.6,  # a later part of a long definition
    "declaration": -1.5,  # a function that is implemented elsewhere
}  # fmt: skip
"""Trained on 600 changes of 30 public repositories with long texts (tests/benchmarks/region_cases.jsonl): the commit's
message is the prompt, regions with changed lines are correct; listwise softmax regression, L2 1e-4. The weight of
documents is half of the trained one: in the data only source files are correct.

Set by hand: declarations, and calls of the best definitions and by them. With the first lines of 120 of these changes
as prompts these show 60 whole within 12 KiB instead of 57, with their beginnings 57 instead of 55; for whole texts they
are of no use.
"""

NEAR_FACTOR, SCORE_FACTOR = 1.5, 3.0
"""Factors of `near` and `fileScore` for a short prompt, whose words say less of a region than its file does."""

FEATURES = tuple(WEIGHTS)
_WEIGHTS = tuple(WEIGHTS.values())
_FEATURE_NUMBERS = {name: number for number, name in enumerate(FEATURES)}
_TEXT, _TITLE, _NAME_WORDS, _TITLE_NAME = (
    _FEATURE_NUMBERS[name] for name in ("text", "title", "nameWords", "titleName")
)
_NAMED, _CHAIN, _FRAME = (_FEATURE_NUMBERS[name] for name in ("named", "chain", "frame"))
_ASIDE, _DECLARATION = _FEATURE_NUMBERS["test"], _FEATURE_NUMBERS["declaration"]
_CALLS_NAMED, _CALLED_BY_NAMED = _FEATURE_NUMBERS["callsNamed"], _FEATURE_NUMBERS["calledByNamed"]
_CALLS_BEST, _CALLED_BY_BEST = _FEATURE_NUMBERS["callsBest"], _FEATURE_NUMBERS["calledByBest"]


class IndexedRegion:
    """A region with what is compared with a prompt. Its terms and size are counted when they are needed first."""

    __slots__ = ("_bytes", "_count", "_lines", "_terms", "container", "name", "name_terms", "region")

    def __init__(self, lines: Sequence[str], region: Region, count: "CountTerms") -> None:
        """`lines` are those of the file."""
        container, _, own = region.name.rpartition(".")
        self.region = region
        self.name_terms = term_set(region.name)
        self.name = name_term(own) if region.is_definition else ""
        """The term of its own name; empty for code between definitions."""
        self.container = name_term(container.rpartition(".")[2])
        """The term of the name around it."""
        self._lines, self._count = lines, count
        self._terms: tuple[Mapping[str, int], float] | None = None
        self._bytes = 0

    def moved(self, region: Region) -> "IndexedRegion":
        """Return the same region at other lines of a larger file; its size stays."""
        other = IndexedRegion(self._lines, self.region, self._count)
        other._terms, other._bytes, other.region = self._counted, self.bytes, region
        return other

    def has_any(self, parts: Sequence[str]) -> bool:
        """Whether a region may contain terms with these parts; False is certain."""
        if self._terms is not None:
            return True
        text = self._text
        if not text.isascii():
            return True
        folded = text.lower().replace("_", "")
        return any(part in folded for part in parts)

    @property
    def terms(self) -> Mapping[str, int]:
        """The number of each term."""
        return self._counted[0]

    @property
    def norm(self) -> float:
        """BM25's correction for its length."""
        return self._counted[1]

    @property
    def bytes(self) -> int:
        """Bytes of its lines with their numbers."""
        if not self._bytes:
            shown = [self._lines[number - 1].rstrip() for number in self.region.numbers]
            self._bytes = utf8_size("".join(shown)) + len(shown) * (len(str(self.region.last)) + 3) or 1
        return self._bytes

    @property
    def _text(self) -> str:
        return "\n".join(self._lines[self.region.first - 1 : self.region.last])

    @property
    def _counted(self) -> tuple[Mapping[str, int], float]:
        if self._terms is None:
            terms = self._count(self._text)
            norm = K1 * (1 - LENGTH_SHARE + LENGTH_SHARE * sum(terms.values()) / AVERAGE_TERMS)
            self._terms = (terms, norm)
        return self._terms


class WordMatch(NamedTuple):
    """Match of a region's words with a prompt's; not normalized."""

    text: float
    title: float
    names: float
    title_names: float
    coverage: float

    @property
    def rough(self) -> float:
        """A first estimate, to choose a file's candidates."""
        return self.text + TITLE_SHARE * self.title + NAME_SHARE * self.names


class WordMatches(NamedTuple):
    """Match of the words of a file's regions with a prompt's."""

    regions: tuple[WordMatch, ...]
    best_first: tuple[int, ...]
    """The numbers of the regions."""


class CandidateFile(NamedTuple):
    """A ranked file, its regions, and how their words match."""

    path: str
    score: float
    is_aside: bool
    """Whether it is a test or an example that the prompt does not ask for."""
    regions: Sequence[IndexedRegion]
    matches: WordMatches
    document: float = 0.0
    """1 for prose or data that the prompt does not ask for."""
    path_match: float = 0.0
    """Match of the path's words with the prompt."""
    wants_tests: bool = False
    has_all_regions: bool = False
    """Whether each of its regions is a candidate, rather than the best ones."""


class RankedRegion(NamedTuple):
    """A region with its score."""

    path: str
    region: Region
    score: float
    """Its log odds, the sum of its parts."""
    value: float
    """Its score for its size."""
    features: Sequence[float]
    """In the order of `FEATURES`."""
    bytes: int

    @property
    def parts(self) -> dict[str, float]:
        """The score's parts by name."""
        values = zip(FEATURES, _WEIGHTS, self.features, strict=True)
        return {name: round(weight * value, PART_DIGITS) for name, weight, value in values if value}


class FeatureRow(NamedTuple):
    """A candidate with its features."""

    file: CandidateFile
    indexed: IndexedRegion
    match: WordMatch
    values: list[float]
    """In the order of `FEATURES`."""


CountTerms = Callable[[str], Mapping[str, int]]

MAX_SOUGHT_TERMS = 24
"""Up to this number of a prompt's terms, regions that can have none are not counted: a term is a part of a word in
lower case without underscores, apart from a `y` that stands for another ending.
"""


def index_regions(lines: Sequence[str], summary: Summary, count: CountTerms = count_terms) -> tuple[IndexedRegion, ...]:
    """Split a file into regions, whose terms `count` counts."""
    return tuple(IndexedRegion(lines, region, count) for region in split_regions(lines, summary))


@lru_cache(maxsize=8_192)
def name_term(name: str) -> str:
    """Return the term of a whole name; empty for one without any."""
    return next(iter(query_terms(name)), "")


def match_words(regions: Sequence[IndexedRegion], weights: Mapping[str, float], title: Sequence[str]) -> WordMatches:
    """Compare regions with a prompt's weighted terms; depends on the file and on these alone."""
    in_title = frozenset(title)
    parts = [term.removesuffix("y") for term in weights] if len(weights) <= MAX_SOUGHT_TERMS else [""]
    matches = tuple(_match(region, weights, in_title, has_terms=region.has_any(parts)) for region in regions)
    rough = [match.rough for match in matches]
    return WordMatches(matches, tuple(sorted(range(len(rough)), key=lambda number: (-rough[number], number))))


def _match(
    indexed: IndexedRegion, weights: Mapping[str, float], title: frozenset[str], *, has_terms: bool
) -> WordMatch:
    terms, norm = (indexed.terms, indexed.norm) if has_terms else ({}, 0.0)
    text = in_title = coverage = 0.0
    for term in terms.keys() & weights.keys():
        weight, count = weights[term], terms[term]
        value = weight * (K1 + 1) * count / (count + norm)
        text += value
        coverage += weight
        if term in title:
            in_title += value
    names = title_names = 0.0
    for term in indexed.name_terms & weights.keys():
        names += weights[term]
        title_names += weights[term] * (term in title)
    return WordMatch(round(text, 6), round(in_title, 6), round(names, 6), round(title_names, 6), round(coverage, 6))


def rank_regions(files: Sequence[CandidateFile], evidence: PromptEvidence, total_weight: float) -> list[RankedRegion]:
    """Rank the regions of files, which come best first; `total_weight` is the sum of the prompt's term weights."""
    ranked = []
    for row in feature_rows(files, evidence, total_weight):
        score = round(_score(row), PART_DIGITS)
        value = value_for_size(score, row.indexed, evidence)
        ranked.append(RankedRegion(row.file.path, row.indexed.region, score, value, row.values, row.indexed.bytes))
    ranked.sort(key=lambda region: (-region.value, region.path, region.region.first))
    return with_commented_code(definitions_first(ranked, evidence))


def with_commented_code(ranked: Sequence[RankedRegion]) -> list[RankedRegion]:
    """Put what a long comment above a definition describes directly after it: it has other words than the code."""
    beginnings = {(region.path, region.region.first): region for region in ranked if _begins_definition(region.region)}
    ordered: dict[tuple[str, int], RankedRegion] = {}
    for region in ranked:
        ordered.setdefault((region.path, region.region.first), region)
        if _is_comment(region.region) and (below := beginnings.get((region.path, region.region.last + 1))) is not None:
            ordered.setdefault((below.path, below.region.first), below)
    return list(ordered.values())


def _is_comment(region: Region) -> bool:
    """Whether a region is a comment, rather than the rest of a docstring."""
    return region.is_prose and not region.is_definition


def _begins_definition(region: Region) -> bool:
    return region.is_definition and not region.head and not region.is_prose


def definitions_first(ranked: Sequence[RankedRegion], evidence: PromptEvidence) -> list[RankedRegion]:
    """Put a region of each definition that a short prompt names before the second region of any file.

    A long one has names in what is pasted into it. Of a name that many files define no definition leads, nor do
    declarations, tests and examples. A type is shown by the first region with its head; it also leads if only a new
    member of it is named.
    """
    if evidence.is_long or not evidence.symbols:
        return list(ranked)
    names = [name_term(region.region.name.rpartition(".")[2]) for region in ranked]
    symbols = evidence.symbols.union(container for container, member in evidence.chains if member not in names)
    definitions: dict[tuple[str, str], RankedRegion] = {}
    for region, name in zip(ranked, names, strict=True):
        if name not in symbols or region.features[_ASIDE] or region.features[_DECLARATION] or _is_bare(region):
            continue
        if region.region.head and not region.features[_NAMED]:
            continue
        known = definitions.setdefault((name, region.path), region)
        if not region.features[_NAMED] and not known.features[_NAMED] and region.region.first < known.region.first:
            definitions[name, region.path] = region
    files = Counter(name for name, _ in definitions)
    leading = [region for (name, _), region in definitions.items() if files[name] <= MAX_NAMESAKES][:MAX_SEEDS]
    if not leading:
        return list(ranked)
    best: dict[str, RankedRegion] = {}
    for region in ranked:
        if best.setdefault(region.path, region) is not region:
            break
    first = {(region.path, region.region.first): region for region in (*best.values(), *leading)}
    return [*first.values(), *(region for region in ranked if (region.path, region.region.first) not in first)]


def _score(row: FeatureRow) -> float:
    return sum(map(mul, _WEIGHTS, row.values))


def value_for_size(score: float, indexed: IndexedRegion, evidence: PromptEvidence) -> float:
    """Return a score for its size."""
    return score - (SIZE_EXPONENT if evidence.is_long else SHORT_SIZE_EXPONENT) * math.log(indexed.bytes)


def feature_rows(files: Sequence[CandidateFile], evidence: PromptEvidence, total_weight: float) -> list[FeatureRow]:
    """Return the candidates with their features, most of them between 0 and 1."""
    closest = [max((_shared_tail(frame.path, file.path) for file in files), default=0) for frame in evidence.frames]
    framed = [_framed(file, evidence.frames, closest) for file in files]
    rows: list[FeatureRow] = []
    if not files:
        return rows
    best_score = max(file.score for file in files)
    near_factor, score_factor = (1.0, 1.0) if evidence.is_long else (NEAR_FACTOR, SCORE_FACTOR)
    for rank, file in enumerate(files):
        most = REGIONS_PER_FILE if rank < BEST_FILES else FURTHER_REGIONS
        chosen = _candidates(file, evidence, framed[rank], ALL_REGIONS if file.has_all_regions else most)
        if is_changelog(file.path):
            chosen = _newest_entries(file, chosen, MIN_COVERAGE * total_weight)
        best = file.regions[chosen[0]] if chosen else None
        file_rank, file_score = -math.log1p(rank), score_factor * max(-8.0, file.score - best_score)
        path_match, document = file.path_match, file.document
        for rank_in_file, number in enumerate(chosen):
            indexed, match = file.regions[number], file.matches.regions[number]
            region, name = indexed.region, indexed.name
            values = [
                0.0, 0.0, 0.0, 0.0,  # text, title, nameWords, titleName: see `_normalize`
                -math.log1p(rank_in_file),
                match.coverage / (total_weight or 1.0),
                1.0 if name and name in evidence.symbols else 0.0,
                1.0 if (indexed.container, name) in evidence.chains else 0.0,
                0.0, 0.0, 0.0, 0.0,  # callsNamed, calledByNamed, callsBest, calledByBest: see `_add_calls`
                framed[rank].get(number, 0.0),
                file_rank, file_score, path_match,
                float(file.is_aside or (region.is_test and not file.wants_tests)), document,
                near_factor * _nearness(indexed, best),
                1.0 if region.is_imports else 0.0,
                1.0 if region.is_prose else 0.0,
                1.0 if region.head else 0.0,
                1.0 if region.is_declaration else 0.0,
            ]  # fmt: skip
            rows.append(FeatureRow(file, indexed, match, values))
    _normalize(rows)
    _add_calls(rows)
    if not evidence.is_long:
        _add_calls_of_best(rows, evidence)
    return rows


def _nearness(indexed: IndexedRegion, best: IndexedRegion | None) -> float:
    """Return how close a region is to its file's best one, which itself has none."""
    if best is None or best is indexed:
        return 0.0
    distance = max(best.region.first - indexed.region.last, indexed.region.first - best.region.last, 0)
    return NEAR_LINES / (NEAR_LINES + distance)


def _candidates(file: CandidateFile, evidence: PromptEvidence, framed: Mapping[int, float], count: int) -> list[int]:
    """Return the numbers of a file's best regions, of those that the prompt points at or comments describe, best first.

    Its tests take no place of the code, unless the prompt asks for tests.
    """
    order, regions, symbols = list(file.matches.best_first), file.regions, evidence.symbols
    if not file.wants_tests:
        order.sort(key=lambda number: regions[number].region.is_test)
    commented = {number + 1 for number in order[:count] if _is_comment(regions[number].region)}
    pointed = (
        number
        for number in order[count:]
        if number in framed
        or regions[number].region.is_imports
        or regions[number].name in symbols
        or (number in commented and _begins_definition(regions[number].region))
    )
    return [*order[:count], *pointed]


def _newest_entries(file: CandidateFile, chosen: Sequence[int], least: float) -> list[int]:
    """Return a changelog's beginning, where entries are added, and older ones that contain most of the prompt."""
    newest = [number for number, indexed in enumerate(file.regions) if indexed.region.first <= NEWEST_LINES]
    older = (number for number in chosen if file.matches.regions[number].coverage >= least)
    return list(dict.fromkeys((*newest, *older)))


def _normalize(rows: Sequence[FeatureRow]) -> None:
    """Add the word matches relative to the best ones, and divide the weight of a name among its definitions."""
    best = (
        WordMatch(*(max(column) or 1.0 for column in zip(*(row.match for row in rows), strict=True))) if rows else None
    )
    namesakes = Counter(row.indexed.name for row in rows if row.values[_NAMED] and not row.indexed.region.head)
    for row in rows:
        assert best is not None
        values, match = row.values, row.match
        values[_TEXT] = match.text / best.text
        values[_TITLE] = match.title / best.title
        values[_NAME_WORDS] = match.names / best.names
        values[_TITLE_NAME] = match.title_names / best.title_names
        if values[_NAMED]:
            values[_NAMED] = 1 / math.sqrt(max(1, namesakes[row.indexed.name]))


def _shared_tail(path: str, other: str) -> int:
    """Return how many last components two paths share."""
    pairs = zip(reversed(path.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _framed(file: CandidateFile, frames: Sequence[Frame], closest: Sequence[int]) -> dict[int, float]:
    """Return how surely stack frames lie in a file's regions; the innermost ones, which come first, count most.

    `closest` are the most last components that a frame's path shares with a file's. An installed copy shares two or
    more; its lines may be those of another version.
    """
    found: dict[int, float] = {}
    for at, frame in enumerate(frames):
        if not frame.lies_in(file.path) and not 2 <= closest[at] == _shared_tail(frame.path, file.path):
            continue
        share = 1 - 0.5 * at / len(frames)
        function = name_term(frame.function)
        for number, indexed in enumerate(file.regions):
            is_function = bool(function) and indexed.name == function
            is_inside = indexed.region.first <= frame.line <= indexed.region.last
            if is_inside or is_function:
                certainty = 1.0 if is_inside and (is_function or not function) else 0.6
                found[number] = max(found.get(number, 0.0), share * certainty)
    return found


def _add_calls(rows: Sequence[FeatureRow]) -> None:
    """Add what calls the definitions that the prompt names, and what they call."""
    definitions = Counter(row.indexed.name for row in rows if row.indexed.name and not row.indexed.region.head)
    named = [row for row in rows if row.values[_NAMED] > 0.5 or row.values[_CHAIN]][:MAX_SEEDS]
    for seed in named:
        share, name = 1 / len(named), seed.indexed.name
        for row in rows:
            other = row.indexed
            if other.name == name:
                continue
            if definitions[name] <= MAX_NAMESAKES and name in other.terms:
                row.values[_CALLS_NAMED] += share
            if other.name and definitions[other.name] <= MAX_NAMESAKES and other.name in seed.indexed.terms:
                row.values[_CALLED_BY_NAMED] += share


def _add_calls_of_best(rows: Sequence[FeatureRow], evidence: PromptEvidence) -> None:
    """Add what calls the best definitions, and what they call, in proportion to their odds."""
    values = [value_for_size(_score(row), row.indexed, evidence) for row in rows]
    best = sorted(range(len(rows)), key=lambda number: (-values[number], number))[:MAX_BEST]
    odds = {number: math.exp(values[number] - values[best[0]]) for number in best}
    whole = sum(odds.values())
    definitions = Counter(row.indexed.name for row in rows if row.indexed.name and not row.indexed.region.head)
    shares: dict[str, float] = {}
    for number in best:
        name = rows[number].indexed.name
        if name and definitions[name] <= MAX_NAMESAKES:
            shares[name] = shares.get(name, 0.0) + odds[number] / whole
    parts = [name.removesuffix("y") for name in shares]
    for row in rows:
        own = row.indexed
        used = shares.keys() & own.terms.keys() - {own.name} if parts and own.has_any(parts) else ()
        row.values[_CALLS_BEST] = math.fsum(shares[name] for name in sorted(used))
        if own.name and 0 < definitions[own.name] <= MAX_NAMESAKES:
            row.values[_CALLED_BY_BEST] = math.fsum(
                odds[number] / whole
                for number in best
                if rows[number].indexed.name != own.name and own.name in rows[number].indexed.terms
            )


FILE_BYTES, GAP_BYTES, HEAD_BYTES = 60, 4, 50
"""Bytes of a file's heading besides its path, of a gap's mark, and of a line of the signature that a window belongs to.
"""


def choose_regions(
    ranked: Sequence[RankedRegion], budget_bytes: int, already_sent: Container[tuple[str, int]] = ()
) -> list[RankedRegion]:
    """Return regions within a budget, in the given order; a smaller one may follow one that does not fit.

    Those at the places in `already_sent`, path and first line, have as much room of their own. A file's imports say
    nothing without other code of it, and the line that opens a type without other code of the type.
    """
    chosen = _choose(ranked, budget_bytes, already_sent)
    sent = [region for region in ranked if (region.path, region.region.first) in already_sent] if already_sent else []
    code: dict[str, list[int]] = {}
    for region in (*chosen, *sent):
        if not _is_bare(region):
            code.setdefault(region.path, []).append(region.region.first)
    paths = {region.path for region in ranked if not _is_bare(region)}
    alone = {
        (region.path, region.region.first)
        for region in chosen
        if _is_bare(region) and region.path in paths and not _has_code_below(region.region, code.get(region.path, ()))
    }
    if not alone:
        return chosen
    others = [region for region in ranked if (region.path, region.region.first) not in alone]
    return choose_regions(others, budget_bytes, already_sent)


def _is_bare(region: RankedRegion) -> bool:
    return region.region.is_imports or region.region.is_frame


def _has_code_below(region: Region, firsts: Sequence[int]) -> bool:
    """Whether code that begins at some lines of the file is what a bare region is for: its file, or what it opens."""
    if region.is_imports or not region.encloser_last:
        return bool(firsts)
    return any(region.first < first <= region.encloser_last for first in firsts)


def _choose(
    ranked: Sequence[RankedRegion], budget_bytes: int, already_sent: Container[tuple[str, int]]
) -> list[RankedRegion]:
    chosen: list[RankedRegion] = []
    paths: set[str] = set()
    definitions: set[tuple[str, str]] = set()
    left = left_already_sent = budget_bytes
    for region in ranked:
        if (region.path, region.region.first) in already_sent:
            left_already_sent -= shown_bytes(region)
            if left_already_sent >= 0:
                chosen.append(region)
            continue
        cost = shown_bytes(region) + (0 if region.path in paths else len(region.path.encode()) + FILE_BYTES)
        if (region.path, region.region.name) in definitions:
            cost -= _head_bytes(region.region)  # shown once
        if cost <= left:
            left -= cost
            paths.add(region.path)
            if region.region.is_definition:
                definitions.add((region.path, region.region.name))
            chosen.append(region)
    return chosen


def is_pointed_at(region: RankedRegion) -> bool:
    """Whether the prompt names a region's definition, or a stack frame lies in it."""
    return bool(region.features[_FRAME] or region.features[_CHAIN] or region.features[_NAMED])


def shown_bytes(region: RankedRegion) -> int:
    """Return the bytes of a region's lines with their marks."""
    return region.bytes + GAP_BYTES + _head_bytes(region.region)


def _head_bytes(region: Region) -> int:
    return HEAD_BYTES * (region.head_last - region.head + 1) if region.head else 0
