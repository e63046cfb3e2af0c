"""BM25 scores of contents, best passages, definition names and paths. Pure.

A file's scores depend on its own words and on a few statistics of all files. An edit rarely changes
these, because average lengths are rounded: then the scores of all other files stay valid.
"""

import heapq
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.search.postings import count_of, unit_of
from sidecar.codebase.search.worktree_documents import Documents, ShownPostings
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import inverse_frequency

K1 = 1.2
B = 0.75
"""BM25's usual parameters (Robertson and Zaragoza 2009)."""

SHORT_B = 0.5
"""`B` for names and paths, whose length matters less."""

MAX_TERMS = 48
"""Maximum number of terms of a prompt, the rarest ones; the others would match everything."""

READ_ENTRIES = 3_000
"""Posting entries that are read in full, rarest terms first; commoner terms only add to the best files so far."""

SORT_BELOW = 20
"""Up to this multiple of the limit, sorting all scores is faster than a heap."""

LENGTH_BITS = 6
"""Bits of precision of an average length: it is off by at most one part in 64."""


class Matches(NamedTuple):
    """Scores by document number, not normalized; a file without any term has none."""

    weights: dict[str, float]
    """Terms that occur anywhere, with their weights: inverse document frequency times share, largest first."""
    text: dict[int, float]
    passage: dict[int, float]
    names: dict[int, float]
    path: dict[int, float]


WeightedTerms = tuple[tuple[str, float], ...]
"""Terms with their weights."""


class Formula(NamedTuple):
    """BM25 for one kind of unit: a term of weight w adds w * n / (n + fixed + slope * l) where n of l terms match."""

    fixed: float
    slope: float


class Field(NamedTuple):
    """A field of a few words."""

    terms: WeightedTerms
    formula: Formula


class CorpusStatistics(NamedTuple):
    """Everything a search's scores depend on apart from each file's own words."""

    weights: WeightedTerms
    read: WeightedTerms
    """Terms whose content entries are all read."""
    common: WeightedTerms
    """Terms that only add to the best files."""
    passage: Formula
    text: Formula
    names: Field
    paths: Field


def corpus_statistics(documents: Documents, terms: Sequence[str], shares: Mapping[str, float]) -> CorpusStatistics:
    """Return the statistics of all files for some terms; `shares` scales the weights of some of them."""
    weights = _weights(documents, terms, shares)
    read, common = _text_terms(documents, weights, shares)
    return CorpusStatistics(
        tuple(weights.items()),
        read,
        common,
        _formula(B, documents.text_total, documents.passage_count),
        _formula(B, documents.text_total, len(documents)),
        _field(documents.names, weights, shares, documents.name_total, len(documents)),
        _field(documents.paths, weights, shares, documents.path_total, len(documents)),
    )


def matched_terms(documents: Documents, number: int, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that a file contains, in its text, definition names or path."""
    first, end = documents.passages(number)
    return tuple(
        term
        for term in terms
        if documents.texts.contains(term, first, end)
        or documents.paths.contains(term, number, number + 1)
        or documents.names.contains(term, number, number + 1)
    )


def top_documents(documents: Documents, scores: Mapping[int, float], limit: int) -> list[int]:
    """Return the documents with the highest scores; ties by path."""
    if len(scores) <= limit:
        return list(scores)
    # Without a key, which takes ten times as long. A small list is sorted faster than nlargest runs.
    few = len(scores) < SORT_BELOW * limit
    least = sorted(scores.values())[-limit] if few else heapq.nlargest(limit, scores.values())[-1]
    best = [number for number, score in scores.items() if score > least]
    ties = [number for number, score in scores.items() if score == least]
    left = limit - len(best)
    return best + (ties if len(ties) == left else heapq.nsmallest(left, ties, key=documents.path))


def _weights(documents: Documents, terms: Sequence[str], shares: Mapping[str, float]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for term in terms:
        in_texts, in_paths = documents.texts.count(term), documents.paths.count(term)
        if in_texts:
            weights[term] = shares.get(term, 1.0) * inverse_frequency(in_texts, documents.passage_count)
        elif in_paths:
            weights[term] = shares.get(term, 1.0) * inverse_frequency(in_paths, len(documents))
    rarest = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return dict(rarest[:MAX_TERMS])


def _text_terms(
    documents: Documents, terms: Iterable[str], shares: Mapping[str, float]
) -> tuple[WeightedTerms, WeightedTerms]:
    read: list[tuple[str, float]] = []
    common: list[tuple[str, float]] = []
    entries = 0
    for term in terms:
        holding, entries_before = documents.texts.count(term), entries
        entries += holding
        weight = shares.get(term, 1.0) * inverse_frequency(holding, documents.passage_count) * (K1 + 1)
        (read if not entries_before or entries <= READ_ENTRIES else common).append((term, weight))
    return tuple(read), tuple(common)


def _field(postings: ShownPostings, terms: Iterable[str], shares: Mapping[str, float], total: int, count: int) -> Field:
    """Return a field for scoring, without the terms that are in more than `READ_ENTRIES` files: they say nothing."""
    holding = ((term, postings.count(term)) for term in terms)
    weighted = tuple(
        (term, shares.get(term, 1.0) * inverse_frequency(entries, count) * (K1 + 1))
        for term, entries in holding
        if 0 < entries <= READ_ENTRIES
    )
    return Field(weighted, _formula(SHORT_B, total, count))


def _formula(b: float, total: int, count: int) -> Formula:
    return Formula(K1 * (1 - b), K1 * b / average_length(total, count))


def average_length(total: int, count: int) -> float:
    """Return the rounded average length of units with `total` terms; 1 if there are none."""
    fraction, exponent = math.frexp(total / count if total and count else 1.0)
    return math.ldexp(round(math.ldexp(fraction, LENGTH_BITS)), exponent - LENGTH_BITS)


COMMON_TERM_FILES = 200
"""Number of best files by rare terms to which common terms add."""

CACHED_SEARCHES = 6
MAX_CACHED_FILES = 20_000
"""A search that matches more files is not cached, because it takes megabytes."""

Scores = dict[int, float]


class SearchScores(NamedTuple):
    """A search's scores, and the scores before common terms were added."""

    statistics: CorpusStatistics
    rare_text: Scores
    rare_passage: Scores
    with_common_terms: frozenset[int]
    matches: Matches
    matched: dict[int, tuple[str, ...]]
    """The terms that files contain, as far as they were requested."""


class ScoreCache:
    """Scores of the last searches, updated after an edit: only the edited files are scored again. Not thread-safe.

    Each file's scores depend on its own words and the statistics. While these are unchanged, updated scores equal
    those of a full search to the last bit.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._cached: LruCache[CorpusStatistics, tuple[int, SearchScores]] = LruCache(CACHED_SEARCHES)
        self._last: SearchScores | None = None

    def match(self, terms: Sequence[str], shares: Mapping[str, float]) -> Matches:
        """Score all files that contain a term of a prompt; `shares` scales the weights of some terms."""
        documents = self._documents
        statistics = corpus_statistics(documents, terms, shares)
        changes, cached = self._cached.get(statistics) or (0, None)
        changed = documents.changed_since(changes) if cached is not None else None
        if cached is None or changed is None:
            scores = score_all(documents, statistics)
        else:
            scores = rescore(documents, cached, changed)
        self._last = scores
        if max(len(field) for field in scores.matches) <= MAX_CACHED_FILES:
            self._cached.put(statistics, (documents.changes, scores), 1)
        else:
            self._cached.drop(statistics)
        return scores.matches

    def matched(self, number: int) -> tuple[str, ...]:
        """Return the last search's terms that a file contains, largest weight first."""
        if self._last is None:
            return ()
        known = self._last.matched.get(number)
        if known is None:
            known = matched_terms(self._documents, number, self._last.matches.weights)
            self._last.matched[number] = known
        return known


def score_all(documents: Documents, statistics: CorpusStatistics) -> SearchScores:
    """Score all files that contain a term."""
    text: Scores = {}
    passages: Scores = {}
    for term, weight in statistics.read:
        _add_term(documents, statistics, documents.texts.entries(term), weight, text, passages)
    rare = text, _best_passages(documents, passages)
    with_common_terms = top_documents(documents, text, COMMON_TERM_FILES) if statistics.common else ()
    if with_common_terms:
        text, ranges = dict(text), sorted(map(documents.passages, with_common_terms))
        for term, weight in statistics.common:
            _add_term(documents, statistics, documents.texts.in_ranges(term, ranges), weight, text, passages)
    names = _field_scores(documents.names, statistics.names, documents.name_lengths)
    paths = _field_scores(documents.paths, statistics.paths, documents.path_lengths)
    passage = _best_passages(documents, passages) if with_common_terms else rare[1]
    return SearchScores(
        statistics,
        *rare,
        frozenset(with_common_terms),
        Matches(dict(statistics.weights), text, passage, names, paths),
        {},
    )


def rescore(documents: Documents, earlier: SearchScores, changed: Collection[int]) -> SearchScores:
    """Score the documents again that were added, removed or changed since all were scored with the same statistics."""
    statistics, previous = earlier.statistics, earlier.matches
    rare_text, rare_passage = dict(earlier.rare_text), dict(earlier.rare_passage)
    for number in changed:
        _set_scores(number, _scores_of(documents, statistics, number, statistics.read), rare_text, rare_passage)
    text, passage, with_common_terms = rare_text, rare_passage, list[int]()
    if statistics.common:
        text, passage, with_common_terms = dict(text), dict(passage), top_documents(documents, text, COMMON_TERM_FILES)
        for number in with_common_terms:
            if number in earlier.with_common_terms and number not in changed:
                scores = previous.text.get(number), previous.passage.get(number)
            else:
                scores = _scores_of(documents, statistics, number, (*statistics.read, *statistics.common))
            _set_scores(number, scores, text, passage)
    names, paths = dict(previous.names), dict(previous.path)
    for number in changed:
        names.pop(number, None)
        paths.pop(number, None)
        names |= _field_scores(documents.names, statistics.names, documents.name_lengths, number)
        paths |= _field_scores(documents.paths, statistics.paths, documents.path_lengths, number)
    matched = {number: terms for number, terms in earlier.matched.items() if number not in changed}
    matches = Matches(previous.weights, text, passage, names, paths)
    return SearchScores(statistics, rare_text, rare_passage, frozenset(with_common_terms), matches, matched)


def _scores_of(
    documents: Documents, statistics: CorpusStatistics, number: int, terms: WeightedTerms
) -> tuple[float | None, float | None]:
    """Return one document's scores of text and best passage; None if it contains no term."""
    text: Scores = {}
    passages: Scores = {}
    first, end = documents.passages(number)
    for term, weight in terms:
        _add_term(documents, statistics, documents.texts.in_range(term, first, end), weight, text, passages)
    return text.get(number), _best_passages(documents, passages).get(number)


def _set_scores(number: int, scores: tuple[float | None, float | None], *fields: Scores) -> None:
    for score, field in zip(scores, fields, strict=True):
        if score is None:
            field.pop(number, None)
        else:
            field[number] = score


def _add_term(
    documents: Documents,
    statistics: CorpusStatistics,
    entries: Sequence[int],
    weight: float,
    text: Scores,
    passages: Scores,
) -> None:
    """Add one term's share to the passages of its entries and to their files."""
    fixed, slope = statistics.passage
    owners, lengths = documents.owners, documents.passage_lengths
    counts: dict[int, int] = {}
    for entry in entries:
        unit, count = entry >> 8, entry & 0xFF
        passages[unit] = passages.get(unit, 0.0) + weight * count / (count + fixed + slope * lengths[unit])
        owner = owners[unit]
        counts[owner] = counts.get(owner, 0) + count
    fixed, slope = statistics.text
    lengths = documents.text_lengths
    for number, count in counts.items():
        text[number] = text.get(number, 0.0) + weight * count / (count + fixed + slope * lengths[number])


def _best_passages(documents: Documents, passages: Scores) -> Scores:
    """Return the score of each file's best passage."""
    best: Scores = {}
    owners = documents.owners
    for unit, score in passages.items():
        owner = owners[unit]
        if score > best.get(owner, 0.0):
            best[owner] = score
    return best


def _field_scores(postings: ShownPostings, field: Field, lengths: Sequence[int], only: int | None = None) -> Scores:
    """Score a field of a few words, for all files or one."""
    scores: Scores = {}
    fixed, slope = field.formula
    for term, weight in field.terms:
        entries = postings.entries(term) if only is None else postings.in_range(term, only, only + 1)
        for entry in entries:
            number, count = unit_of(entry), count_of(entry)
            share = weight * count / (count + fixed + slope * lengths[number])
            scores[number] = scores.get(number, 0.0) + share
    return scores
