"""The histories of a repository's latest heads: derived from each other, shared by its worktrees and stored."""

import threading
import weakref
from array import array
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.search.commit_history import (
    LOG,
    MAX_COMMITS,
    Commit,
    FragileFile,
    History,
    HistoryTables,
    StoredCommits,
    dump_commits,
    fragile_files,
    newest_first,
    parse_log,
    read_commits,
)
from sidecar.core.binary_sections import BinarySection, SectionReader, of_bytes, of_sections, of_texts, section_bytes
from sidecar.core.lru_cache import RetainingLruCache
from sidecar.system.git import Git, GitFailed

MAX_HISTORIES = 3
"""Number of heads whose histories stay in memory though no worktree uses them."""

MAX_STORED_HISTORIES = 3
"""Number of heads whose histories are stored; one of 5,000 commits takes 2 MB."""

MAX_DEFERRED_SECONDS = 1.0


@dataclass(frozen=True, eq=False)
class HeadHistory:
    """The commits reachable from a head, newest first, and their history."""

    head: str | None
    commits: Sequence[Commit]
    history: History
    boundary: str = ""
    """`Histories.boundary` when they were read."""


NO_HISTORY = HeadHistory(None, (), History(()))
"""Before the first commit, or without a repository."""


class StoredHistory(NamedTuple):
    """The dump of a head's history and its fragile files, restored when that head is met."""

    head: str
    boundary: str
    content: bytes

    @classmethod
    def of(cls, history: HeadHistory, fragile: "Sequence[FragileFile]") -> "StoredHistory":
        """Return the dump of a history."""
        sections = chain(
            history.history.tables.dump(),
            (
                of_texts(file.path for file in fragile),
                of_bytes(array("I", [file.repeated_fixes for file in fragile]).tobytes()),
                of_texts(file.reverted for file in fragile),
                of_sections(dump_commits(history.commits)),
            ),
        )
        return cls(history.head or "", history.boundary, b"".join(section_bytes(sections)))

    def restore(self) -> "tuple[HeadHistory, list[FragileFile]]":
        """Return the history and the fragile files; the commits are restored when they are needed."""
        reader = SectionReader(memoryview(self.content))
        tables = HistoryTables.load(reader)
        fragile = list(map(FragileFile, reader.texts(), reader.numbers("I"), reader.texts()))
        commits = StoredCommits(bytes(reader.bytes()))
        return HeadHistory(self.head or None, commits, History(commits, tables), self.boundary), fragile


def dump_histories(histories: Iterable[StoredHistory]) -> Iterator[BinarySection]:
    """Yield sections from which `load_histories` restores the dumps, each of which may be made when its turn comes."""
    for history in histories:
        yield of_texts((history.head, history.boundary))
        yield of_bytes(history.content)
    yield of_texts(())


def load_histories(reader: SectionReader) -> list[StoredHistory]:
    """Restore the dumps of several heads, in the same order."""
    heads = iter(reader.texts, [])
    return [StoredHistory(head, boundary, bytes(reader.bytes())) for head, boundary in heads]


class RequestPriority:
    """Lets requests go first that have little time and can do without the history. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests = 0
        self._is_free = threading.Event()
        self._is_free.set()

    @contextmanager
    def defer_history(self) -> Generator[None]:
        """Let the history wait meanwhile."""
        with self._lock:
            self._requests += 1
            self._is_free.clear()
        try:
            yield
        finally:
            with self._lock:
                self._requests -= 1
                if not self._requests:
                    self._is_free.set()

    def wait(self) -> None:
        """Wait until no request goes first, or has done so for long."""
        self._is_free.wait(MAX_DEFERRED_SECONDS)


_NO_PRIORITY = RequestPriority()
"""For a history that no request goes before."""


def update_history(
    cwd: Path, head: str | None, before: HeadHistory, priority: RequestPriority = _NO_PRIORITY
) -> HeadHistory:
    """Return the history of a head; only commits that the previous one does not have are read. Raise GitFailed.

    They are read when it is their turn.
    """
    if head is None:
        return NO_HISTORY
    descends = before.head is not None and _is_ancestor(cwd, before.head, head)
    priority.wait()
    if before.head is None:
        read = read_commits(cwd, head, MAX_COMMITS)
    elif descends:
        read = [*read_commits(cwd, head, MAX_COMMITS, since=before.head), *before.commits]
    else:
        read = _with_unknown(cwd, head, {commit.id: commit for commit in before.commits})
    priority.wait()
    commits = tuple(newest_first(read)[:MAX_COMMITS])
    return HeadHistory(head, commits, History(commits))


def _with_unknown(cwd: Path, head: str, known: Mapping[str, Commit]) -> list[Commit]:
    """Return the commits reachable from a head that is older than the known commits, or on another branch."""
    ids = Git(cwd).text("rev-list", "--no-merges", f"--max-count={MAX_COMMITS}", head, "--").split()
    unknown = "".join(f"{id_}\n" for id_ in ids if id_ not in known)
    output = Git(cwd).run(*LOG, "--no-walk=unsorted", "--stdin", stdin=unknown.encode()) if unknown else b""
    read = {commit.id: commit for commit in parse_log(output.decode("utf-8", "surrogateescape"))}
    return [commit for id_ in ids if (commit := known.get(id_) or read.get(id_)) is not None]


class Histories:
    """The histories of a repository's latest heads, which its worktrees share. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.request_priority = RequestPriority()
        self.boundary = ""
        """Identifies where the history of a shallow clone is cut off; it moves when more commits are fetched."""
        self._known: RetainingLruCache[str, HeadHistory] = RetainingLruCache(MAX_HISTORIES)
        self._fragile: weakref.WeakKeyDictionary[HeadHistory, list[FragileFile]] = weakref.WeakKeyDictionary()
        self._latest = NO_HISTORY
        self._stored: dict[str, StoredHistory] = {}
        """The dumps of an earlier process whose heads were not met yet."""

    def restore(self, stored: Sequence[StoredHistory]) -> None:
        """Use the histories that an earlier process stored, the latest first."""
        with self._lock:
            if self._latest.head is None and stored:
                self.boundary = stored[0].boundary
                self._stored = {history.head: history for history in stored if history.boundary == self.boundary}
                self._latest = self.known(stored[0].head) or NO_HISTORY

    def set_boundary(self, boundary: str) -> None:
        """Forget the histories that were cut off elsewhere."""
        if boundary == self.boundary:  # without the lock, which is held while commits are read
            return
        with self._lock:
            self.boundary = boundary
            self._known = RetainingLruCache(MAX_HISTORIES)
            self._stored, self._latest = {}, NO_HISTORY

    def to_store(self) -> Iterator[StoredHistory]:
        """Yield the dumps of the heads used last, the latest first; each is made when its turn comes."""
        known = self._known.values()[: -MAX_STORED_HISTORIES - 1 : -1]
        stored = list(self._stored.values())[: MAX_STORED_HISTORIES - len(known)]
        for history in known:
            yield StoredHistory.of(history, self.fragile_files(history))
        yield from stored

    def has_any(self) -> bool:
        """Whether any history is known, from which others can be derived."""
        return self._latest.head is not None

    def known(self, head: str | None) -> HeadHistory | None:
        """Return the history of a head if it was read before."""
        if head is None:
            return NO_HISTORY
        history, stored = self._known.get(head), self._stored.get(head)
        if history is None and stored is not None:
            history, fragile = stored.restore()
            self._known.put(head, history, 1)
            self._fragile[history] = fragile
            self._stored.pop(head, None)
        return history

    def fragile_files(self, history: HeadHistory) -> "list[FragileFile]":
        """Return a history's fragile files, worst first; also those that a worktree does not have."""
        files = self._fragile.get(history)
        if files is None:
            files = self._fragile[history] = fragile_files(history.commits, history.history)
        return files

    def get(self, cwd: Path, head: str | None, before: HeadHistory) -> HeadHistory:
        """Return the history of a head, derived from the worktree's previous one or the latest one. Raise GitFailed."""
        with self._lock:
            history = self.known(head)
            if history is None:
                boundary, has_before = self.boundary, before.head is not None and before.boundary == self.boundary
                before = before if has_before else self._latest
                history = replace(update_history(cwd, head, before, self.request_priority), boundary=boundary)
            if head is not None:
                self._known.put(head, history, 1)
                self._latest = history
            return history


def _is_ancestor(cwd: Path, old: str, new: str) -> bool:
    """Whether every commit reachable from the old head is reachable from the new one."""
    try:
        return not Git(cwd).text("rev-list", "--max-count=1", old, f"^{new}", "--")
    except GitFailed:
        return False
