"""How well files match a prompt's terms: BM25 over contents, their best chunk, definition names and paths. Pure."""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
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
LOOKED_UP = 200
"""The rarest terms are read whole, up to so many entries; commoner ones only add to so many files of those found."""


class Matches(NamedTuple):
    """Scores by document number, not normalised; a file that holds no term has none."""

    weights: dict[str, float]
    """What the terms that stand anywhere count: inverse document frequency by their share, the most telling first."""
    body: dict[int, float]
    chunk: dict[int, float]
    names: dict[int, float]
    path: dict[int, float]


def match(documents: Documents, terms: Sequence[str], shares: Mapping[str, float]) -> Matches:
    """Scores all files that hold a term of a prompt; `shares` says of some terms how much they count."""
    weights = _weights(documents, terms, shares)
    body, chunk = _bodies(documents, weights, shares)
    return Matches(
        weights,
        body,
        chunk,
        _short(documents.names, weights, shares, documents.name_lengths, documents.name_total, len(documents)),
        _short(documents.paths, weights, shares, documents.path_lengths, documents.path_total, len(documents)),
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
    least = heapq.nlargest(limit, scores.values())[-1]  # without a key, which takes ten times as long
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
        in_bodies, in_paths = len(documents.bodies.entries(term)), len(documents.paths.entries(term))
        if in_bodies:
            found[term] = shares.get(term, 1.0) * inverse_frequency(in_bodies, documents.chunk_count)
        elif in_paths:
            found[term] = shares.get(term, 1.0) * inverse_frequency(in_paths, len(documents))
    rarest = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return dict(rarest[:MAX_TERMS])


def _bodies(
    documents: Documents, weights: Iterable[str], shares: Mapping[str, float]
) -> tuple[dict[int, float], dict[int, float]]:
    body: dict[int, float] = {}
    chunks: dict[int, float] = {}
    common: list[str] = []
    read = 0
    for term in weights:
        entries = documents.bodies.entries(term)
        weight = shares.get(term, 1.0) * inverse_frequency(len(entries), documents.chunk_count)
        read += len(entries)
        if not chunks or read <= READ_ENTRIES:
            _score(documents, entries, weight, body, chunks)
        else:
            common.append(term)
    if common:
        units = sorted(documents.chunks(number) for number in best_of(documents, body, LOOKED_UP))
        for term in common:
            holding = len(documents.bodies.entries(term))
            weight = shares.get(term, 1.0) * inverse_frequency(holding, documents.chunk_count)
            _score(documents, documents.bodies.within_all(term, units), weight, body, chunks)
    return body, _best_chunks(documents, chunks)


def _score(
    documents: Documents, entries: Sequence[int], weight: float, body: dict[int, float], chunks: dict[int, float]
) -> None:
    """Adds one term's share to the chunks of its entries and to their files."""
    weight *= K1 + 1
    fixed, slope = K1 * (1 - B), K1 * B * documents.chunk_count / (documents.body_total or 1)
    owners, lengths = documents.owners, documents.chunk_lengths
    counts: dict[int, int] = {}
    for entry in entries:
        unit, count = entry >> 8, entry & 0xFF
        chunks[unit] = chunks.get(unit, 0.0) + weight * count / (count + fixed + slope * lengths[unit])
        owner = owners[unit]
        counts[owner] = counts.get(owner, 0) + count
    slope, lengths = K1 * B * len(documents) / (documents.body_total or 1), documents.body_lengths
    for number, count in counts.items():
        body[number] = body.get(number, 0.0) + weight * count / (count + fixed + slope * lengths[number])


def _best_chunks(documents: Documents, chunks: dict[int, float]) -> dict[int, float]:
    best: dict[int, float] = {}
    owners = documents.owners
    for unit, score in chunks.items():
        owner = owners[unit]
        if score > best.get(owner, 0.0):
            best[owner] = score
    return best


def _short(
    postings: Postings,
    terms: Iterable[str],
    shares: Mapping[str, float],
    lengths: Sequence[int],
    total: int,
    count: int,
) -> dict[int, float]:
    """BM25 over a field of a few words."""
    scores: dict[int, float] = {}
    fixed, slope = K1 * (1 - SHORT_B), K1 * SHORT_B * count / (total or 1)
    for term in terms:
        entries = postings.entries(term)
        if len(entries) > READ_ENTRIES:
            continue
        weight = shares.get(term, 1.0) * (K1 + 1) * inverse_frequency(len(entries), count)
        for entry in entries:
            number, frequency = unit_of(entry), count_of(entry)
            share = weight * frequency / (frequency + fixed + slope * lengths[number])
            scores[number] = scores.get(number, 0.0) + share
    return scores
