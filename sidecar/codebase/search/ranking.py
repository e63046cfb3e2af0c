"""Which files a prompt is about: a linear model over what is known of each file, in two stages. Pure.

First each file is scored by itself; then what is near the best ones, or near files the conversation touched, gains.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

RANKING_VERSION = 8
"""Part of the search cache's key: a change of the order makes old results invalid."""

OWN_WEIGHTS: Mapping[str, float] = {
    "text": 2.37,         # BM25 of the whole content
    "passage": 2.01,      # BM25 of the best chunk
    "path": 1.74,         # BM25 of the path's words
    "names": 0.66,        # BM25 of the definitions' names
    "identifiers": 4.38,  # names spelled out in the prompt that the file defines
    "scope": 1.77,        # a conventional commit's scope, as in `fix(router): …`, names a part of the path
    "commits": 1.72,      # changed by the past commits most like the prompt
    "messages": 0.5,      # the words of all messages that ever changed it
    "latest": 1.5,        # changed by one of the last few commits
    "recent": 1.72,       # changed by one of the last few hundred commits
    "length": 0.56,
    "test": -0.23,
    "testAsked": 2.06,    # a test, and the prompt speaks of tests
    "document": -4.0,     # prose or data, and the prompt does not speak of it; the learnt weight is -7
    "generated": -1.15,
}  # fmt: skip
NEAR_BEST_WEIGHTS: Mapping[str, float] = {
    "together": 1.74,  # changed in the same commits
    "imports": 1.1,    # imported
    "pair": 1.09,      # a test and what it tests
}  # fmt: skip
NEAR_TOUCHED_WEIGHTS: Mapping[str, float] = {
    "togetherTouched": 4.94,
    "pairTouched": 1.15,
    "folderTouched": 1.03,
    "importsTouched": 0.5,
}
"""Learnt on 840 commits of 14 public repositories (httpx, click, express, gin, ripgrep, hono, black, clap, celery,
pytest, zod, pydantic, axum, bat): the subject is the prompt, the changed files are right; listwise softmax regression,
L2 1e-4, each value between 0 and 1. The second stage's with one of the right files known as touched."""

SAID_WEIGHTS: Mapping[str, float] = {"mentioned": 20.0, "namedPath": 14.0, "changed": 0.5}
"""Set, not learnt: what the user points at comes first; a file with changes of its own before its equal."""

SEEDS = 8
"""So many of the best files of the first stage pass on to their neighbours."""

_ONE_BY_ONE = {**OWN_WEIGHTS, **SAID_WEIGHTS}
_NEAR = {**NEAR_BEST_WEIGHTS, **NEAR_TOUCHED_WEIGHTS}
BESIDE_WORK = 1.0
"""A file that so often changes with what was touched, or is its test, is worth telling without a word in common."""

_LINKED = {"commits": 0.4, "scope": 0.5, "path": 0.5, "together": 0.15, "imports": 0.15, "pair": 0.3}
BEST = 8
"""So many of the best files are told of whatever speaks for them."""

_WORDS = ("text", "passage")
_TELLING = frozenset(("identifiers", "mentioned", "namedPath"))
_SILENT = frozenset(("latest", "recent", "length", "test", "testAsked", "document", "generated", "changed"))
_SPEAKING = frozenset((*OWN_WEIGHTS, *NEAR_BEST_WEIGHTS, *NEAR_TOUCHED_WEIGHTS, *SAID_WEIGHTS)) - _SILENT

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
    return {name: _ONE_BY_ONE[name] * value for name, value in values.items() if value}


def near_parts(values: Mapping[str, float]) -> dict[str, float]:
    """Weighs how near a file is to the best ones, and to those that were touched."""
    return {name: _NEAR[name] * value for name, value in values.items() if value}


def score_of(parts: Mapping[str, float]) -> float:
    """Adds up a score's parts, the same in whatever order they come."""
    return math.fsum(parts.values())


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
    """Leaves out, after the best ones, what hardly anything speaks for: a word, and that it changed lately."""
    return [one for rank, one in enumerate(found, 1) if rank <= BEST or not is_faint(one) or _is_linked(one)]


def _is_linked(ranked: Ranked) -> bool:
    """Says whether past commits, the prompt's scope, its path or a better file point at a file."""
    return any(ranked.parts.get(name, 0.0) >= least for name, least in _LINKED.items())


def speaks(parts: Mapping[str, float]) -> bool:
    """Says whether anything but a file's age, size and kind brought it here."""
    return not _SPEAKING.isdisjoint(parts)
