"""The commits of a head, read from `git log`, and what they say about today's files."""

import heapq
import itertools
import math
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, overload

from sidecar.codebase.file_exclusions import has_secret_name
from sidecar.codebase.files import is_own_code
from sidecar.core.binary_sections import BinarySection, NumberLists, SectionReader, of_bytes, of_texts
from sidecar.core.clean_text import visible
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.redact import redact
from sidecar.core.terms import inverse_frequency, query_terms
from sidecar.system.git import Git

MAX_COMMITS = 5_000
"""Older commits say little about today's files; reading this many takes a fraction of a second."""

MAX_COMMIT_FILES = 30
"""A commit of more files is a sweep through the tree and does not show which files belong together."""

MAX_CACHED_FILES = 1 << 15
"""Maximum number of files in cached answers, some 80 bytes each."""

LOG = (
    "log", "--full-history", "--no-merges", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", "--relative",
    "--ignore-submodules=all", "--no-show-signature", "--no-mailmap", "--no-notes", "-z", "--format=%H %ct %P%x09%s",
)  # fmt: skip
"""`--full-history`, because git's simplification hides commits whose change was made twice."""


class Commit(NamedTuple):
    """One commit; paths are relative to the workspace, as they were then."""

    id: str
    committed_at: int
    """Seconds since 1970, by the committer's clock."""
    subject: str
    paths: tuple[str, ...]
    """Changed files that exist after it; empty if it changed too many, or is a root commit."""
    moved: tuple[tuple[str, str], ...]
    """Old and new paths of moved files."""
    terms: tuple[str, ...] = ()
    """Terms of the subject; none without paths."""
    parent: str = ""
    """Id of the commit before it; empty for a root commit."""


class _Change(NamedTuple):
    status: str
    old_blob: str
    new_blob: str
    path: str


def read_commits(cwd: Path, head: str, limit: int = MAX_COMMITS, *, since: str | None = None) -> list[Commit]:
    """Return the commits reachable from `head`, without merges, newest first. Raise GitFailed.

    With `since`, without those reachable from that commit.
    """
    range_ = (head,) if since is None else (head, f"^{since}")
    output = Git(cwd).run(*LOG, f"--max-count={limit}", *range_, "--")
    return list(parse_log(output.decode("utf-8", "surrogateescape")))


def parse_log(output: str) -> Iterator[Commit]:
    """Parse headers (id, time, parents, tab, subject), each with raw entries (modes, blobs, status) and paths."""
    header: str | None = None
    changes: list[_Change] = []
    fields = iter(output.split("\0"))
    for field in fields:
        if field.lstrip("\n").startswith(":"):
            _, _, old_blob, new_blob, status = field.strip("\n").split(" ")
            changes.append(_Change(status[:1], old_blob, new_blob, sys.intern(next(fields, ""))))
        elif field:
            if header is not None:
                yield _commit(header, changes)
            header, changes = field, []
    if header is not None:
        yield _commit(header, changes)


def _commit(header: str, changes: list[_Change]) -> Commit:
    ids, _, subject = header.partition("\t")
    subject = visible(redact(subject))
    id_, committed_at, *parents = ids.split()
    is_informative = parents and len(changes) <= MAX_COMMIT_FILES
    changes = [change for change in changes if not _has_secret_name(change.path)]
    paths = tuple(change.path for change in changes if change.status != "D") if is_informative else ()
    moved, terms = tuple(_moves(changes)), tuple(map(sys.intern, query_terms(subject))) if paths else ()
    parent = sys.intern(parents[0]) if parents else ""
    return Commit(sys.intern(id_), int(committed_at), subject, paths, moved, terms, parent)


def newest_first(commits: Iterable[Commit]) -> list[Commit]:
    """Sort commits, each once; of those of one second a commit comes before its parent, else the id decides.

    The order is the same whatever head led to the commits. Git's is not: it depends on the way to them.
    """
    by_id = {commit.id: commit for commit in commits}
    depths: dict[str, int] = {}
    for commit in by_id.values():
        line: list[str] = []
        current: Commit | None = commit
        while current is not None and current.id not in depths:
            line.append(current.id)
            parent = by_id.get(current.parent)
            current = parent if parent is not None and parent.committed_at == current.committed_at else None
        first = depths[current.id] + 1 if current is not None else 0
        depths |= zip(reversed(line), itertools.count(first))
    return sorted(by_id.values(), key=lambda commit: (-commit.committed_at, -depths[commit.id], commit.id))


_has_secret_name = lru_cache(maxsize=1 << 14)(has_secret_name)
"""The same files are in many commits."""


def dump_commits(commits: Sequence[Commit]) -> Iterator[BinarySection]:
    """Yield sections from which `load_commits` restores the commits."""
    yield of_texts(commit.id for commit in commits)
    yield of_bytes(array("q", [commit.committed_at for commit in commits]).tobytes())
    yield of_texts(commit.subject for commit in commits)
    yield of_texts(commit.parent for commit in commits)
    lists = (
        [commit.paths for commit in commits],
        [tuple(itertools.chain.from_iterable(commit.moved)) for commit in commits],
        [commit.terms for commit in commits],
    )
    for texts in lists:
        yield of_bytes(array("I", map(len, texts)).tobytes())
        yield of_texts(itertools.chain.from_iterable(texts))


def load_commits(reader: SectionReader) -> tuple[Commit, ...]:
    """Restore the commits of a dump."""
    ids, times, subjects, parents = reader.texts(), reader.numbers("q"), reader.texts(), reader.texts()
    paths, moved, terms = (reader.lists(reader.numbers("I")) for _ in range(3))
    moves = (tuple(zip(pairs[::2], pairs[1::2], strict=True)) for pairs in moved)
    known = dict(zip(ids, ids, strict=True))  # most parents are commits of their own, whose string they share
    shared = (known.get(parent, parent) for parent in parents)
    return tuple(map(Commit, ids, times, subjects, paths, moves, terms, shared))


class StoredCommits(Sequence[Commit]):
    """The commits of a dump, restored at first use: while the head stays, its history suffices."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    @cached_property
    def _commits(self) -> tuple[Commit, ...]:
        commits = load_commits(SectionReader(memoryview(self._content)))
        self._content = b""
        return commits

    @overload
    def __getitem__(self, index: int) -> Commit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Commit]: ...
    def __getitem__(self, index: int | slice) -> Commit | Sequence[Commit]:
        return self._commits[index]

    def __iter__(self) -> Iterator[Commit]:
        return iter(self._commits)

    def __len__(self) -> int:
        return len(self._commits)


def _moves(changes: list[_Change]) -> Iterator[tuple[str, str]]:
    """Pair removed with added files: by content, else by file name, if that is unique on both sides."""
    removed = {change.path: change.old_blob for change in changes if change.status == "D"}
    added = {change.path: change.new_blob for change in changes if change.status == "A"}
    for identity in (_blob, _name):
        left, right = _unique(removed, identity), _unique(added, identity)
        for key in sorted(left.keys() & right.keys()):
            yield left[key], right[key]
            del removed[left[key]], added[right[key]]


def _unique(files: dict[str, str], identity: Callable[[str, str], str]) -> dict[str, str]:
    """Return the paths whose identity is unique, by that identity."""
    counts = Counter(identity(path, blob) for path, blob in files.items())
    return {key: path for path, blob in files.items() if counts[key := identity(path, blob)] == 1}


def _blob(_: str, blob: str) -> str:
    return blob


def _name(path: str, _: str) -> str:
    return path.rpartition("/")[2]


NEAREST_COMMITS = 20
"""Number of commits with the most similar subjects whose files count (k nearest neighbours)."""

SIMILAR_COMMITS = 60
"""Number of commits in the second measure, by the third power of their scores, so that close matches dominate."""

AVERAGE_TERMS = 7
"""Number of terms in an average subject, for BM25."""

COCHANGE_DECAY = 1_500.0
"""Number of commits after which a change counts 1/e as much for co-change."""

SHORT_HISTORY = 100
"""A shorter history says little about how common a word is."""

_K1, _B = 1.2, 0.75


class SimilarCommits(NamedTuple):
    """Scores by path, not normalised."""

    nearest: dict[str, float]
    """From the most similar commits: each one's score, shared among its files."""
    weighted: dict[str, float]
    """From more commits, by the third power of their scores."""


MIN_OF_KIND = 6
"""Minimum number of files in a folder that say in their names of which kind they are."""

LAST_ADDITIONS, MIN_ADDITIONS, MIN_ADDITION_SHARE = 8, 4, 0.67
"""Number of last additions to a folder that count, with fewer than the second number none, and the share of them that
changed a file which belongs to the next one. In 17 repositories 0.80 of the files so found were changed by the next
addition, 0.27 of what it changed is found.
"""


class Additions(NamedTuple):
    """The last commits that added something to a folder."""

    commits: int
    """Their number."""
    files: Mapping[str, int]
    """The files that most of them changed, each with the number of those that did."""


class HistoryTables(NamedTuple):
    """Tables of a history: names of files and terms of subjects by number, and the commits of each."""

    names: list[str]
    terms: list[str]
    files: NumberLists
    """By commit, the numbers of its files."""
    changes: NumberLists
    """By file, the numbers of the commits, newest first."""
    by_term: NumberLists
    """By term, the numbers of the commits, newest first."""
    term_counts: "array[int]"

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> "HistoryTables":
        """Return the tables of commits, which come newest first."""
        numbers: dict[str, int] = {}
        changes: list[list[int]] = []
        by_term: dict[str, list[int]] = {}
        files = NumberLists.of(())
        current_names: dict[str, str] = {}
        for number, commit in enumerate(commits):
            paths = sorted({current_names.get(path, path) for path in commit.paths})
            changed = [numbers.setdefault(path, len(numbers)) for path in paths]
            changes.extend([] for _ in range(len(numbers) - len(changes)))
            for file in changed:
                changes[file].append(number)
            files.append(changed)
            for term in commit.terms:
                by_term.setdefault(term, []).append(number)
            before = {old: current_names.get(new, new) for old, new in commit.moved}
            for _, new in commit.moved:
                current_names.pop(new, None)  # earlier, this name belonged to another file
            current_names.update(before)
        return cls(
            list(numbers),
            list(by_term),
            files,
            NumberLists.of(changes),
            NumberLists.of(by_term.values()),
            array("I", [len(commit.terms) for commit in commits]),
        )

    def dump(self) -> Iterator[BinarySection]:
        """Yield sections from which `load` restores the tables."""
        yield of_texts(self.names)
        yield of_texts(self.terms)
        for lists in (self.files, self.changes, self.by_term):
            yield from lists.dump()
        yield of_bytes(self.term_counts.tobytes())

    @classmethod
    def load(cls, reader: SectionReader) -> "HistoryTables":
        """Restore the tables of a dump."""
        names, terms = reader.texts(), reader.texts()
        files, changes, by_term = (NumberLists.load(reader) for _ in range(3))
        return cls(names, terms, files, changes, by_term, reader.numbers("I"))


# The same queries repeat after each edit of a conversation, and a history never changes. A commit makes a new history:
# the answers of all share one limit, so that those of earlier heads go first.
_IDS = itertools.count()
_SIMILAR: LruCache[tuple[int, tuple[str, ...]], SimilarCommits] = LruCache(MAX_CACHED_FILES)
_TOGETHER: LruCache[tuple[int, str], Mapping[str, float]] = LruCache(MAX_CACHED_FILES)


class History:
    """The commits reachable from one head, under the names their files have now. Immutable."""

    def __init__(self, commits: Sequence[Commit], tables: HistoryTables | None = None) -> None:
        """`commits` come newest first; they are not read if their tables are known."""
        self.tables = tables if tables is not None else HistoryTables.of(commits)
        self._names, self._files, self._by_term = self.tables.names, self.tables.files, self.tables.by_term
        self._number_of_name = {name: number for number, name in enumerate(self._names)}
        self._number_of_term = {term: number for number, term in enumerate(self.tables.terms)}
        self._id = next(_IDS)

    def __len__(self) -> int:
        return len(self._files)

    def similar_commits(self, terms: Sequence[str]) -> SimilarCommits:
        """Return the files changed by commits with similar subjects."""
        key = (self._id, tuple(terms))
        found = _SIMILAR.get(key)
        if found is None:
            found = self._find_similar(key[1])
            _SIMILAR.put(key, found, len(found.nearest) + len(found.weighted) + 1)
        return found

    def _find_similar(self, terms: tuple[str, ...]) -> SimilarCommits:
        weights = {term: self._weight(term) for term in terms if term in self._number_of_term}
        scores: dict[int, float] = defaultdict(float)
        for term, weight in weights.items():
            for number in self._by_term[self._number_of_term[term]]:
                scores[number] += weight / (1 + _K1 * (1 - _B + _B * self.tables.term_counts[number] / AVERAGE_TERMS))
        best = heapq.nsmallest(SIMILAR_COMMITS, scores, key=lambda number: (-scores[number], number))
        return SimilarCommits(
            self._scores_by_file([(number, scores[number]) for number in best[:NEAREST_COMMITS]]),
            self._scores_by_file([(number, scores[number] ** 3) for number in best]),
        )

    def _scores_by_file(self, commits: Sequence[tuple[int, float]]) -> dict[str, float]:
        """Sum the commits' scores by file, each shared among its files."""
        scores: dict[str, float] = defaultdict(float)
        for number, score in commits:
            files = self._files[number]
            for file in files:
                scores[self._names[file]] += score / math.sqrt(len(files))
        return dict(scores)

    def term_specificity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how specific each term is, up to 1; a word in every other subject, such as `fix`, is not.

        It is the logarithm of the term's rarity among the subjects, relative to that of an unseen word.
        """
        count = len(self._files) + SHORT_HISTORY
        return {
            term: 1 - math.log1p(self._by_term.size(self._number_of_term[term])) / math.log(count)
            for term in terms
            if term in self._number_of_term
        }

    def age(self, path: str) -> int | None:
        """Return the number of commits newer than the last one that changed a file; None if there is none."""
        changes = self.changes(path)
        return changes[0] if changes else None

    def changes(self, path: str) -> Sequence[int]:
        """Return the numbers of the commits that changed a file, newest first; the newest commit is 0."""
        number = self._number_of_name.get(path)
        return self.tables.changes[number] if number is not None else ()

    def changed_since(self, commits: int) -> list[str]:
        """Return the files changed by the newest commits, sorted."""
        return sorted({self._names[file] for file in self._files.first(commits)})

    def recent(self, limit: int) -> list[str]:
        """Return the most recently changed files, latest first."""
        latest: dict[int, None] = {}
        for number in range(len(self._files)):
            if len(latest) >= limit:
                break
            latest.update(dict.fromkeys(self._files[number]))
        return [self._names[file] for file in islice(latest, limit)]

    def changed_together(self, path: str) -> Mapping[str, float]:
        """Return the files that changed together with a file, each with its share in that file's changes."""
        key = (self._id, path)
        shares = _TOGETHER.get(key)
        if shares is None:
            shares = self._together(path)
            _TOGETHER.put(key, shares, len(shares) + 1)
        return shares

    def _together(self, path: str) -> Mapping[str, float]:
        shares: defaultdict[int, float] = defaultdict(float)
        total = 0.5
        for number in self.changes(path):
            files = self._files[number]
            if len(files) < 2:
                continue
            weight = math.exp(-number / COCHANGE_DECAY) / math.log2(1 + len(files))
            total += weight
            for file in files:
                shares[file] += weight
        return {self._names[file]: share / total for file, share in shares.items() if self._names[file] != path}

    def folders_named(self, term: str) -> Sequence[str]:
        """Return the folders whose names have a term, sorted; then those in which most files of code have it."""
        return [*self._folders_by_term.get(term, ()), *self._folders_of_kind(term)]

    def _folders_of_kind(self, term: str) -> Iterator[str]:
        """Yield the folders in which most files have names with a term, as one of linters has."""
        part = term.removesuffix("y")
        for folder, files in self._code_by_folder.items():
            if sum(part in file for file in files) >= max(MIN_OF_KIND, len(files) / 2):
                yield folder

    @cached_property
    def _code_by_folder(self) -> Mapping[str, Sequence[str]]:
        """The names of the files of code, in lower case, by folder."""
        by_folder: defaultdict[str, list[str]] = defaultdict(list)
        for name in filter(is_own_code, self._names):
            folder, _, file = name.rpartition("/")
            by_folder[folder].append(file.lower())
        return {folder: by_folder[folder] for folder in sorted(by_folder) if len(by_folder[folder]) >= MIN_OF_KIND}

    @cached_property
    def _folders_by_term(self) -> Mapping[str, Sequence[str]]:
        """Computed at first use: few prompts add something."""
        folders = {name.rpartition("/")[0] for name in self._names}
        folders |= {
            "/".join(parts[:depth]) for parts in (f.split("/") for f in folders) for depth in range(1, len(parts))
        }
        by_term: defaultdict[str, list[str]] = defaultdict(list)
        for folder in sorted(folders):
            for term in query_terms(folder.rpartition("/")[2]):
                by_term[term].append(folder)
        return by_term

    def changed_with_additions(self, folder: str) -> Additions:
        """Return the files that most of the last commits changed which added something directly to a folder.

        What is in a folder counts as added by the oldest known commit that changed it.
        """
        prefix, first = f"{folder}/", dict[str, int]()
        for name in self._names:
            if name.startswith(prefix):
                member = name[len(prefix) :].partition("/")[0]
                first[member] = max(first.get(member, 0), self.changes(name)[-1])
        commits = sorted(set(first.values()))[:LAST_ADDITIONS]
        if len(commits) < MIN_ADDITIONS:
            return Additions(0, {})
        counts = Counter(file for number in commits for file in self._files[number])
        least = MIN_ADDITION_SHARE * len(commits)
        return Additions(len(commits), {self._names[file]: count for file, count in counts.items() if count >= least})

    def _weight(self, term: str) -> float:
        frequency = self._by_term.size(self._number_of_term[term])
        return (_K1 + 1) * inverse_frequency(frequency, len(self._files))


DAY = 86_400
YEAR, QUARTER = 365 * DAY, 91 * DAY
FIX_WINDOW = 14 * DAY
"""A fix this soon after another one of the same file is taken as a repair of that fix."""

STEPS = (3, 6, 12, 24)
"""Numbers of repeated fixes from which a file is listed, and in which they are rounded down."""

REVERTS = 2
MIN_FIX_SHARE = 4
"""At least one in this many changes must be a repeated fix: a file that changes daily is also fixed daily."""

_FIX = lazy_regex(r"(?i)^\W{0,20}(?:\[[^\]]{0,80}\]\s*|[\w./-]{1,30}:\s+)?(?:bug-?|hot-?)?fix(?:e[sd]|ing)?\b")
_SMALL = lazy_regex(
    r"(?i)\b(?:typos?|lint(?:er|ing)?|format(?:ting)?|docs?|docstrings?|tests?|ci|builds?|deps?|comments?|spelling|grammar"
    r"|changelog|warnings?|links?|readme|flak[ey]\w*|types?|typing|mypy|clippy|examples?|rustdoc|eslint|imports?)\b"
)
"""A fix of these says nothing about the code."""

_REVERT = lazy_regex(
    r"^(?:Revert|revert|Reapply)\b(?:\([^)\n]{1,40}\))?!?:?\s*+(?:[\"“](.+)[\"”]|[\"“]?(.+?)(?:\.?(?:\s{0,4}\(#\d+\))?$|\.\s))"
)
"""A revert and the title of what it takes back: in quotation marks, which the title may contain, else a sentence."""


class FragileFile(NamedTuple):
    """A file that needs care."""

    path: str
    repeated_fixes: int
    """Minimum number of fixes that were soon followed by another one: one of the steps, or 0."""
    reverted: str
    """The first change that was reverted, if there were several; else empty."""


def fragile_files(commits: Sequence[Commit], history: History) -> list[FragileFile]:
    """Return the fragile files within a year of the newest commit, worst first, then by path.

    The commits are sorted by time, newest first.
    """
    since = _year_start(commits)
    year = sum(1 for commit in commits if commit.committed_at >= since)  # newest first
    subjects = [commit.subject for commit in commits[:year]]
    fixes = frozenset(at for at, text in enumerate(subjects) if _FIX.match(text) and not _SMALL.search(text))
    files = []
    for path in history.changed_since(year):
        changes = history.changes(path)
        numbers = changes[: bisect_left(changes, year)]
        if len(numbers) < REVERTS:
            continue
        file = FragileFile(path, _repeated_fixes(numbers, fixes, commits), _first_reverted(numbers, commits))
        if file.repeated_fixes or file.reverted:
            files.append(file)
    return sorted(files, key=lambda file: (not file.reverted, -file.repeated_fixes, file.path))


def _year_start(commits: Sequence[Commit]) -> int:
    newest = max((commit.committed_at for commit in commits), default=0)
    return (newest - YEAR) // QUARTER * QUARTER


def _repeated_fixes(numbers: Sequence[int], fixes: frozenset[int], commits: Sequence[Commit]) -> int:
    """Return the step that a file's repeated fixes reach; `numbers` are newest first."""
    repeats = sum(
        1
        for later, earlier in itertools.pairwise(numbers)
        if later in fixes
        and earlier in fixes
        and commits[later].committed_at - commits[earlier].committed_at <= FIX_WINDOW
    )
    step = bisect_right(STEPS, repeats)
    return STEPS[step - 1] if step and repeats * MIN_FIX_SHARE >= len(numbers) else 0


def _first_reverted(numbers: Sequence[int], commits: Sequence[Commit]) -> str:
    """Return the oldest reverted change if there are several; a revert of a revert does not count.

    Several reverts of a change count once, as copies on other branches do, unless it was made again between them.
    """
    titles: list[str] = []
    reverted = set[str]()
    for number in reversed(numbers):
        subject = commits[number].subject
        match = _REVERT.match(subject)
        title = (match[1] or match[2]) if match else ""
        if match is None or _REVERT.match(title) or subject.startswith("Reapply"):
            reverted -= {each for each in reverted if each in subject}
        elif title not in reverted:
            reverted.add(title)
            titles.append(title)
    return titles[0] if len(titles) >= REVERTS else ""
