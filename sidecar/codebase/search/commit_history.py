"""The commits that lead to a head, as `git log` tells them: subject, changed files, files that moved."""

import heapq
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidecar.core.terms import query_terms
from sidecar.system.git import Git, GitFailed

MAX_COMMITS = 5_000
"""Older ones say little about today's files; reading so many takes a fraction of a second."""

MAX_COMMIT_FILES = 30
"""A commit of more files is a sweep through the tree: it says nothing about which files belong together."""

_LOG = (
    "log", "--full-history", "--no-merges", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--relative",
    "--ignore-submodules=all", "--no-show-signature", "--no-mailmap", "--no-notes", "-z", "--format=%H %ct %P%x09%s",
)  # fmt: skip
"""`--full-history`: git's simplification hides commits whose change was made twice."""


class Commit(NamedTuple):
    """One commit; paths are relative to the workspace, as they were then."""

    id: str
    committed_at: int
    """Seconds since 1970, as the committer's clock said."""
    subject: str
    paths: tuple[str, ...]
    """Files that are there after it, changed by it; none where it changed too many, or was the first of all."""
    moved: tuple[tuple[str, str], ...]
    """Old and new path of the files it moved."""


class _Change(NamedTuple):
    status: str
    old_blob: str
    new_blob: str
    path: str


def read_commits(cwd: Path, head: str, limit: int = MAX_COMMITS, *, since: str | None = None) -> list[Commit]:
    """Reads the commits that `head` can reach, without merges, newest first; raises GitFailed.

    With `since`, without those that this one can reach.
    """
    range_ = (head,) if since is None else (head, f"^{since}")
    output = Git(cwd).run(*_LOG, f"--max-count={limit}", *range_, "--")
    return list(parse_log(output.decode("utf-8", "surrogateescape")))


def parse_log(output: str) -> Iterator[Commit]:
    """Reads headers (id, time, parents, tab, subject), each with raw entries (modes, blobs, status) and their paths."""
    header: str | None = None
    changes: list[_Change] = []
    fields = iter(output.split("\0"))
    for field in fields:
        if field.lstrip("\n").startswith(":"):
            _, _, old_blob, new_blob, status = field.strip("\n").split(" ")
            changes.append(_Change(status[:1], old_blob, new_blob, next(fields, "")))
        elif field:
            if header is not None:
                yield _commit(header, changes)
            header, changes = field, []
    if header is not None:
        yield _commit(header, changes)


def _commit(header: str, changes: list[_Change]) -> Commit:
    ids, _, subject = header.partition("\t")
    id_, committed_at, *parents = ids.split()
    tells = parents and len(changes) <= MAX_COMMIT_FILES
    paths = tuple(change.path for change in changes if change.status != "D") if tells else ()
    return Commit(id_, int(committed_at), subject, paths, tuple(_moves(changes)))


def _moves(changes: list[_Change]) -> Iterator[tuple[str, str]]:
    """Pairs what is gone with what is new: by the same content, else by file name, where either stands once."""
    gone = {change.path: change.old_blob for change in changes if change.status == "D"}
    new = {change.path: change.new_blob for change in changes if change.status == "A"}
    for identity in (_blob, _name):
        left, right = _once(gone, identity), _once(new, identity)
        for key in sorted(left.keys() & right.keys()):
            yield left[key], right[key]
            del gone[left[key]], new[right[key]]


def _once(files: dict[str, str], identity: Callable[[str, str], str]) -> dict[str, str]:
    """Keeps the paths whose identity no other one has, by it."""
    counts = Counter(identity(path, blob) for path, blob in files.items())
    return {key: path for path, blob in files.items() if counts[key := identity(path, blob)] == 1}


def _blob(_: str, blob: str) -> str:
    return blob


def _name(path: str, _: str) -> str:
    return path.rpartition("/")[2]


# What past commits tell about today's files: changed under such words, changed together, changed lately. Pure.


NEAREST = 20
"""So many of the commits whose subjects are most like a prompt point at their files (k nearest neighbours)."""

ALIKE = 60
"""So many say it again by how much alike they are: the third power makes the very alike count."""

USUAL_TERMS = 7
"""A subject of so many terms is neither long nor short, in BM25's sense."""

TOGETHER_COMMITS = 1_500.0
"""After so many commits a change says 1/e as much about what belongs together."""

FEW_COMMITS = 100
"""A history of fewer commits says little about how common a word is."""

_K1, _B = 1.2, 0.75


class Recalled(NamedTuple):
    """Evidence by path, not normalised."""

    nearest: dict[str, float]
    """From the commits most like the prompt, the score of each shared among its files."""
    alike: dict[str, float]
    """The same from more of them, by the third power of their scores."""


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
        for term, weight in weights.items():
            for number in self._by_term[term]:
                scores[number] += weight / (1 + _K1 * (1 - _B + _B * self._term_counts[number] / USUAL_TERMS))
        best = heapq.nsmallest(ALIKE, scores, key=lambda number: (-scores[number], number))
        return Recalled(
            self._pointed_at([(number, scores[number]) for number in best[:NEAREST]]),
            self._pointed_at([(number, scores[number] ** 3) for number in best]),
        )

    def _pointed_at(self, commits: Sequence[tuple[int, float]]) -> dict[str, float]:
        """Adds up by file what commits count, each shared among its files."""
        pointed: dict[str, float] = defaultdict(float)
        for number, score in commits:
            files = self._files[number]
            for file in files:
                pointed[self._names[file]] += score / math.sqrt(len(files))
        return dict(pointed)

    def tells(self, terms: Sequence[str]) -> dict[str, float]:
        """Says how much each term tells of a task, up to 1: a word that every other subject has, as `fix`, does little.

        It is the logarithm of its rarity among the subjects, as a share of that of a word none has.
        """
        count = len(self._files) + FEW_COMMITS
        return {
            term: 1 - math.log1p(len(self._by_term.get(term, ()))) / math.log(count)
            for term in terms
            if term in self._by_term
        }

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
        found: dict[int, None] = {}
        for files in self._files:
            if len(found) >= limit:
                break
            found.update(dict.fromkeys(files))
        return [self._names[file] for file in islice(found, limit)]

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


# The history of one head, brought up to date when the head moves on.


class HistoryOfHead(NamedTuple):
    """The commits a head can reach, newest first, and what they tell."""

    head: str | None
    commits: tuple[Commit, ...]
    history: History


NO_HISTORY = HistoryOfHead(None, (), History(()))
"""Before the first commit, or without a repository."""


def follow(cwd: Path, head: str | None, before: HistoryOfHead) -> HistoryOfHead:
    """Gives the history of a head; raises GitFailed."""
    if head is None:
        return NO_HISTORY
    if before.head is not None and _leads_to(cwd, before.head, head):
        found = [*read_commits(cwd, head, MAX_COMMITS, since=before.head), *before.commits]
    else:
        found = read_commits(cwd, head, MAX_COMMITS)
    commits = tuple(sorted(found, key=lambda one: -one.committed_at)[:MAX_COMMITS])
    return HistoryOfHead(head, commits, History(commits))


def _leads_to(cwd: Path, old: str, new: str) -> bool:
    """Says whether everything the old head can reach the new one can reach too."""
    try:
        return not Git(cwd).text("rev-list", "--max-count=1", old, f"^{new}", "--")
    except GitFailed:
        return False
