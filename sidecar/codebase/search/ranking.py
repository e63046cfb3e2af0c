"""The ranking of files: a linear model in two stages, and one search with it. Pure.

Each file is scored by itself first; then files related to the best ones, or to files the conversation touched, gain.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import mul
from typing import Any, NamedTuple

from sidecar.codebase.files import COMMON_STEMS, FileKind, stem_of
from sidecar.codebase.search.bm25 import MAX_TERMS, Matches, ScoreCache, top_documents
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.import_graph import ImportsOf, imported_files
from sidecar.codebase.search.mentioned_files import mentioned_files
from sidecar.codebase.search.query import FAILURE_WORDS, TEST_WORDS, ParsedQuery, SearchQuery, named_share, parse_query
from sidecar.codebase.search.shared_documents import folder_of
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.worktree.state import is_outside
from sidecar.core.terms import PROSE_ENDINGS, query_terms

RANKING_VERSION = 41
"""Part of the search cache's key: a change of the ranking invalidates cached results."""

TRAINED_WEIGHTS: Mapping[str, float] = {
    "text": 1.79,         # BM25 of the whole content
    "passage": 1.67,      # BM25 of the best passage
    "path": 1.81,         # BM25 of the path's words
    "names": 0.67,        # BM25 of the definitions' names
    "identifiers": 3.45,  # identifiers in the prompt that the file defines
    "scope": 1.98,        # a conventional commit's scope, as in `fix(router): …`, names a part of the path
    "nearestCommits": 1.07,  # changed by the commits most similar to the prompt
    "similarCommits": 1.28,  # the same, by the third power of similarity
    "latest": 1.44,        # changed by one of the last few commits
    "recent": 1.42,       # changed by one of the last few hundred commits
    "length": 1.06,
    "test": -0.45,
    "testRequested": 1.16,  # a test, and the prompt mentions tests
    "generated": -2.1,
}  # fmt: skip
RELATED_TO_BEST_WEIGHTS: Mapping[str, float] = {
    "changedTogether": 1.76,  # changed in the same commits
    "imports": 1.4,    # imported
    "testPair": 1.29,  # test and subject
}  # fmt: skip
RELATED_TO_TOUCHED_WEIGHTS: Mapping[str, float] = {
    "changedWithTouched": 2.7,
    "testPairTouched": 1.4,
    "folderTouched": 1.2,
}
"""Trained on 840 commits of 14 public repositories (httpx, click, express, gin, ripgrep, hono, black, clap, celery,
pytest, zod, pydantic, axum, bat): the subject is the prompt, the changed files are correct; listwise softmax
regression, L2 1e-4, each value between 0 and 1. For the second stage, one of the correct files is given as touched.
"""

MANUAL_WEIGHTS: Mapping[str, float] = {
    "mentioned": 20.0,
    "namedPath": 14.0,
    "quoted": 12.0, "usesQuoted": 14.0,  # has a text that the prompt quotes; uses its key
    "changed": 0.5,
    "document": -4.0,  # prose or data, and the prompt does not mention it
    "documentRequested": -2.0,  # the prompt does, but is not about documents
    "fileName": 1.0,  # the square of the share of its name's words that the prompt has
    "dataNamed": 2.5,  # data or configuration whose path has the prompt's words
    "unknownLanguage": -2.0,  # of no known language
    "outside": -1.0,  # outside of the workspace's folder
    "translation": -4.0,  # texts in another language than English, and the prompt is not about languages
    "view": 1.5,  # a page, component or style, and the prompt has words about a screen; less for a stylesheet if not
}  # fmt: skip
"""Set by hand, not trained: what the user points at comes first; a changed file comes before its equal. In the training
data only source files are correct, so a trained weight of prose would be far too low.
"""

_PROSE_ENDINGS = (*PROSE_ENDINGS, ".txt")

REQUESTED_SHARE, FULL_SOURCE_SHARE = 0.8, 0.25
"""Share of the weight of named data where the prompt mentions documents, whose penalty is lower; share of source code
from which documents and data count as the weights say.
"""

SEEDS = 8
"""Number of best files of the first stage whose related files gain."""

FEATURE_WEIGHTS = {**TRAINED_WEIGHTS, **MANUAL_WEIGHTS}
_RELATED_WEIGHTS = {**RELATED_TO_BEST_WEIGHTS, **RELATED_TO_TOUCHED_WEIGHTS}
MIN_CHANGED_WITH = 0.6
"""Share of the changes of the conversation's files at which a file belongs to them."""

ALWAYS_INCLUDED = 8
"""The top N files are always included."""

MAX_ODDS_GAP = 6.0
"""Log odds below the best file's, one in four hundred, at which a file is dropped."""

_TEXT_PARTS, NAMED_PARTS = ("text", "passage"), frozenset(("mentioned", "namedPath", "quoted", "usesQuoted"))

DIGITS = 4
"""Decimal places of reported and compared scores."""

LATEST_COMMITS, RECENT_COMMITS, RANK_HALF = 3.0, 300.0, 10.0


class RankedFile(NamedTuple):
    """A file with its score, the score's parts, the query's terms it contains, rarest first, and its related files."""

    path: str
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]
    related: tuple[tuple[str, str], ...]
    """For each kind of relatedness the closest file: (`changedTogether`, path)."""


def feature_parts(values: Mapping[str, float]) -> dict[str, float]:
    """Weight the features of one file by itself; each value is between 0 and 1."""
    return {name: FEATURE_WEIGHTS[name] * value for name, value in values.items() if value}


def related_parts(values: Mapping[str, float]) -> dict[str, float]:
    """Weight a file's relatedness to the best files and to touched ones."""
    return {name: _RELATED_WEIGHTS[name] * value for name, value in values.items() if value}


def score_of(parts: Iterable[float]) -> float:
    """Return the sum of a score's parts, independent of their order."""
    return math.fsum(parts)


def best_first(scores: Mapping[str, float], limit: int) -> list[str]:
    """Return the paths with the highest scores, ties by path."""
    return [path for _, path in sorted((-score, path) for path, score in _highest(scores, limit))[:limit]]


def rounded_top(scores: Mapping[str, float], limit: int) -> dict[str, float]:
    """Return the highest scores, rounded, best first; ties after rounding by path."""
    related = _highest(scores, limit, 2 * 10**-DIGITS)
    return {path: -score for score, path in sorted((-round(score, DIGITS), path) for path, score in related)[:limit]}


def _highest(scores: Mapping[str, float], limit: int, within: float = 0.0) -> Iterable[tuple[str, float]]:
    """Return the highest scores, and others within a distance of the lowest of them."""
    if len(scores) <= limit:
        return scores.items()
    least = sorted(scores.values())[-limit] - within
    return (item for item in scores.items() if item[1] >= least)


def seed_shares(scores: Sequence[float]) -> list[float]:
    """Return each seed's share: a softmax of the scores, which are sorted best first."""
    powers = [math.exp(score - scores[0]) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def by_rank(scores: Mapping[str, float]) -> dict[str, float]:
    """Turn scores into shares that depend on the rank only: 1 for the best, a half for the eleventh."""
    ordered = sorted(scores, key=lambda path: (-scores[path], path))
    return {path: RANK_HALF / (RANK_HALF + rank) for rank, path in enumerate(ordered)}


def recency(age: int | None, half: float) -> float:
    """Return 1 for the newest commit's files, falling to a half after `half` commits; 0 without a commit."""
    return 0.0 if age is None else 1 / (1 + age / half)


def text_match(ranked: RankedFile) -> float:
    """Return how well a file's text matches the query's words, relative to the best match."""
    return sum(ranked.parts.get(name, 0.0) for name in _TEXT_PARTS) / sum(TRAINED_WEIGHTS[name] for name in _TEXT_PARTS)


def changes_with_work(ranked: RankedFile) -> bool:
    """Whether a file nearly always changed together with the files that the conversation changed."""
    return (
        ranked.parts.get("changedWithTouched", 0.0)
        >= MIN_CHANGED_WITH * RELATED_TO_TOUCHED_WEIGHTS["changedWithTouched"]
    )


def score_without_names(ranked: RankedFile) -> float:
    """Return a file's log odds: the weights of named files only order them."""
    return ranked.score - sum(ranked.parts.get(name, 0.0) for name in NAMED_PARTS)


def drop_unlikely(ranked: Sequence[RankedFile]) -> list[RankedFile]:
    """Drop files that are almost certainly irrelevant compared with the likeliest one, except the top ones.

    Trained scores are log odds; weights set by hand only order and do not count here.
    """
    odds = list(map(score_without_names, ranked))
    least = max(odds, default=0.0) - MAX_ODDS_GAP
    return [
        file
        for rank, (file, score) in enumerate(zip(ranked, odds, strict=True), 1)
        if rank <= ALWAYS_INCLUDED or score >= least or not NAMED_PARTS.isdisjoint(file.parts)
    ]


LONG_TEXT_FACTORS: Mapping[str, float] = {
    "text": 0.9, "passage": 2.0, "path": 1.2, "names": 1.5, "identifiers": 0.7,
    "nearestCommits": 1.4, "similarCommits": 0.6, "latest": 0.2, "length": 0.0,
    "changedTogether": 1.4, "imports": 0.6, "testPair": 0.7,
    "test": 4.0, "testRequested": 0.3, "quoted": 0.25, "usesQuoted": 0.25,
}  # fmt: skip
"""Factors of a score's parts for the texts of a long prompt. Trained on 329 changes with long texts of 29 public
repositories (tests/benchmarks/region_cases.jsonl), among source files: a long prompt describes a passage, and neither a
file's length nor its latest change says anything about it. What it quotes is one sign of many, and the word `test` does
not make it about tests, by 31 and 217 of the changes.
"""

MENTIONED_BELOW_TITLE, _NO_SOURCE = 0.15, frozenset(("test", "document", "documentRequested", "unknownLanguage"))
"""Factor of what is no source file and mentioned below the first line, in passing, by the same 217 changes."""


def combine_rankings(rankings: Sequence[Sequence[RankedFile]], limit: int) -> list[RankedFile]:
    """Return files by the mean of their scores for long texts; the second ranking is by the first line.

    A ranking without a file counts with its lowest score, one of fewer files than the limit with 0.
    """
    share = 1 / len(rankings)
    by_path = [
        {file.path: _for_long_text(file, is_title=number == 1) for file in ranking}
        for number, ranking in enumerate(rankings)
    ]
    lowest = [min(file.score for file in files.values()) if len(files) >= limit else 0.0 for files in by_path]
    combined: list[RankedFile] = []
    for path in dict.fromkeys(path for files in by_path for path in files):
        parts: dict[str, float] = {}
        for files, low in zip(by_path, lowest, strict=True):
            for name, part in (files[path].parts if path in files else {"notFound": low}).items():
                parts[name] = parts.get(name, 0.0) + share * part
        known = [files[path] for files in by_path if path in files]
        rounded = {name: round(part, DIGITS) for name, part in parts.items() if round(part, DIGITS)}
        score = round(
            math.fsum(
                share * (files[path].score if path in files else low)
                for files, low in zip(by_path, lowest, strict=True)
            ),
            DIGITS,
        )
        combined.append(RankedFile(path, score, rounded, known[0].matched, known[0].related))
    return sorted(combined, key=lambda file: (-file.score, file.path))[:limit]


def _for_long_text(file: RankedFile, *, is_title: bool) -> RankedFile:
    parts = {name: LONG_TEXT_FACTORS.get(name, 1.0) * part for name, part in file.parts.items()}
    if not is_title and "namedPath" in parts and not _NO_SOURCE.isdisjoint(parts):
        parts["namedPath"] *= MENTIONED_BELOW_TITLE
    return file._replace(score=score_of(parts.values()), parts=parts)


MANY_NAMES = 3
"""Number of matching definitions from which more make no difference."""

_BY_WORDS = ("text", "passage", "path", "names", "nearestCommits", "similarCommits")
_PATH_WORDS = _BY_WORDS.index("path")
_WORD_WEIGHTS = tuple(FEATURE_WEIGHTS[name] for name in _BY_WORDS)
_EDITED, _NOTHING = feature_parts({"changed": 1.0}), dict[str, float]()


class BestScores(NamedTuple):
    """The highest score of each kind of match, at least 1 where none is above 0."""

    text: float
    passage: float
    names: float
    path: float


class QueryEvidence(NamedTuple):
    """Evidence of index and history for a query, apart from the scores of single files."""

    parsed: ParsedQuery
    terms: frozenset[str]
    query: SearchQuery
    best: BestScores
    identifiers: dict[int, int]
    nearest_commits: dict[str, float]
    similar_commits: dict[str, float]
    """Relative to the best file's."""
    mentioned: dict[str, float]
    """Certainty with which the text names a file by path."""
    source_share: float
    """Share of source code among the files, at most 1: of `FULL_SOURCE_SHARE`."""


class FileScorer:
    """Scores files by themselves. A search scores hundreds, and needs the parts of few."""

    def __init__(self, documents: Documents, history: History, matches: Matches, evidence: QueryEvidence) -> None:
        self._documents = documents
        self._history = history
        self._matches = matches
        self._evidence = evidence

    def scores(self, paths: Iterable[str]) -> dict[str, tuple[float, bool]]:
        """Return each file's score, and whether anything but the file's age, size and kind supports it."""
        number_of, evidence = self._documents.number, self._evidence
        has_scope, edited = bool(evidence.parsed.scope), sum(_EDITED.values())
        pointed = {*evidence.identifiers}, {*evidence.query.mentioned, *evidence.mentioned, *evidence.query.quoted}
        scores: dict[str, tuple[float, bool]] = {}
        for path in paths:
            number = number_of(path)
            words = self._words(path, number)
            by_words = sum(map(mul, _WORD_WEIGHTS, words))
            total, is_pointed = by_words + self._general(path, number)[1], False
            if words[_PATH_WORDS]:
                total += sum(self._by_name(path, number, words[_PATH_WORDS]).values())
            if has_scope or number in pointed[0] or path in pointed[1]:
                pointers = self._pointers(path, number)
                total, is_pointed = total + sum(pointers.values()), bool(pointers)
            if words[0] and path in evidence.query.changed:
                total += edited
            scores[path] = total, bool(is_pointed or by_words)
        return scores

    def parts(self, path: str) -> dict[str, float]:
        """Return the parts of a file's score by name."""
        number = self._documents.number(path)
        words = self._words(path, number)
        weighted = zip(_BY_WORDS, _WORD_WEIGHTS, words, strict=True)
        by_words = {name: weight * value for name, weight, value in weighted if value}
        edited = _EDITED if words[0] and path in self._evidence.query.changed else _NOTHING
        name = self._by_name(path, number, words[_PATH_WORDS])
        return {**by_words, **self._general(path, number)[0], **self._pointers(path, number), **edited, **name}

    def _words(self, path: str, number: int) -> tuple[float, ...]:
        """Return the matches of a file's words, in the order of `_BY_WORDS`."""
        matches, evidence = self._matches, self._evidence
        best = evidence.best
        return (
            matches.text.get(number, 0.0) / best.text,
            matches.passage.get(number, 0.0) / best.passage,
            matches.path.get(number, 0.0) / best.path,
            matches.names.get(number, 0.0) / best.names,
            evidence.nearest_commits.get(path, 0.0),
            evidence.similar_commits.get(path, 0.0),
        )

    def _general(self, path: str, number: int) -> tuple[Mapping[str, float], float]:
        documents, parsed = self._documents, self._evidence.parsed
        return _general_features(
            documents.kind(number),
            documents.text_lengths[number],
            self._history.age(path),
            parsed.mentions_tests,
            parsed.mentions_documents,
            parsed.wants_documents and path.lower().endswith(_PROSE_ENDINGS),
            is_outside(path),
            self._evidence.source_share,
            parsed.seeks_view(path),
            parsed.omits_translation(path, documents),
        )

    def _by_name(self, path: str, number: int, path_match: float) -> Mapping[str, float]:
        """Return what a file gains by its name, and data also by its path, which no word for its kind leads to."""
        if not path_match:
            return _NOTHING
        evidence, values = self._evidence, {"fileName": named_share(path, self._evidence.terms) ** 2}
        if self._documents.kind(number).document and not path.lower().endswith(_PROSE_ENDINGS):
            requested = REQUESTED_SHARE if evidence.parsed.mentions_documents else 1.0
            values["dataNamed"] = evidence.source_share * requested * path_match
        return feature_parts(values)

    def _pointers(self, path: str, number: int) -> Mapping[str, float]:
        """Return the weights of the forms in which the prompt mentions a file."""
        evidence = self._evidence
        values: dict[str, float] = {}
        if number in evidence.identifiers:
            values["identifiers"] = min(MANY_NAMES, evidence.identifiers[number]) / MANY_NAMES
        if evidence.parsed.scope:
            values["scope"] = _scope_share(self._documents, evidence.parsed.scope, number)
        if path in evidence.query.mentioned or path in evidence.mentioned:
            values["mentioned"] = float(path in evidence.query.mentioned)
            values["namedPath"] = evidence.mentioned.get(path, 0.0)
        values.update(evidence.query.quoted.get(path, {}))
        return feature_parts(values) if values else _NOTHING


@lru_cache(maxsize=1_024)
def _general_features(
    kind: FileKind,
    terms: int,
    age: int | None,
    mentions_tests: bool,
    mentions_documents: bool,
    is_document_sought: bool,
    outside: bool,
    source_share: float,
    view: float,
    translation: bool,
) -> tuple[Mapping[str, float], float]:
    """Weight what is known of a file apart from its words: length, kind, age; return the parts and their sum."""
    features = {
        "length": math.log1p(terms) / 10,
        "test": kind.test,
        "testRequested": kind.test and mentions_tests,
        "document": source_share * (kind.document and not mentions_documents and not is_document_sought),
        "documentRequested": source_share * (kind.document and mentions_documents and not is_document_sought),
        "unknownLanguage": source_share * (kind.unknown_language and not is_document_sought),
        "generated": kind.generated,
        "outside": outside,
        "view": 0.0 if kind.test or translation else view,
        "translation": translation,
    }
    values = {name: float(value) for name, value in features.items() if value}
    if age is not None:
        values |= {"latest": recency(age, LATEST_COMMITS), "recent": recency(age, RECENT_COMMITS)}
    parts = feature_parts(values)
    return parts, math.fsum(parts.values())


def _scope_share(documents: Documents, scope: frozenset[str], number: int) -> float:
    return sum(documents.paths.contains(term, number, number + 1) for term in scope) / len(scope)


MAX_CANDIDATES = 100
"""Number of best files by each kind of evidence that are scored in full."""
RECENT_CANDIDATES, MAX_TOUCHED = 30, 30

MIN_RELATEDNESS, MIN_GAIN_ALONE = 0.001, 0.1
"""Value below which relatedness is ignored; gain by it with which a file that nothing else supports is found, behind
the best one: with less, or before it, its age and length would find it.
"""


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
    gains = {path: score_of(parts.values()) for path, parts in added.items()}
    best = max((score + gains.get(path, 0.0) for path, score in scores.items()), default=0.0)
    for path, parts in added.items():
        score = scored[path][0] + gains[path]
        is_led_to = gains[path] >= MIN_GAIN_ALONE and score < best
        is_led_to = is_led_to and not evidence.parsed.omits_translation(path, documents)
        if path in scores or is_led_to or not RELATED_TO_TOUCHED_WEIGHTS.keys().isdisjoint(parts):
            scores[path] = score
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
) -> tuple[Matches, QueryEvidence]:
    mentioned = mentioned_files(documents, query.text, query.prose, query.touched)
    parsed = _about_subject(parse_query(mentioned.rest), mentioned.files, documents)
    parsed = _with_known_words(parsed, documents)
    matches = score_cache.match(parsed.terms, history.term_specificity(parsed.terms))
    similar_commits = history.similar_commits(parsed.terms)
    nearest = {path: score for path, score in similar_commits.nearest.items() if path in documents}
    similar = {path: score for path, score in similar_commits.weighted.items() if path in documents}
    highest = _maximum(similar)
    return matches, QueryEvidence(
        parsed,
        frozenset(parsed.terms),
        query,
        BestScores(_maximum(matches.text), _maximum(matches.passage), _maximum(matches.names), _maximum(matches.path)),
        documents.definition_counts(parsed.identifiers, MAX_CANDIDATES),
        by_rank(nearest),
        {path: score / highest for path, score in similar.items()},
        mentioned.files,
        round(min(1.0, documents.source_share() / FULL_SOURCE_SHARE), 2),
    )


def _about_subject(parsed: ParsedQuery, mentioned: Iterable[str], documents: Documents) -> ParsedQuery:
    """Replace the words for tests, where a mentioned test fails, by that test's name: it says what it tests."""
    tests = [path for path in mentioned if documents.kind(documents.number(path)).test]
    if not tests or FAILURE_WORDS.isdisjoint(parsed.terms):
        return parsed
    names = (term for path in tests for term in query_terms(stem_of(path)))
    terms = dict.fromkeys((*(term for term in parsed.terms if term not in TEST_WORDS), *names))
    return parsed._replace(terms=tuple(terms), mentions_tests=False)


def _with_known_words(parsed: ParsedQuery, documents: Documents) -> ParsedQuery:
    """Replace words that no file contains by those that they misspell, are derived from or consist of."""
    words = parsed.terms if len(parsed.terms) <= MAX_TERMS else ()  # a long text has enough other words
    forms = {term: known for term in words if (known := documents.known_forms(term)) not in ((), (term,))}
    if not forms:
        return parsed
    return parsed._replace(
        terms=tuple(dict.fromkeys(form for term in parsed.terms for form in forms.get(term, (term,)))),
        identifiers=tuple(forms[term][0] if len(forms.get(term, ())) == 1 else term for term in parsed.identifiers),
    )


def _candidates(documents: Documents, history: History, matches: Matches, evidence: QueryEvidence) -> set[str]:
    """Return the files with some evidence."""
    numbers: set[int] = set()
    for scores in (matches.text, matches.passage, matches.names, matches.path, evidence.identifiers):
        numbers.update(top_documents(documents, scores, MAX_CANDIDATES))
    paths = {documents.path(number) for number in numbers}
    paths.update(evidence.nearest_commits)
    similar = evidence.similar_commits
    paths.update(heapq.nsmallest(MAX_CANDIDATES, similar, key=lambda path: (-similar[path], path)))
    paths.update(evidence.mentioned)
    paths.update(path for path in (*evidence.query.mentioned, *evidence.query.quoted) if path in documents)
    paths.update(path for path in history.recent(RECENT_CANDIDATES) if path in documents)
    return paths


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
    """Return a file's tests, or a test's subjects; files of the same name elsewhere count half.

    A common name such as `utils` pairs only files of one folder.
    """
    stem = stem_of(seed)
    shared = [] if stem in COMMON_STEMS else documents.sharing_stem(stem)
    tests = {path: documents.kind(documents.number(path)).test for path in shared or documents.beside(seed)}
    own = documents.kind(documents.number(seed)).test
    return {path: 0.5 if test == own else 1.0 for path, test in tests.items() if shared or test != own}


def _same_folder(documents: Documents, seed: str) -> dict[str, float]:
    files = documents.in_folder(folder_of(seed))
    return dict.fromkeys(files, 1 / math.sqrt(len(files))) if len(files) <= MAX_CANDIDATES else {}


def _maximum(scores: Mapping[Any, float]) -> float:
    """Return the highest score; 1 if none is above 0, so that it can be a divisor."""
    return max(scores.values(), default=0.0) or 1.0
