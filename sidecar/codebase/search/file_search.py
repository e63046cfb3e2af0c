"""One search: score each file by itself, add files related to the best ones, and sort. Pure."""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sidecar.codebase.files import COMMON_STEMS, stem_of
from sidecar.codebase.search.bm25 import MAX_TERMS, Matches, ScoreCache, top_documents
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.dependency_graph import ImportsOf, imported_files
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.query import ParsedQuery, SearchQuery, mentioned_files, parse_query
from sidecar.codebase.search.ranking import (
    DIGITS,
    SEEDS,
    BestScores,
    Evidence,
    FileScorer,
    RankedFile,
    best_first,
    by_rank,
    related_parts,
    rounded_top,
    score_of,
    seed_shares,
)
from sidecar.codebase.search.shared_documents import folder_of
from sidecar.codebase.search.worktree_documents import Documents

MAX_CANDIDATES = 100
"""Number of best files by each kind of evidence that are scored in full."""

RECENT_CANDIDATES = 30
MAX_TOUCHED = 30

MIN_RELATEDNESS = 0.001
"""Relatedness below this value is ignored."""


class _Related(NamedTuple):
    """Relatedness of files to the seeds, by kind; and for each kind the closest seed."""

    values: dict[str, dict[str, float]]
    seeds: dict[str, dict[str, tuple[float, str]]]


def rank_files(
    documents: Documents,
    score_cache: ScoreCache,
    history: History,
    imports_of: ImportsOf,
    query: SearchQuery,
    limit: int,
) -> list[RankedFile]:
    """Rank the files a query is about, best first, ties by path.

    `score_cache` belongs to the documents.
    """
    matches, evidence = _collect_evidence(documents, score_cache, history, query)
    scorer = FileScorer(documents, history, matches, evidence)
    scored = scorer.scores(_candidates(documents, history, matches, evidence))
    scores = {path: score for path, (score, has_evidence) in scored.items() if has_evidence}
    related = _related(documents, history, imports_of, query, scores)
    added = {path: related_parts(values) for path, values in related.values.items()}
    scored |= scorer.scores(path for path in added if path not in scored)
    for path, parts in added.items():
        scores[path] = scored[path][0] + score_of(parts.values())
    return [
        RankedFile(
            path,
            score,
            _rounded(scorer.parts(path) | added.get(path, {})),
            score_cache.matched(documents.number(path)),
            tuple((kind, seed) for kind, (_, seed) in sorted(related.seeds.get(path, {}).items())),
        )
        for path, score in rounded_top(scores, limit).items()
    ]


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: rounded for name, part in parts.items() if (rounded := round(part, DIGITS))}


def _collect_evidence(
    documents: Documents, score_cache: ScoreCache, history: History, query: SearchQuery
) -> tuple[Matches, Evidence]:
    mentioned = mentioned_files(documents, query.text)
    parsed = _corrected(parse_query(mentioned.rest), documents)
    matches = score_cache.match(parsed.terms, history.term_specificity(parsed.terms))
    similar_commits = history.similar_commits(parsed.terms)
    nearest = {path: score for path, score in similar_commits.nearest.items() if path in documents}
    similar = {path: score for path, score in similar_commits.weighted.items() if path in documents}
    highest = _highest(similar)
    return matches, Evidence(
        parsed,
        query,
        BestScores(_highest(matches.text), _highest(matches.passage), _highest(matches.names), _highest(matches.path)),
        _definition_counts(documents, parsed.identifiers),
        by_rank(nearest),
        {path: score / highest for path, score in similar.items()},
        mentioned.files,
    )


def _corrected(parsed: ParsedQuery, documents: Documents) -> ParsedQuery:
    """Replace words that no file contains by the name they probably misspell."""
    words = parsed.terms if len(parsed.terms) <= MAX_TERMS else ()  # a long text has enough other words
    corrections = {term: name for term in words if (name := documents.correct_spelling(term)) is not None}
    if not corrections:
        return parsed
    return parsed._replace(
        terms=tuple(dict.fromkeys(corrections.get(term, term) for term in parsed.terms)),
        identifiers=tuple(corrections.get(term, term) for term in parsed.identifiers),
    )


def _candidates(documents: Documents, history: History, matches: Matches, evidence: Evidence) -> set[str]:
    """Return the files with some evidence."""
    numbers: set[int] = set()
    for scores in (matches.text, matches.passage, matches.names, matches.path, evidence.identifiers):
        numbers.update(top_documents(documents, scores, MAX_CANDIDATES))
    paths = {documents.path(number) for number in numbers}
    paths.update(evidence.nearest_commits)
    similar = evidence.similar_commits
    paths.update(heapq.nsmallest(MAX_CANDIDATES, similar, key=lambda path: (-similar[path], path)))
    paths.update(evidence.mentioned)
    paths.update(path for path in evidence.query.mentioned if path in documents)
    paths.update(path for path in history.recent(RECENT_CANDIDATES) if path in documents)
    return paths


def _definition_counts(documents: Documents, identifiers: Iterable[str]) -> dict[int, int]:
    """Count for each file how many of the identifiers in the prompt it defines."""
    counts: dict[int, int] = defaultdict(int)
    for identifier in identifiers:
        entries = documents.names.entries(identifier)
        if len(entries) <= MAX_CANDIDATES:
            for entry in entries:
                counts[unit_of(entry)] += 1
    return counts


def _related(
    documents: Documents,
    history: History,
    imports_of: ImportsOf,
    query: SearchQuery,
    scores: Mapping[str, float],
) -> _Related:
    """Score files related to the best ones so far, and to those the conversation touched."""
    best = best_first(scores, SEEDS)
    touched = sorted(path for path in query.touched if path in documents)[:MAX_TOUCHED]
    imports = imports_of([path for path in best if path not in documents.resolved_imports])
    related = _Related(defaultdict(lambda: defaultdict(float)), defaultdict(dict))
    for share, seed in zip(seed_shares([scores[path] for path in best]) if best else (), best, strict=True):
        _add_related(related, "changedTogether", seed, share, history.changed_together(seed), documents)
        _add_related(related, "imports", seed, share, _imported(documents, seed, imports), documents)
        _add_related(related, "testPair", seed, share, _test_pairs(documents, seed), documents)
    for seed in touched:
        share = 1 / len(touched)
        _add_related(related, "changedWithTouched", seed, share, history.changed_together(seed), documents)
        _add_related(related, "testPairTouched", seed, share, _test_pairs(documents, seed), documents)
        _add_related(related, "folderTouched", seed, share, _same_folder(documents, seed), documents)
    return related


def _add_related(
    related: _Related, kind: str, seed: str, share: float, neighbours: Mapping[str, float], documents: Documents
) -> None:
    for path, value in neighbours.items():
        if share * value >= MIN_RELATEDNESS and path in documents and path != seed:
            related.values[path][kind] += share * value
            before = related.seeds[path].get(kind)
            if before is None or share * value > before[0]:
                related.seeds[path][kind] = (share * value, seed)


def _imported(documents: Documents, seed: str, imports: Mapping[str, Sequence[str]]) -> dict[str, float]:
    targets = documents.resolved_imports.get(seed)
    if targets is None and seed in imports:
        targets = imported_files(documents, seed, imports[seed])
    return dict.fromkeys(targets, 1 / math.sqrt(len(targets))) if targets else {}


def _test_pairs(documents: Documents, seed: str) -> dict[str, float]:
    """Return a file's tests, or a test's subjects; files of the same name elsewhere count half."""
    stem = stem_of(seed)
    if stem in COMMON_STEMS:
        return {}
    is_test = documents.kind(documents.number(seed)).test
    return {
        path: 1.0 if documents.kind(documents.number(path)).test != is_test else 0.5
        for path in documents.sharing_stem(stem)
        if path != seed
    }


def _same_folder(documents: Documents, seed: str) -> dict[str, float]:
    files = documents.in_folder(folder_of(seed))
    return dict.fromkeys(files, 1 / math.sqrt(len(files))) if len(files) <= MAX_CANDIDATES else {}


def _highest(scores: Mapping[Any, float]) -> float:
    """Return the highest score; 1 if none is above 0, so that it can be a divisor."""
    return max(scores.values(), default=0.0) or 1.0
