"""How well files match a prompt's terms: BM25 over contents, their best chunk, definition names and paths. Pure.

A file's scores follow from its own words and from a few figures of all files together, the basis. An edit seldom moves
these, for lengths are measured by a rounded average: then the scores of all other files stay what they are.
"""

import heapq
import math
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.postings import Postings, count_of, unit_of

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


# The scores of the last searches, kept in step: after an edit the edited files alone are scored anew. Pure.
#
# Each file's scores follow from its own words and the search's basis. So where the basis is the same, what was kept and
# brought up to date is, to the last bit, what a search of all files gives.


LOOKED_UP = 200
"""Common terms add to so many of the files that the rarer ones found best."""

KEPT_SEARCHES = 4
KEPT_FILES = 20_000
"""A search that found more files is not kept, which would take megabytes."""

Scores = dict[int, float]


class Scored(NamedTuple):
    """A search's scores, and what they were before common terms added to some."""

    basis: Basis
    firm_body: Scores
    firm_chunk: Scores
    looked_up: frozenset[int]
    matches: Matches
    matched: dict[int, tuple[str, ...]]
    """The terms that files hold, as far as that was asked."""


class Searches:
    """The last searches of some documents. Not thread-safe."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._kept: OrderedDict[Basis, tuple[int, Scored]] = OrderedDict()
        self._last: Scored | None = None

    def match(self, terms: Sequence[str], shares: Mapping[str, float]) -> Matches:
        """Scores all files that hold a term of a prompt; `shares` says of some terms how much they count."""
        documents = self._documents
        basis = basis_of(documents, terms, shares)
        changes, kept = self._kept.pop(basis, (0, None))
        changed = documents.changed_since(changes) if kept is not None else None
        scored = rescored(documents, kept, changed) if kept and changed is not None else scored_by(documents, basis)
        self._last = scored
        if max(len(field) for field in scored.matches) <= KEPT_FILES:
            self._kept[basis] = (documents.changes, scored)
            if len(self._kept) > KEPT_SEARCHES:
                self._kept.popitem(last=False)
        return scored.matches

    def matched(self, number: int) -> tuple[str, ...]:
        """Gives those of the last search's terms that a file holds, the most telling first."""
        if self._last is None:
            return ()
        known = self._last.matched.get(number)
        if known is None:
            known = matched_terms(self._documents, number, self._last.matches.weights)
            self._last.matched[number] = known
        return known


def scored_by(documents: Documents, basis: Basis) -> Scored:
    """Scores all files that hold a term."""
    body: Scores = {}
    chunks: Scores = {}
    for term, weight in basis.read:
        _add(documents, basis, documents.bodies.entries(term), weight, body, chunks)
    firm = body, _best(documents, chunks)
    looked_up = best_of(documents, body, LOOKED_UP) if basis.common else ()
    if looked_up:
        body, ranges = dict(body), sorted(map(documents.chunks, looked_up))
        for term, weight in basis.common:
            _add(documents, basis, documents.bodies.within_all(term, ranges), weight, body, chunks)
    names = _short(documents.names, basis.names, documents.name_lengths)
    paths = _short(documents.paths, basis.paths, documents.path_lengths)
    chunk = _best(documents, chunks) if looked_up else firm[1]
    return Scored(basis, *firm, frozenset(looked_up), Matches(dict(basis.weights), body, chunk, names, paths), {})


def rescored(documents: Documents, before: Scored, changed: Collection[int]) -> Scored:
    """Scores the documents anew that came, went or changed since all were scored on the same basis."""
    basis, found = before.basis, before.matches
    firm_body, firm_chunk = dict(before.firm_body), dict(before.firm_chunk)
    for number in changed:
        _put(number, _scores_of(documents, basis, number, basis.read), firm_body, firm_chunk)
    body, chunk, looked_up = firm_body, firm_chunk, list[int]()
    if basis.common:
        body, chunk, looked_up = dict(body), dict(chunk), best_of(documents, body, LOOKED_UP)
        for number in looked_up:
            if number in before.looked_up and number not in changed:
                same = found.body.get(number), found.chunk.get(number)
                _put(number, same, body, chunk)
            else:
                _put(number, _scores_of(documents, basis, number, (*basis.read, *basis.common)), body, chunk)
    names, paths = dict(found.names), dict(found.path)
    for number in changed:
        names.pop(number, None)
        paths.pop(number, None)
        names |= _short(documents.names, basis.names, documents.name_lengths, number)
        paths |= _short(documents.paths, basis.paths, documents.path_lengths, number)
    matched = {number: terms for number, terms in before.matched.items() if number not in changed}
    matches = Matches(found.weights, body, chunk, names, paths)
    return Scored(basis, firm_body, firm_chunk, frozenset(looked_up), matches, matched)


def _scores_of(documents: Documents, basis: Basis, number: int, terms: Weighed) -> tuple[float | None, float | None]:
    """One document's scores of body and best chunk; None where it holds no term."""
    body: Scores = {}
    chunks: Scores = {}
    first, end = documents.chunks(number)
    for term, weight in terms:
        _add(documents, basis, documents.bodies.within(term, first, end), weight, body, chunks)
    return body.get(number), _best(documents, chunks).get(number)


def _put(number: int, scores: tuple[float | None, float | None], *fields: Scores) -> None:
    for score, field in zip(scores, fields, strict=True):
        if score is None:
            field.pop(number, None)
        else:
            field[number] = score


def _add(
    documents: Documents, basis: Basis, entries: Sequence[int], weight: float, body: Scores, chunks: Scores
) -> None:
    """Adds one term's share to the chunks of its entries and to their files."""
    fixed, slope = basis.chunk
    owners, lengths = documents.owners, documents.chunk_lengths
    counts: dict[int, int] = {}
    for entry in entries:
        unit, count = entry >> 8, entry & 0xFF
        chunks[unit] = chunks.get(unit, 0.0) + weight * count / (count + fixed + slope * lengths[unit])
        owner = owners[unit]
        counts[owner] = counts.get(owner, 0) + count
    fixed, slope = basis.body
    lengths = documents.body_lengths
    for number, count in counts.items():
        body[number] = body.get(number, 0.0) + weight * count / (count + fixed + slope * lengths[number])


def _best(documents: Documents, chunks: Scores) -> Scores:
    """The best chunk's score of each file."""
    best: Scores = {}
    owners = documents.owners
    for unit, score in chunks.items():
        owner = owners[unit]
        if score > best.get(owner, 0.0):
            best[owner] = score
    return best


def _short(postings: Postings, field: Field, lengths: Sequence[int], only: int | None = None) -> Scores:
    """Scores a field of a few words, of all files or of one."""
    scores: Scores = {}
    fixed, slope = field.formula
    for term, weight in field.terms:
        entries = postings.entries(term) if only is None else postings.within(term, only, only + 1)
        for entry in entries:
            number, count = unit_of(entry), count_of(entry)
            share = weight * count / (count + fixed + slope * lengths[number])
            scores[number] = scores.get(number, 0.0) + share
    return scores
