"""Which files a prompt is about: a linear model over what is known of each file, in two stages. Pure.

First each file is scored by itself; then what is near the best ones, or near files the conversation touched, gains.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from sidecar.codebase.files import Kind
from sidecar.codebase.search.bm25 import Matches
from sidecar.codebase.search.commit_history import History
from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.query import Asked, SearchQuestion

RANKING_VERSION = 11
"""Part of the search cache's key: a change of the order makes old results invalid."""

OWN_WEIGHTS: Mapping[str, float] = {
    "text": 1.79,         # BM25 of the whole content
    "passage": 1.67,      # BM25 of the best chunk
    "path": 1.81,         # BM25 of the path's words
    "names": 0.67,        # BM25 of the definitions' names
    "identifiers": 3.45,  # names spelled out in the prompt that the file defines
    "scope": 1.98,        # a conventional commit's scope, as in `fix(router): …`, names a part of the path
    "commits": 1.07,      # changed by the past commits most like the prompt
    "alike": 1.28,         # the same, by how much alike they are
    "latest": 1.44,        # changed by one of the last few commits
    "recent": 1.42,       # changed by one of the last few hundred commits
    "length": 1.06,
    "test": -0.45,
    "testAsked": 1.16,    # a test, and the prompt speaks of tests
    "generated": -2.1,
}  # fmt: skip
NEAR_BEST_WEIGHTS: Mapping[str, float] = {
    "together": 1.76,  # changed in the same commits
    "imports": 1.4,    # imported
    "pair": 1.29,      # a test and what it tests
}  # fmt: skip
NEAR_TOUCHED_WEIGHTS: Mapping[str, float] = {
    "togetherTouched": 2.7,
    "pairTouched": 1.4,
    "folderTouched": 1.2,
}
"""Learnt on 840 commits of 14 public repositories (httpx, click, express, gin, ripgrep, hono, black, clap, celery,
pytest, zod, pydantic, axum, bat): the subject is the prompt, the changed files are right; listwise softmax regression,
L2 1e-4, each value between 0 and 1. The second stage's with one of the right files known as touched."""

SET_WEIGHTS: Mapping[str, float] = {
    "mentioned": 20.0,
    "namedPath": 14.0,
    "changed": 0.5,
    "document": -4.0,       # prose or data, and the prompt does not speak of it
    "documentAsked": -2.0,  # the prompt does
    "foreign": -2.0,        # of no language we know
}  # fmt: skip
"""Set, not learnt: what the user points at comes first; a file with changes of its own before its equal. Where only
source files count as right, prose never is, and would learn more than is meant."""

SEEDS = 8
"""So many of the best files of the first stage pass on to their neighbours."""

ONE_BY_ONE = {**OWN_WEIGHTS, **SET_WEIGHTS}
_NEAR = {**NEAR_BEST_WEIGHTS, **NEAR_TOUCHED_WEIGHTS}
BESIDE_WORK = 0.5
"""A file that so often changes with what was touched, or is its test, is worth telling without a word in common."""

BEST = 8
"""So many of the best files are told of whatever speaks for them."""

LONG_ODDS = 6.0
"""A file whose odds against the likeliest one's are e to the minus this, one in four hundred, is not told."""

_WORDS = ("text", "passage")
_POINTED_AT = frozenset(("mentioned", "namedPath"))
_TELLING = frozenset(("identifiers", *_POINTED_AT))

DIGITS = 4
"""Scores are told, and compared, rounded to so many."""

LATEST_COMMITS, RECENT_COMMITS = 3.0, 300.0
RANK_HALF = 10.0


class Ranked(NamedTuple):
    """A file with its score, the score's parts, the prompt's terms it holds, rarest first, and its neighbours."""

    path: str
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]
    near: tuple[tuple[str, str], ...]
    """For each kind of nearness the file it is nearest to: (`together`, path)."""


def own_parts(values: Mapping[str, float]) -> dict[str, float]:
    """Weighs what is known of one file by itself; each value is between 0 and 1."""
    return {name: ONE_BY_ONE[name] * value for name, value in values.items() if value}


def near_parts(values: Mapping[str, float]) -> dict[str, float]:
    """Weighs how near a file is to the best ones, and to those that were touched."""
    return {name: _NEAR[name] * value for name, value in values.items() if value}


def score_of(parts: Iterable[float]) -> float:
    """Adds up a score's parts, the same in whatever order they come."""
    return math.fsum(parts)


def best_first(scores: Mapping[str, float], limit: int) -> list[str]:
    """Gives the paths of the highest scores; of equal ones those that come first."""
    return [path for _, path in sorted((-score, path) for path, score in _highest(scores, limit))[:limit]]


def as_told(scores: Mapping[str, float], limit: int) -> dict[str, float]:
    """Gives the highest scores, rounded, best first; of those that are told as equal the first by path."""
    near = _highest(scores, limit, 2 * 10**-DIGITS)
    return {path: -score for score, path in sorted((-round(score, DIGITS), path) for path, score in near)[:limit]}


def _highest(scores: Mapping[str, float], limit: int, within: float = 0.0) -> Iterable[tuple[str, float]]:
    """The highest scores, and others that come so near to the least of them."""
    if len(scores) <= limit:
        return scores.items()
    least = sorted(scores.values())[-limit] - within
    return (item for item in scores.items() if item[1] >= least)


def seed_shares(scores: Sequence[float]) -> list[float]:
    """Gives how much each of the best files passes on: a softmax of their scores, which come best first."""
    powers = [math.exp(score - scores[0]) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def by_rank(scores: Mapping[str, float]) -> dict[str, float]:
    """Turns scores into shares that fall with the rank only: 1 for the best, a half for the eleventh."""
    ordered = sorted(scores, key=lambda path: (-scores[path], path))
    return {path: RANK_HALF / (RANK_HALF + rank) for rank, path in enumerate(ordered)}


def recency(age: int | None, half: float) -> float:
    """From 1 for what the newest commit changed to a half after `half` commits; 0 without a commit."""
    return 0.0 if age is None else 1 / (1 + age / half)


def word_share(ranked: Ranked) -> float:
    """Says how well a file's text fits the prompt's words, as a share of the file it fits best."""
    return sum(ranked.parts.get(name, 0.0) for name in _WORDS) / sum(OWN_WEIGHTS[name] for name in _WORDS)


def is_faint(ranked: Ranked) -> bool:
    """Says whether hardly more than one word, or only the file's age, speaks for it."""
    beside_work = ranked.parts.get("togetherTouched", 0.0) + ranked.parts.get("pairTouched", 0.0)
    return len(ranked.matched) < 2 and _TELLING.isdisjoint(ranked.parts) and beside_work < BESIDE_WORK


def worth_telling(found: Sequence[Ranked]) -> list[Ranked]:
    """Leaves out, after the best ones, what is as good as certain not to matter beside the likeliest of all.

    The scores are learnt as logarithms of odds; what was set beside says how to order, not how likely.
    """
    likely = [one.score - sum(one.parts.get(name, 0.0) for name in _POINTED_AT) for one in found]
    least = max(likely, default=0.0) - LONG_ODDS
    return [
        one
        for rank, (one, score) in enumerate(zip(found, likely, strict=True), 1)
        if rank <= BEST or score >= least or not _POINTED_AT.isdisjoint(one.parts)
    ]


# What speaks for and against one file by itself, weighed; and what files weighed in the last searches. Pure.
#
# A file's weight follows from its scores, its length and the evidence. Where these are the same, as for nearly all
# files after an edit, it is not weighed again.


MANY_NAMES = 3
"""A file that defines more of the names a prompt spells out is as good as one that defines so many."""

KEPT_SEARCHES, KEPT_FILES = 4, 2_000

_BY_WORDS = ("text", "passage", "path", "names", "commits", "alike")
_WORD_WEIGHTS = tuple(ONE_BY_ONE[name] for name in _BY_WORDS)
_EDITED = own_parts({"changed": 1.0})
_NOTHING: Mapping[str, float] = {}


class Evidence(NamedTuple):
    """What the index and the history say of a question, beside the scores of single files."""

    asked: Asked
    question: SearchQuestion
    best: tuple[float, float, float, float]
    """The highest score of each kind of match."""
    identifiers: dict[int, int]
    commits: dict[str, float]
    alike: dict[str, float]
    """As a share of the best file's."""
    named: dict[str, float]
    """How surely a file is named by its path."""


class Own(NamedTuple):
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


class Weighed(NamedTuple):
    """A file as it was weighed, and by what."""

    by: tuple[object, ...]
    own: Own
    score: float
    speaks: bool


Weigh = Callable[[str], Weighed]
"""Weighs the file of a path."""


class _Kept(NamedTuple):
    """The files of one search, and what their weights follow from beside their own scores and lengths."""

    evidence: Evidence
    history: History
    files: dict[str, Weighed]


class Weighings:
    """What the files of some documents weighed in the last searches. Not thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Asked, _Kept] = OrderedDict()

    def of(self, documents: Documents, history: History, matches: Matches, evidence: Evidence) -> Weigh:
        """Gives what weighs the files of one search; hundreds are weighed in each."""
        kept = self._kept.pop(evidence.asked, None)
        if kept is None or kept.history is not history or kept.evidence != evidence or len(kept.files) > KEPT_FILES:
            kept = _Kept(evidence, history, {})
        self._kept[evidence.asked] = kept
        if len(self._kept) > KEPT_SEARCHES:
            self._kept.popitem(last=False)
        files, lengths, weigh = kept.files, documents.body_lengths, weighing(documents, history, matches, evidence)
        _, body, chunk, names, words = matches

        def known(path: str) -> Weighed:
            number = documents.number(path)
            by = (number, lengths[number], body.get(number), chunk.get(number), names.get(number), words.get(number))
            weighed = files.get(path)
            if weighed is None or weighed.by != by:
                own = weigh(path)
                weighed = files[path] = Weighed(by, own, score_of(own.values()), own.speaks)
            return weighed

        return known


def weighing(documents: Documents, history: History, matches: Matches, evidence: Evidence) -> Callable[[str], Own]:
    """Gives what weighs all that is known of one file by itself."""
    asked, question, commits, alike = evidence.asked, evidence.question, evidence.commits, evidence.alike
    _, body, chunk, names, words = matches
    best_body, best_chunk, best_names, best_words = evidence.best
    text_weight, chunk_weight, words_weight, names_weight, commits_weight, alike_weight = _WORD_WEIGHTS

    def weigh(path: str) -> Own:
        number = documents.number(path)
        text = body.get(number, 0.0) / best_body
        return Own(
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
