"""What past commits tell about today's files: changed under such words, changed together, changed lately. Pure."""

import heapq
import math
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sidecar.codebase.search.commits import Commit
from sidecar.codebase.terms import query_terms

NEAREST = 20
"""So many of the commits whose subjects are most like a prompt point at their files (k nearest neighbours)."""

USUAL_TERMS = 7
"""A subject of so many terms is neither long nor short, in BM25's sense."""

TOGETHER_COMMITS = 1_500.0
"""After so many commits a change says 1/e as much about what belongs together."""

_K1, _B = 1.2, 0.75


class Recalled(NamedTuple):
    """Evidence by path, not normalised."""

    nearest: dict[str, float]
    """From the commits most like the prompt, the score of each shared among its files."""
    messages: dict[str, float]
    """From the words of all subjects that ever changed the file, taken as one document."""


class History:
    """The commits that one head can reach, over the names their files have now. Never changed once made."""

    def __init__(self, commits: Sequence[Commit]) -> None:
        """Takes the commits, newest first."""
        self._names: list[str] = []
        self._files: list[tuple[int, ...]] = []
        self._changes: dict[str, array[int]] = {}
        self._by_term: dict[str, array[int]] = {}
        self._term_counts = array("I")
        # The same is asked after each edit of a conversation, and a history never changes.
        self._recalled = lru_cache(maxsize=16)(self._recall)
        self._beside = lru_cache(maxsize=256)(self._together)
        numbers: dict[str, int] = {}
        today: dict[str, str] = {}
        for number, commit in enumerate(commits):
            paths = {today.get(path, path) for path in commit.paths}
            for path in sorted(paths):
                if path not in numbers:
                    numbers[path] = len(self._names)
                    self._names.append(path)
                self._changes.setdefault(path, array("I")).append(number)
            self._files.append(tuple(numbers[path] for path in sorted(paths)))
            terms = query_terms(commit.subject) if paths else []
            self._term_counts.append(len(terms))
            for term in terms:
                self._by_term.setdefault(term, array("I")).append(number)
            before = {old: today.get(new, new) for old, new in commit.moved}
            for _, new in commit.moved:
                today.pop(new, None)  # what had this name earlier was another file
            today.update(before)

    def __len__(self) -> int:
        return len(self._files)

    def recall(self, terms: Sequence[str]) -> Recalled:
        """Finds the files that were changed under such words."""
        return self._recalled(tuple(terms))

    def _recall(self, terms: tuple[str, ...]) -> Recalled:
        weights = {term: self._weight(term) for term in terms if term in self._by_term}
        scores: dict[int, float] = defaultdict(float)
        words: dict[int, dict[str, float]] = {}
        for term, weight in weights.items():
            for number in self._by_term[term]:
                scores[number] += weight / (1 + _K1 * (1 - _B + _B * self._term_counts[number] / USUAL_TERMS))
                share = 1 / math.sqrt(len(self._files[number]))
                for file in self._files[number]:
                    counts = words.setdefault(file, {})
                    counts[term] = counts.get(term, 0.0) + share
        nearest: dict[str, float] = defaultdict(float)
        for number in heapq.nsmallest(NEAREST, scores, key=lambda number: (-scores[number], number)):
            files = self._files[number]
            for file in files:
                nearest[self._names[file]] += scores[number] / math.sqrt(len(files))
        messages = {
            self._names[file]: sum(weights[term] * count / (count + _K1) for term, count in counts.items())
            for file, counts in words.items()
        }
        return Recalled(dict(nearest), messages)

    def age(self, path: str) -> int | None:
        """Gives how many commits are newer than the last one that changed a file; None where none did."""
        changes = self._changes.get(path)
        return changes[0] if changes else None

    def changes(self, path: str) -> Sequence[int]:
        """Gives the numbers of the commits that changed a file, the newest first, which is 0."""
        return self._changes.get(path, ())

    def changed_since(self, commits: int) -> list[str]:
        """Gives the files that the newest commits changed, so many of them; sorted."""
        return sorted({self._names[file] for files in self._files[:commits] for file in files})

    def recent(self, limit: int) -> list[str]:
        """Gives the files that were changed last, the latest first."""
        return heapq.nsmallest(limit, self._changes, key=lambda path: (self._changes[path][0], path))

    def together(self, path: str) -> Mapping[str, float]:
        """Gives the files that changed together with one, with the share of its changes they took part in."""
        return self._beside(path)

    def _together(self, path: str) -> Mapping[str, float]:
        shares: defaultdict[int, float] = defaultdict(float)
        all_ = 0.5
        for number in self._changes.get(path, ()):
            files = self._files[number]
            if len(files) < 2:
                continue
            weight = math.exp(-number / TOGETHER_COMMITS) / math.log2(1 + len(files))
            all_ += weight
            for file in files:
                shares[file] += weight
        return {self._names[file]: share / all_ for file, share in shares.items() if self._names[file] != path}

    def _weight(self, term: str) -> float:
        found = len(self._by_term[term])
        return (_K1 + 1) * math.log(1 + (len(self._files) - found + 0.5) / (found + 0.5))
