"""How well files match a prompt's terms: BM25 over contents, their best chunk, definition names and paths. Pure.

A file's scores follow from its own words and from a few figures of all files together, the basis. An edit seldom moves
these, for lengths are measured by a rounded average: then the scores of all other files stay what they are.
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.postings import Postings

K1 = 1.2
B = 0.75
"""BM25's usual parameters (Robertson and Zaragoza 2009)."""

SHORT_B = 0.5
"""The same for names and paths, whose length says less."""

MAX_TERMS = 48
"""Of a longer prompt the rarest terms count; the others would find everything."""

READ_ENTRIES = 3_000
"""The rarest terms are read whole, up to so many entries; commoner ones only add to the best of the files found."""

MANY_TIMES = 20

LENGTH_BITS = 6
"""An average length is rounded to so many bits, by one part in 64 at most."""


class Matches(NamedTuple):
    """Scores by document number, not normalised; a file that holds no term has none."""

    weights: dict[str, float]
    """What the terms that stand anywhere count: inverse document frequency by their share, the most telling first."""
    body: dict[int, float]
    chunk: dict[int, float]
    names: dict[int, float]
    path: dict[int, float]


Weighed = tuple[tuple[str, float], ...]
"""Terms, each with what it counts."""


class Formula(NamedTuple):
    """BM25 in units of one kind: a term of weight w adds w * n / (n + fixed + slope * l) where n of l terms are it."""

    fixed: float
    slope: float


class Field(NamedTuple):
    """A field of a few words."""

    terms: Weighed
    formula: Formula


class Basis(NamedTuple):
    """All that the scores of a search follow from beside each file's own words."""

    weights: Weighed
    read: Weighed
    """The terms whose entries in bodies are all read."""
    common: Weighed
    """Those that only add to some."""
    chunk: Formula
    body: Formula
    names: Field
    paths: Field


def basis_of(documents: Documents, terms: Sequence[str], shares: Mapping[str, float]) -> Basis:
    """Takes the figures of all files; `shares` says of some terms how much they count."""
    weights = _weights(documents, terms, shares)
    read, common = _bodies(documents, weights, shares)
    return Basis(
        tuple(weights.items()),
        read,
        common,
        _formula(B, documents.body_total, documents.chunk_count),
        _formula(B, documents.body_total, len(documents)),
        _field(documents.names, weights, shares, documents.name_total, len(documents)),
        _field(documents.paths, weights, shares, documents.path_total, len(documents)),
    )


def matched_terms(documents: Documents, number: int, terms: Iterable[str]) -> tuple[str, ...]:
    """Gives those of some terms that a file holds, in its text, its definitions' names or its path."""
    first, end = documents.chunks(number)
    return tuple(
        term
        for term in terms
        if documents.bodies.stands(term, first, end)
        or documents.paths.stands(term, number, number + 1)
        or documents.names.stands(term, number, number + 1)
    )


def best_of(documents: Documents, scores: Mapping[int, float], limit: int) -> list[int]:
    """Gives the documents of the highest scores; of equal ones those whose paths come first."""
    if len(scores) <= limit:
        return list(scores)
    # Without a key, which takes ten times as long; a few are sorted sooner than the best of them are picked.
    few = len(scores) < MANY_TIMES * limit
    least = sorted(scores.values())[-limit] if few else heapq.nlargest(limit, scores.values())[-1]
    best = [number for number, score in scores.items() if score >= least]
    if len(best) > limit:
        best = heapq.nsmallest(limit, best, key=lambda number: (-scores[number], documents.path(number)))
    return best


def inverse_frequency(holding: int, count: int) -> float:
    """Gives BM25's weight of a term that `holding` of `count` units hold."""
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))


def _weights(documents: Documents, terms: Sequence[str], shares: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for term in terms:
        in_bodies, in_paths = documents.bodies.count(term), documents.paths.count(term)
        if in_bodies:
            found[term] = shares.get(term, 1.0) * inverse_frequency(in_bodies, documents.chunk_count)
        elif in_paths:
            found[term] = shares.get(term, 1.0) * inverse_frequency(in_paths, len(documents))
    rarest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(rarest[:MAX_TERMS])


def _bodies(documents: Documents, terms: Iterable[str], shares: Mapping[str, float]) -> tuple[Weighed, Weighed]:
    read: list[tuple[str, float]] = []
    common: list[tuple[str, float]] = []
    entries = 0
    for term in terms:
        holding, before = documents.bodies.count(term), entries
        entries += holding
        weight = shares.get(term, 1.0) * inverse_frequency(holding, documents.chunk_count) * (K1 + 1)
        (read if not before or entries <= READ_ENTRIES else common).append((term, weight))
    return tuple(read), tuple(common)


def _field(postings: Postings, terms: Iterable[str], shares: Mapping[str, float], total: int, count: int) -> Field:
    """What so many files have in common that it says nothing is left out."""
    holding = ((term, postings.count(term)) for term in terms)
    weighed = tuple(
        (term, shares.get(term, 1.0) * inverse_frequency(entries, count) * (K1 + 1))
        for term, entries in holding
        if 0 < entries <= READ_ENTRIES
    )
    return Field(weighed, _formula(SHORT_B, total, count))


def _formula(b: float, total: int, count: int) -> Formula:
    return Formula(K1 * (1 - b), K1 * b / usual_length(total, count))


def usual_length(total: int, count: int) -> float:
    """Gives the average length of units that have `total` terms, rounded; 1 where there is none."""
    fraction, exponent = math.frexp(total / count if total and count else 1.0)
    return math.ldexp(round(math.ldexp(fraction, LENGTH_BITS)), exponent - LENGTH_BITS)
