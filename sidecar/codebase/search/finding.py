"""One search: what each file says for itself, what is near the best ones, and the order that comes of it. Pure."""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from sidecar.codebase.kinds import COMMON_STEMS, Kind, stem_of
from sidecar.codebase.search.documents import Documents, folder_of
from sidecar.codebase.search.history import History
from sidecar.codebase.search.matching import MAX_TERMS, Matches, best_of
from sidecar.codebase.search.modules import Tree, resolve
from sidecar.codebase.search.naming import named_files
from sidecar.codebase.search.postings import unit_of
from sidecar.codebase.search.question import Asked, SearchQuestion, read
from sidecar.codebase.search.ranking import (
    DIGITS,
    LATEST_COMMITS,
    ONE_BY_ONE,
    RECENT_COMMITS,
    SEEDS,
    Ranked,
    as_told,
    best_first,
    by_rank,
    near_parts,
    own_parts,
    recency,
    score_of,
    seed_shares,
)
from sidecar.codebase.search.scores import Searches

CONSIDERED = 100
"""So many of the best files by each kind of evidence are looked at more closely."""

CONSIDERED_RECENT = 30
MAX_TOUCHED = 30
MANY_NAMES = 3
"""A file that defines more of the names a prompt spells out is as good as one that defines so many."""

_BY_WORDS = ("text", "passage", "path", "names", "commits", "alike")
_WORD_WEIGHTS = tuple(ONE_BY_ONE[name] for name in _BY_WORDS)
_EDITED = own_parts({"changed": 1.0})
_NOTHING: Mapping[str, float] = {}

FAINT = 0.001
"""A file this little near another is not near it."""

ImportsOf = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Paths to the module specifiers that these files import, as far as they are known."""


class _Evidence(NamedTuple):
    """What the index and the history say of a question."""

    asked: Asked
    question: SearchQuestion
    matches: Matches
    best: tuple[float, float, float, float]
    """The highest score of each kind of match."""
    identifiers: dict[int, int]
    commits: dict[str, float]
    alike: dict[str, float]
    """As a share of the best file's."""
    named: dict[str, float]
    """How surely a file is named by its path."""


class _Own(NamedTuple):
    """What speaks for and against one file by itself, weighed."""

    words: tuple[float, ...]
    """In the order of `_BY_WORDS`."""
    standing: Mapping[str, float]
    pointed: Mapping[str, float]
    """How the prompt points at it."""
    edited: Mapping[str, float]

    @property
    def speaks(self) -> bool:
        """Says whether anything but the file's age, size and kind brought it here."""
        return bool(self.pointed) or any(self.words)

    def values(self) -> Iterable[float]:
        """Gives the parts of its score."""
        return chain(self.words, self.standing.values(), self.pointed.values(), self.edited.values())

    def parts(self) -> dict[str, float]:
        """Gives the parts by name."""
        by_words = {name: part for name, part in zip(_BY_WORDS, self.words, strict=True) if part}
        return {**by_words, **self.standing, **self.pointed, **self.edited}


class _Near(NamedTuple):
    """How near files are to seeds, by kind; and for each kind the seed they are nearest to."""

    values: dict[str, dict[str, float]]
    seeds: dict[str, dict[str, tuple[float, str]]]


def find(
    documents: Documents,
    searches: Searches,
    history: History,
    imports_of: ImportsOf,
    question: SearchQuestion,
    limit: int,
) -> list[Ranked]:
    """Ranks the files a question is about, best first, ties by path; `searches` are those of the documents."""
    evidence = _gather(documents, searches, history, question)
    weigh = _weighing(documents, history, evidence)
    known = {path: weigh(path) for path in _considered(documents, history, evidence)}
    scores = {path: score_of(one.values()) for path, one in known.items() if one.speaks}
    near = _near(documents, history, imports_of, question, scores)
    beside = {path: near_parts(values) for path, values in near.values.items()}
    for path, parts in beside.items():
        known[path] = known.get(path) or weigh(path)
        scores[path] = score_of((*known[path].values(), *parts.values()))
    return [
        Ranked(
            path,
            score,
            _rounded(known[path].parts() | beside.get(path, {})),
            searches.matched(documents.number(path)),
            tuple((kind, seed) for kind, (_, seed) in sorted(near.seeds.get(path, {}).items())),
        )
        for path, score in as_told(scores, limit).items()
    ]


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: rounded for name, part in parts.items() if (rounded := round(part, DIGITS))}


def _gather(documents: Documents, searches: Searches, history: History, question: SearchQuestion) -> _Evidence:
    named = named_files(documents, question.text)
    asked = _corrected(read(named.rest), documents)
    matches = searches.match(asked.terms, history.tells(asked.terms))
    recalled = history.recall(asked.terms)
    there = {path: score for path, score in recalled.nearest.items() if path in documents}
    alike = {path: score for path, score in recalled.alike.items() if path in documents}
    most_alike = _highest(alike)
    return _Evidence(
        asked,
        question,
        matches,
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


def _considered(documents: Documents, history: History, evidence: _Evidence) -> list[str]:
    """The files that some kind of evidence speaks for, in the order of paths."""
    numbers: set[int] = set()
    for scores in (*evidence.matches[1:], evidence.identifiers):
        numbers.update(best_of(documents, scores, CONSIDERED))
    paths = {documents.path(number) for number in numbers}
    paths.update(evidence.commits)
    paths.update(heapq.nsmallest(CONSIDERED, evidence.alike, key=lambda path: (-evidence.alike[path], path)))
    paths.update(evidence.named)
    paths.update(path for path in evidence.question.mentioned if path in documents)
    paths.update(path for path in history.recent(CONSIDERED_RECENT) if path in documents)
    return sorted(paths)


def _weighing(documents: Documents, history: History, evidence: _Evidence) -> Callable[[str], _Own]:
    """Gives what weighs all that is known of one file by itself; hundreds of files are weighed in each search."""
    asked, question, commits, alike = evidence.asked, evidence.question, evidence.commits, evidence.alike
    _, body, chunk, names, words = evidence.matches
    best_body, best_chunk, best_names, best_words = evidence.best
    text_weight, chunk_weight, words_weight, names_weight, commits_weight, alike_weight = _WORD_WEIGHTS

    def weigh(path: str) -> _Own:
        number = documents.number(path)
        text = body.get(number, 0.0) / best_body
        return _Own(
            (
                text_weight * text,
                chunk_weight * (chunk.get(number, 0.0) / best_chunk),
                words_weight * (words.get(number, 0.0) / best_words),
                names_weight * (names.get(number, 0.0) / best_names),
                commits_weight * commits.get(path, 0.0),
                alike_weight * alike.get(path, 0.0),
            ),
            _standing(
                documents.kind(number),
                documents.body_lengths[number],
                history.age(path),
                asked.wants_tests,
                asked.wants_documents,
            ),
            pointed(number, path),
            _EDITED if text and path in question.changed else _NOTHING,
        )

    def pointed(number: int, path: str) -> Mapping[str, float]:
        values = {}
        if number in evidence.identifiers:
            values["identifiers"] = min(MANY_NAMES, evidence.identifiers[number]) / MANY_NAMES
        if asked.scope:
            values["scope"] = _scope_share(documents, asked.scope, number)
        if path in question.mentioned or path in evidence.named:
            values |= {"mentioned": float(path in question.mentioned), "namedPath": evidence.named.get(path, 0.0)}
        return own_parts(values) if values else _NOTHING

    return weigh


@lru_cache(maxsize=1_024)
def _standing(kind: Kind, terms: int, age: int | None, wants_tests: bool, wants_documents: bool) -> Mapping[str, float]:
    """What is known of a file whatever its words, weighed: length, kind, beside what is asked for, and age."""
    said = {
        "length": math.log1p(terms) / 10,
        "test": kind.test,
        "testAsked": kind.test and wants_tests,
        "document": kind.document and not wants_documents,
        "documentAsked": kind.document and wants_documents,
        "foreign": kind.foreign,
        "generated": kind.generated,
    }
    values = {name: float(value) for name, value in said.items() if value}
    if age is not None:
        values |= {"latest": recency(age, LATEST_COMMITS), "recent": recency(age, RECENT_COMMITS)}
    return own_parts(values)


def _scope_share(documents: Documents, scope: frozenset[str], number: int) -> float:
    return sum(documents.paths.stands(term, number, number + 1) for term in scope) / len(scope)


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
