"""One search: what each file says for itself, what is near the best ones, and the order that comes of it. Pure."""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.codebase.files import COMMON_STEMS, stem_of
from sidecar.codebase.search.bm25 import MAX_TERMS, Matches, Searches, best_of
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.documents import Documents, folder_of
from sidecar.codebase.search.import_resolution import Tree, resolve
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.query import Asked, SearchQuestion, named_files, read
from sidecar.codebase.search.ranking import (
    DIGITS,
    SEEDS,
    Evidence,
    Ranked,
    Weighings,
    as_told,
    best_first,
    by_rank,
    near_parts,
    score_of,
    seed_shares,
)

CONSIDERED = 100
"""So many of the best files by each kind of evidence are looked at more closely."""

CONSIDERED_RECENT = 30
MAX_TOUCHED = 30

FAINT = 0.001
"""A file this little near another is not near it."""

ImportsOf = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Paths to the module specifiers that these files import, as far as they are known."""


class _Near(NamedTuple):
    """How near files are to seeds, by kind; and for each kind the seed they are nearest to."""

    values: dict[str, dict[str, float]]
    seeds: dict[str, dict[str, tuple[float, str]]]


def find(
    documents: Documents,
    searches: Searches,
    weighings: Weighings,
    history: History,
    imports_of: ImportsOf,
    question: SearchQuestion,
    limit: int,
) -> list[Ranked]:
    """Ranks the files a question is about, best first, ties by path.

    `searches` and `weighings` are those of the documents.
    """
    matches, evidence = _gather(documents, searches, history, question)
    weigh = weighings.of(documents, history, matches, evidence)
    known = {path: weigh(path) for path in _considered(documents, history, matches, evidence)}
    scores = {path: one.score for path, one in known.items() if one.speaks}
    near = _near(documents, history, imports_of, question, scores)
    beside = {path: near_parts(values) for path, values in near.values.items()}
    for path, parts in beside.items():
        known[path] = known.get(path) or weigh(path)
        scores[path] = score_of((*known[path].own.values(), *parts.values()))
    return [
        Ranked(
            path,
            score,
            _rounded(known[path].own.parts() | beside.get(path, {})),
            searches.matched(documents.number(path)),
            tuple((kind, seed) for kind, (_, seed) in sorted(near.seeds.get(path, {}).items())),
        )
        for path, score in as_told(scores, limit).items()
    ]


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: rounded for name, part in parts.items() if (rounded := round(part, DIGITS))}


def _gather(
    documents: Documents, searches: Searches, history: History, question: SearchQuestion
) -> tuple[Matches, Evidence]:
    named = named_files(documents, question.text)
    asked = _corrected(read(named.rest), documents)
    matches = searches.match(asked.terms, history.tells(asked.terms))
    recalled = history.recall(asked.terms)
    there = {path: score for path, score in recalled.nearest.items() if path in documents}
    alike = {path: score for path, score in recalled.alike.items() if path in documents}
    most_alike = _highest(alike)
    return matches, Evidence(
        asked,
        question,
        (_highest(matches.body), _highest(matches.chunk), _highest(matches.names), _highest(matches.path)),
        _defining(documents, asked.identifiers),
        by_rank(there),
        {path: score / most_alike for path, score in alike.items()},
        named.files,
    )


def _corrected(asked: Asked, documents: Documents) -> Asked:
    """Puts names that files have in the place of words that no file holds and that are nearly such a name."""
    words = asked.terms if len(asked.terms) <= MAX_TERMS else ()  # a long text has other words to go by
    right = {term: name for term in words if (name := documents.spelled_right(term)) is not None}
    if not right:
        return asked
    return asked._replace(
        terms=tuple(dict.fromkeys(right.get(term, term) for term in asked.terms)),
        identifiers=tuple(right.get(term, term) for term in asked.identifiers),
    )


def _considered(documents: Documents, history: History, matches: Matches, evidence: Evidence) -> list[str]:
    """The files that some kind of evidence speaks for, in the order of paths."""
    numbers: set[int] = set()
    for scores in (*matches[1:], evidence.identifiers):
        numbers.update(best_of(documents, scores, CONSIDERED))
    paths = {documents.path(number) for number in numbers}
    paths.update(evidence.commits)
    paths.update(heapq.nsmallest(CONSIDERED, evidence.alike, key=lambda path: (-evidence.alike[path], path)))
    paths.update(evidence.named)
    paths.update(path for path in evidence.question.mentioned if path in documents)
    paths.update(path for path in history.recent(CONSIDERED_RECENT) if path in documents)
    return sorted(paths)


def _defining(documents: Documents, identifiers: Iterable[str]) -> dict[int, int]:
    """Counts, of the names a prompt spells out, those that each file defines."""
    found: dict[int, int] = defaultdict(int)
    for identifier in identifiers:
        entries = documents.names.entries(identifier)
        if len(entries) <= CONSIDERED:
            for entry in entries:
                found[unit_of(entry)] += 1
    return found


def _near(
    documents: Documents,
    history: History,
    imports_of: ImportsOf,
    question: SearchQuestion,
    scores: Mapping[str, float],
) -> _Near:
    """Looks around the best files so far, and around those the conversation touched."""
    best = best_first(scores, SEEDS)
    touched = sorted(path for path in question.touched if path in documents)[:MAX_TOUCHED]
    imports = imports_of([path for path in best if path not in documents.links])
    near = _Near(defaultdict(lambda: defaultdict(float)), defaultdict(dict))
    for share, seed in zip(seed_shares([scores[path] for path in best]) if best else (), best, strict=True):
        _pass_on(near, "together", seed, share, history.together(seed), documents)
        _pass_on(near, "imports", seed, share, _imported(documents, seed, imports), documents)
        _pass_on(near, "pair", seed, share, _paired(documents, seed), documents)
    for seed in touched:
        share = 1 / len(touched)
        _pass_on(near, "togetherTouched", seed, share, history.together(seed), documents)
        _pass_on(near, "pairTouched", seed, share, _paired(documents, seed), documents)
        _pass_on(near, "folderTouched", seed, share, _beside(documents, seed), documents)
    return near


def _pass_on(
    near: _Near, kind: str, seed: str, share: float, neighbours: Mapping[str, float], documents: Documents
) -> None:
    for path, value in neighbours.items():
        if share * value >= FAINT and path in documents and path != seed:
            near.values[path][kind] += share * value
            before = near.seeds[path].get(kind)
            if before is None or share * value > before[0]:
                near.seeds[path][kind] = (share * value, seed)


def _imported(documents: Documents, seed: str, imports: Mapping[str, Sequence[str]]) -> dict[str, float]:
    targets = documents.links.get(seed)
    if targets is None and seed in imports:
        tree = Tree(documents, documents.ending_with, documents.inside)
        targets = sorted({path for specifier in imports[seed] for path in resolve(seed, specifier, tree)})
        documents.links[seed] = targets
    return dict.fromkeys(targets, 1 / math.sqrt(len(targets))) if targets else {}


def _paired(documents: Documents, seed: str) -> dict[str, float]:
    """A file's tests, a test's files; files of the same name elsewhere count half."""
    stem = stem_of(seed)
    if stem in COMMON_STEMS:
        return {}
    is_test = documents.kind(documents.number(seed)).test
    return {
        path: 1.0 if documents.kind(documents.number(path)).test != is_test else 0.5
        for path in documents.named_like(stem)
        if path != seed
    }


def _beside(documents: Documents, seed: str) -> dict[str, float]:
    files = documents.inside(folder_of(seed))
    return dict.fromkeys(files, 1 / math.sqrt(len(files))) if len(files) <= CONSIDERED else {}


def _highest(scores: Mapping[Any, float]) -> float:
    """The highest of some scores; 1 where none is above 0, so that it can be divided by."""
    return max(scores.values(), default=0.0) or 1.0
