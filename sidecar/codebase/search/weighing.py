"""What speaks for and against one file by itself, weighed; and what files weighed in the last searches. Pure.

A file's weight follows from its scores, its length and the evidence. Where these are the same, as for nearly all files
after an edit, it is not weighed again.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from sidecar.codebase.kinds import Kind
from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.history import History
from sidecar.codebase.search.matching import Matches
from sidecar.codebase.search.question import Asked, SearchQuestion
from sidecar.codebase.search.ranking import LATEST_COMMITS, ONE_BY_ONE, RECENT_COMMITS, own_parts, recency, score_of

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
