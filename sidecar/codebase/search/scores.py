"""The scores of the last searches, kept in step: after an edit the edited files alone are scored anew. Pure.

Each file's scores follow from its own words and the search's basis. So where the basis is the same, what was kept and
brought up to date is, to the last bit, what a search of all files gives.
"""

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.matching import Basis, Field, Matches, Weighed, basis_of, best_of, matched_terms
from sidecar.codebase.search.postings import Postings, count_of, unit_of

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
