"""Which files a prompt is about: BM25 over contents, definitions and paths, and what the prompt names. Pure."""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import NamedTuple

RANKING_VERSION = 4
"""Part of the search cache's key: a change of the order makes old results invalid."""

K1 = 1.2
B = 0.75
"""BM25's usual parameters (Robertson and Zaragoza 2009)."""

PATH_WEIGHT = 4
DEFINITION_WEIGHT = 3
"""How many occurrences in the text one in the path, or in a definition's name, is worth (BM25F)."""

NAMED_PATH_BONUS = 2.0
NAMED_DEFINITION_BONUS = 0.6
CHANGED_BONUS = 0.15
TEST_FACTOR = 0.8
DOCS_FACTOR = 0.7
GENERATED_FACTOR = 0.3
"""Shares of the best BM25 score that are added, and factors on a file's own."""

RELEVANCE_FLOOR = 0.25
"""A file below this share of the best score is not worth its bytes."""


COMMON_SHARE = 0.1
COMMON_FILES = 1_000
"""A term in more files than both of these say tells hardly any apart: it finds none that rarer terms do not find."""


class Traits(NamedTuple):
    """What kind of file a path names."""

    generated: bool
    test: bool
    document: bool


class Candidate(NamedTuple):
    """A file that shares a term with the prompt, or that the prompt names; `text` is its BM25 score."""

    path: str
    text: float
    traits: Traits


class Corpus(NamedTuple):
    """What BM25 has to know of all files together."""

    file_count: int
    average_length: float
    lengths: Sequence[int]
    """Weighted number of terms by a file's number; negative where the file is gone."""


class Posting(NamedTuple):
    """A term's files: each entry is a file's number, and in the last 8 bits its weighted occurrences."""

    entries: Sequence[int]
    file_count: int
    """Files of the entries that are still there."""


class Signals(NamedTuple):
    """What the prompt and the worktree say beside the terms."""

    named_paths: AbstractSet[str]
    named_definitions: AbstractSet[str]
    """Paths of the files that define a name the prompt spells out."""
    changed: AbstractSet[str]
    wants_tests: bool
    wants_docs: bool


class Ranked(NamedTuple):
    """A file with its score, the score's parts, and the prompt's terms it holds, rarest first."""

    path: str
    score: float
    parts: dict[str, float]
    matched: tuple[str, ...]


def weights_of(postings: Mapping[str, Posting], file_count: int) -> dict[str, float]:
    """Gives BM25's inverse document frequency of each term, the rarest term first."""
    weights = {
        term: math.log(1 + (file_count - posting.file_count + 0.5) / (posting.file_count + 0.5))
        for term, posting in postings.items()
    }
    return dict(sorted(weights.items(), key=lambda item: (-item[1], item[0])))


def text_scores(postings: Mapping[str, Posting], weights: Mapping[str, float], corpus: Corpus) -> dict[int, float]:
    """Gives the BM25 score of every file that holds a term, by number.

    `weights` come with the rarest term first, so that common ones only add to what is found already.
    """
    fixed, slope = K1 * (1 - B), K1 * B / (corpus.average_length or 1.0)
    lengths, common = corpus.lengths, max(COMMON_FILES, corpus.file_count * COMMON_SHARE)
    scores: dict[int, float] = {}
    for term, weight in weights.items():
        finds = not scores or postings[term].file_count <= common
        factor = weight * (K1 + 1)
        for entry in postings[term].entries:
            number = entry >> 8
            length = lengths[number]
            if length < 0 or not (finds or number in scores):
                continue
            frequency = entry & 0xFF
            scores[number] = scores.get(number, 0.0) + factor * frequency / (frequency + fixed + slope * length)
    return scores


def rank(
    special: Sequence[Candidate], plain: Iterable[Candidate], signals: Signals, limit: int
) -> list[tuple[Candidate, float, dict[str, float]]]:
    """Orders candidates by score, ties by path, and ends the list at the relevance floor.

    `special` are those that a signal raises; `plain` come with the best text first, and are looked at only as far
    as they can be among the `limit` best. Gives each with its score and the score's parts.
    """
    rest = iter(plain)
    first = next(rest, None)
    best = max((candidate.text for candidate in (*special, *([first] if first else []))), default=0.0) or 1.0
    scored = [_scored(candidate, best, signals) for candidate in special]
    highest = heapq.nlargest(limit, (score for _, score, _ in scored))[::-1]  # smallest first: a heap
    for candidate in chain([first] if first else [], rest):
        reachable = round(candidate.text / best, 4)
        if len(highest) >= limit and reachable < highest[0]:
            break
        one = _scored(candidate, best, signals)
        scored.append(one)
        heapq.heappush(highest, one[1])
        if len(highest) > limit:
            heapq.heappop(highest)
    scored.sort(key=lambda one: (-one[1], one[0].path))
    floor = scored[0][1] * RELEVANCE_FLOOR if scored else 0.0
    return [one for one in scored[:limit] if one[1] > 0 and one[1] >= floor]


def _scored(candidate: Candidate, best: float, signals: Signals) -> tuple[Candidate, float, dict[str, float]]:
    parts = {"text": round(candidate.text / best * _factor(candidate.traits, signals), 4)}
    if candidate.path in signals.named_paths:
        parts["namedPath"] = NAMED_PATH_BONUS
    if candidate.path in signals.named_definitions:
        parts["namedDefinition"] = NAMED_DEFINITION_BONUS
    if candidate.path in signals.changed and candidate.text > 0:
        parts["changed"] = CHANGED_BONUS
    return candidate, round(sum(parts.values()), 4), parts


def _factor(traits: Traits, signals: Signals) -> float:
    if traits.generated:
        return GENERATED_FACTOR
    if traits.test and not signals.wants_tests:
        return TEST_FACTOR
    if traits.document and not signals.wants_docs:
        return DOCS_FACTOR
    return 1.0


def is_test(path: str) -> bool:
    """Says whether a file is a test by its name or folder."""
    name = path.rsplit("/", 1)[-1].lower()
    folders = path.lower().split("/")[:-1]
    return (
        any(folder in ("test", "tests", "__tests__", "spec", "specs", "e2e") for folder in folders)
        or name.startswith("test_")
        or any(mark in name for mark in (".test.", ".spec.", "_test.", "_spec."))
    )


def is_document(path: str) -> bool:
    """Says whether a file is prose or plain data rather than code."""
    return path.lower().endswith((".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv", ".html"))
