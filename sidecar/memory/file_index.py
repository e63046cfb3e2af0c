"""Index of the memory files and the derived `index.json`; only changed files are read again.

The files are the source of truth. A file whose stamp proves nothing is read again: one written within the clock's tick
of its last reading may have changed without showing it (git's racy entries). A watch proves more than the stamps, as
long as no other process has written the index since; that process may have read an older version of a file.
"""

import os
import stat
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import apsw
import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import NotFound, PolicyDenied, StateDegraded
from sidecar.core.redact import redact
from sidecar.core.token_estimate import estimate_tokens
from sidecar.memory.entry import Memory, content_hash, hash_without_values
from sidecar.memory.files import document
from sidecar.memory.files.layout import INDEX_FILE, OWNERS, SHARED, is_allowed_name, location_of
from sidecar.memory.files.memory_folder import DayNumbers, FolderScan, MemoryFolder, OpenFolders, Stamp, scan_files
from sidecar.memory.files.watch import MemoryWatch
from sidecar.memory.indexed_text import index_text
from sidecar.memory.store import entry_queries, index_tables, local_state
from sidecar.memory.store.index_tables import IndexedFile, IndexedMemory
from sidecar.workspace import Workspace

RACY_NS = 2_000_000_000
"""The coarsest clock of a supported file system: two seconds (FAT)."""

MAX_INLINE_FILES = 200
"""Maximum number of files refreshed before each run: a millisecond if none changed, 50 ms if all are read for the first
time. Watched files in any number. With more, the index is used as it is and refreshed after the run.
"""

MAX_INDIVIDUAL_CHANGES = 500
"""With more changed files, all files are scanned instead."""

BATCH_FILES = 1_000
"""New files per transaction: other writers get a turn, and memory use stays low."""


class RefreshResult(NamedTuple):
    """Result of bringing the index up to date."""

    files: int
    changed: tuple[str, ...]
    """Paths of all owners, like `removed`."""
    removed: tuple[str, ...]
    warnings: tuple[tuple[str, str], ...]
    """Path and sentence of what could not be examined; warnings about files that were read are in the index."""


class _ReadFile(NamedTuple):
    """A file as read; `entries` is None if the indexed ones are still valid."""

    path: str
    file: IndexedFile
    entries: Sequence[IndexedMemory] | None


Found = TypeVar("Found")


class MemoryIndex:
    """The index of one project's memories, updated by one thread at a time."""

    def __init__(self, process: Process, workspace: Workspace) -> None:
        self.folder = MemoryFolder(workspace.project)
        self.project = workspace.project_key
        self.process = process
        self._lock = threading.RLock()
        self._known: tuple[int, dict[str, IndexedFile]] | None = None
        self._revision: tuple[int, int] | None = None
        self._watch = MemoryWatch(process, self.folder.root)
        self._last_refresh: tuple[int, RefreshResult] | None = None
        """Revision at which the index was up to date, and the result of that refresh."""

    @contextmanager
    def locked(self) -> Generator[DayNumbers]:
        """Hold the folder's lock; create the folder if needed, after its removal has been noticed.

        If the block fails, changes to files that are not in the index are reverted.
        """
        if not self.folder.exists():
            self.refresh()
        with self.folder.locked() as numbers:
            yield numbers

    def refresh(self) -> RefreshResult:
        """Read files changed by anyone since the last refresh."""
        with self._exclusive():
            if not self.folder.exists():
                result = self._rescan(None)
                self._last_refresh = None  # the same folder may come back, unchanged for its watch
                return result
            changed = self._watch.changed()
            candidates = _changed_memory_files(self.folder.root, changed) if changed is not None else None
            if self._last_refresh is None:
                self.folder.sweep()
            if candidates is None or self._last_refresh is None or self._last_refresh[0] != self.revision():
                return self._rescan(scan_files(self.folder))
            before = self._last_refresh[1]
            if candidates and before.warnings:  # the change may resolve a warning
                return self._rescan(scan_files(self.folder))
            result = self._update_changed(candidates, before) if candidates else before._replace(changed=(), removed=())
            self._last_refresh = self._last_refresh[0], result
            return result

    def find(self, query: Callable[[apsw.Connection], Found]) -> Found:
        """Return what a query finds of entries that were just read or written.

        If it finds nothing, another thread may just have repaired the index, which empties it: the files are read
        again, and the query is asked once more.
        """
        with self.process.database.read() as tx:
            found = query(tx)
        if found:
            return found
        self.refresh()
        with self.process.database.read() as tx:
            return query(tx)

    def refresh_if_quick(self) -> bool:
        """Refresh if the files are watched or few; return whether the index is up to date."""
        if not self.is_watched:
            known = self.files()
            if known > MAX_INLINE_FILES or (not known and not self.folder.has_at_most(MAX_INLINE_FILES)):
                return False
        self.refresh()
        return True

    def may_have_memories(self) -> bool:
        """Whether there may be memories to search; refresh if that is quick.

        Raise PolicyDenied or StateDegraded if the memories folder cannot be used.
        """
        if not os.path.lexists(os.path.dirname(self.folder.root)):  # as in most projects
            return False
        return self.folder.exists() and not (self.refresh_if_quick() and self.files() == 0)

    @property
    def is_watched(self) -> bool:
        """Whether a watch reports changes, so that a refresh costs almost nothing."""
        return self._watch.is_running

    def rescan(self) -> RefreshResult:
        """Scan every file regardless of the watch, and read what changed."""
        with self._exclusive():
            return self._rescan(self._tree(exists=self.folder.exists()))

    @contextmanager
    def _exclusive(self) -> Generator[None]:
        """Serialize refreshes; after a failure no earlier result is trusted."""
        with self._lock:
            try:
                yield
            except BaseException:
                self._last_refresh = None
                raise

    def _tree(self, *, exists: bool) -> FolderScan | None:
        return scan_files(self.folder) if exists else None

    def _rescan(self, tree_or_none: FolderScan | None) -> RefreshResult:
        """Read what a scan found changed; None if there is no folder."""
        tree = tree_or_none or FolderScan({}, (), ())
        revision, known = self._files()
        # Sorted: the order in which a folder lists its files differs between systems.
        candidates = sorted(path for path, stamp in tree.files.items() if _may_have_changed(known.get(path), stamp))
        removed = sorted(path for path in known if path not in tree.files and not path.startswith(tree.unreadable))
        result = RefreshResult(len(tree.files), (), tuple(removed), tree.warnings)
        self._last_refresh = revision, result
        # A folder that is missing as a whole was moved or deleted: that says nothing about a single memory.
        changed = self._read_and_store(candidates, removed, known, tombstone=False if tree_or_none is None else None)
        self._last_refresh = self._last_refresh[0], result._replace(changed=changed)
        return self._last_refresh[1]

    def _update_changed(self, candidates: Sequence[str], before: RefreshResult) -> RefreshResult:
        """Read the files named by the watch."""
        _, known = self._files()
        removed = [path for path in candidates if path in known and not self.folder.contains(path)]
        changed = self._read_and_store(
            [path for path in candidates if path not in removed], removed, known, tombstone=None
        )
        return RefreshResult(self.files(), changed, tuple(removed), before.warnings)

    def update_paths(self, paths: Iterable[str], *, tombstone: bool | None = None) -> None:
        """Read files that were just written or removed, which makes these changes final; the caller holds the lock.

        `tombstone`: whether missing content counts as deleted by the user; None: unless its retention is `session`.
        """
        with self._exclusive():
            self._read_and_store(list(paths), [], self._files()[1], tombstone=tombstone)
        self.folder.complete()

    def rebuild(self) -> RefreshResult:
        """Clear the index and read every file; files deleted since the last refresh still count as deleted."""
        with self._exclusive():
            tree = self._tree(exists=self.folder.exists())
            self.process.database.repair_full_text()
            with suppress(StateDegraded):
                self._rescan(tree)
            with self.process.database.write(durable=False) as tx:
                index_tables.clear(tx, self.project)
                index_tables.advance_revision(tx, self.project)
            self._known = self._last_refresh = None
            return self._rescan(tree)

    def files(self) -> int:
        """Return the number of indexed files."""
        with self._lock:
            return len(self._files()[1])

    def revision(self) -> int:
        """Return a number that changes with the index; read again only after a commit."""
        generation, known = self.process.database.generation(), self._revision
        if known is not None and known[0] == generation:
            return known[1]
        with self.process.database.read() as tx:
            revision = index_tables.revision(tx, self.project)
        self._revision = generation, revision
        return revision

    def _files(self) -> tuple[int, dict[str, IndexedFile]]:
        """Return the index revision and its files."""
        if self._known is None or self._known[0] != self.revision():
            with self.process.database.read() as tx:
                self._known = index_tables.revision(tx, self.project), index_tables.all_files(tx, self.project)
        return self._known

    def _read_and_store(
        self,
        candidates: Sequence[str],
        removed: Sequence[str],
        known: dict[str, IndexedFile],
        *,
        tombstone: bool | None,
    ) -> tuple[str, ...]:
        """Read files, replace their indexed entries, and return the paths that changed."""
        changed: list[str] = []
        missing = list(removed)
        added: list[_ReadFile] = []
        changed_files: list[_ReadFile] = []
        with self.folder.open_folders() as folders:
            for path in candidates:
                indexed = known.get(path)
                reading = self._read(path, indexed, folders)
                if reading is None:
                    missing += [path] if indexed else []
                    continue
                changed += [path] if reading.entries is not None else []
                if indexed is None:
                    added.append(reading)
                elif reading.entries is not None or reading.file != indexed:
                    changed_files.append(reading)
                if len(added) == BATCH_FILES:
                    self._write(added, [], tombstone=tombstone)
                    added = []
        if added:
            self._write(added, [], tombstone=tombstone)
        if changed_files or missing:
            self._write(changed_files, missing, tombstone=tombstone)
        return tuple(changed)

    def _read(self, path: str, indexed: IndexedFile | None, folders: OpenFolders) -> _ReadFile | None:
        now_ns = self.process.clock.now_ms() * 1_000_000
        place = location_of(path)
        try:
            content, stamp = self.folder.read(path, folders)
        except NotFound:
            return None
        except OSError:
            nothing = IndexedFile(Stamp(0, 0, 0, 0), is_racy=True, version="", is_group=False, warning=_UNREADABLE)
            return _ReadFile(path, indexed._replace(is_racy=True, warning=_UNREADABLE) if indexed else nothing, None)
        if place is None:
            return None
        is_racy = max(stamp.modified_ns, stamp.changed_ns) > now_ns - RACY_NS
        version = digest_bytes(content)
        if indexed is not None and indexed.version == version and indexed.warning != _UNREADABLE:
            return _ReadFile(path, indexed._replace(stamp=stamp, is_racy=is_racy), None)
        parsed = document.read(content, path, place, stamp.modified_ns // 1_000_000)
        file = IndexedFile(stamp, is_racy, version, parsed.is_group, parsed.warning)
        return _ReadFile(path, file, [_indexed(memory) for memory in parsed.memories])

    def _write(self, readings: Sequence[_ReadFile], missing: Sequence[str], *, tombstone: bool | None) -> None:
        """Replace the entries of files that were read or are missing.

        A file without a row of its own may have entries, too: a damaged row is not found under its key.
        """
        deleted: dict[str, tuple[str, str]] = {}
        with self.process.database.write(durable=tombstone is True) as tx:  # the user's deletion must survive a crash
            damaged = {reading.path for reading in readings if reading.file.warning}
            for path in [*missing, *(reading.path for reading in readings if reading.entries is not None)]:
                removed = index_tables.remove_file(tx, self.project, path)
                if path not in damaged:  # a damaged file may still contain its entries
                    deleted.update({digest: (memory_id, retention) for memory_id, digest, retention in removed})
            index_tables.put_files(tx, self.project, [(reading.path, reading.file) for reading in readings])
            new_entries = [entry for reading in readings for entry in reading.entries or ()]
            index_tables.add_entries(tx, self.project, new_entries)
            self._adopt_decisions(tx, new_entries)
            local_state.remove_tombstones(tx, self.project, [entry.digest for entry in new_entries])
            local_state.add_tombstones(tx, self.project, [
                (memory_id, digest) for digest, (memory_id, retention) in deleted.items()
                if (retention != "session" if tombstone is None else tombstone)
                and not entry_queries.has_content(tx, self.project, digest)
            ], self.process.clock.now_ms())  # fmt: skip
            revision = index_tables.advance_revision(tx, self.project)
        self._advance(revision, readings, missing)

    def _adopt_decisions(self, tx: apsw.Connection, new_entries: Sequence[IndexedMemory]) -> None:
        """Give the user's decisions that an earlier version stored the hashes of the memories they are about."""
        if new_entries and local_state.has_decisions_without_values(tx, self.project):
            memories = [(entry.digest, entry.memory) for entry in new_entries]
            digests = [(digest, hash_without_values(memory.title, memory.text)) for digest, memory in memories]
            local_state.adopt_decisions(tx, self.project, digests)

    def _advance(self, revision: int, readings: Sequence[_ReadFile], missing: Sequence[str]) -> None:
        """Update the cached file list after a write, unless another process wrote in between."""
        before, self._known = self._known, None
        if before is not None and before[0] == revision - 1:
            removed = frozenset(missing)
            remaining = (
                {path: file for path, file in before[1].items() if path not in removed} if removed else before[1]
            )
            self._known = revision, {**remaining, **{reading.path: reading.file for reading in readings}}
        if self._last_refresh is not None and self._last_refresh[0] == revision - 1:
            self._last_refresh = revision, self._last_refresh[1]


class MemoryIndexes:
    """The indexes of all projects in use; one per process."""

    def __init__(self) -> None:
        self._of: dict[str, MemoryIndex] = {}
        self._lock = threading.Lock()

    def of(self, process: Process, workspace: Workspace) -> MemoryIndex:
        """Return the index of a workspace's project."""
        with self._lock:
            if workspace.project_key not in self._of:
                self._of[workspace.project_key] = MemoryIndex(process, workspace)
            return self._of[workspace.project_key]


def memory_index_of(process: Process, workspace: Workspace) -> MemoryIndex:
    """Return the index of a workspace's project."""
    return process.slices.memory.indexes.of(process, workspace)


_UNREADABLE = "The file cannot be read."


def _may_have_changed(known: IndexedFile | None, stamp: Stamp) -> bool:
    return known is None or known.is_racy or known.stamp != stamp


def _changed_memory_files(root: str, changed: Iterable[str]) -> list[str] | None:
    """Return the memory files among changed paths; None if everything must be scanned.

    That is the case if a folder, a link, or an unexpected file is among them.
    """
    paths: list[str] = []
    for path in changed:
        if not path.startswith(f"{root}/"):
            continue  # the folder of the watch's cookie files
        relative = path[len(root) + 1 :]
        name = relative.rpartition("/")[2]
        if name.startswith(".") or name == INDEX_FILE:
            continue
        if not is_allowed_name(name) or not name.endswith(".md") or not _is_file_or_missing(path):
            return None
        if location_of(relative) is not None:
            paths.append(relative)
    return sorted(paths) if len(paths) <= MAX_INDIVIDUAL_CHANGES else None


def _is_file_or_missing(path: str) -> bool:
    """Whether a path is a regular file or no longer exists."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _indexed(memory: Memory) -> IndexedMemory:
    """Build an index entry. Secrets in a user's own file are masked here, the source of every output."""
    memory = _masked(memory)
    words = f"{memory.title}\n{memory.text}"
    indexed_text = index_text(memory.title, memory.text, memory.tags)
    return IndexedMemory(
        memory, content_hash(memory.title, memory.text, memory.type), estimate_tokens(words), indexed_text
    )


def _masked(memory: Memory) -> Memory:
    """Mask secrets in every field but the path, which leads to the file and is masked where it is shown."""
    whole = "\n".join(
        [
            "\n".join(value) if isinstance(value, tuple) else value
            for name, value in zip(Memory._fields, memory, strict=True)
            if value and isinstance(value, (str, tuple)) and name not in _UNMASKED
        ]
    )
    if redact(whole) == whole:
        return memory
    masked: dict[str, Any] = {
        name: redact(value) if isinstance(value, str) else tuple(map(redact, value))
        for name, value in memory._asdict().items()
        if isinstance(value, (str, tuple)) and name not in _UNMASKED
    }
    return memory._replace(**masked)


_UNMASKED = frozenset(("path", "group_key", "retention", "sector", "tier"))
"""Fields that lead to the file, and those with one of a few values."""


MAX_IMMEDIATE_FILES = 1_000
"""Maximum number of files with which `index.json` is written immediately; with more it is written in the background,
once for many changes.
"""


class IndexFileWrites:
    """The last written state by project, and the projects that are queued."""

    def __init__(self) -> None:
        self.digests: dict[tuple[str, str], str] = {}
        """The content of each file, by project and path."""
        self.revisions: dict[str, int] = {}
        """Index revisions, also those whose file could not be written."""
        self.waiting: set[str] = set()
        self.lock = threading.Lock()


def update_index_file(index: MemoryIndex) -> None:
    """Write `index.json` if memories changed since the last write."""
    known = index.process.slices.memory.index_files
    if known.revisions.get(index.project) == index.revision():
        return
    if index.files() or (index.folder.exists() and index.folder.contains(INDEX_FILE)):
        write_index_file(index)


def write_index_file(index: MemoryIndex) -> None:
    """Write `index.json` unless it is up to date, immediately or in the background."""
    process, known = index.process, index.process.slices.memory.index_files
    if index.files() <= MAX_IMMEDIATE_FILES:
        _write_index_file(process, index, known)
        return
    with known.lock:
        if index.project in known.waiting:
            return
        known.waiting.add(index.project)
    process.indexing.start(_write_index_file, process, index, known)


def _write_index_file(process: Process, index: MemoryIndex, known: IndexFileWrites) -> None:
    """Write `index.json` with the shared memories, and one in the folder of each agent that has private ones."""
    with known.lock:
        known.waiting.discard(index.project)
    with process.database.read() as tx:
        revision, rows = index_tables.revision(tx, index.project), index_tables.index_file_rows(tx, index.project)
    with known.lock:
        known.revisions[index.project] = revision
        for owner in OWNERS:
            path = INDEX_FILE if owner == SHARED else f"{owner}/{INDEX_FILE}"
            if owner == SHARED or owner in rows or index.folder.contains(path):
                _write_if_changed(process, index, path, rows.get(owner, []))


def _write_if_changed(process: Process, index: MemoryIndex, path: str, rows: Sequence[Mapping[str, Any]]) -> None:
    known = process.slices.memory.index_files
    content = orjson.dumps({"version": 1, "memories": rows}, option=orjson.OPT_INDENT_2) + b"\n"
    digest, key = digest_bytes(content), (index.project, path)
    if known.digests.get(key) == digest and index.folder.contains(path):
        return
    try:
        index.folder.write_index(path, content)
    except (OSError, PolicyDenied) as error:
        process.log.warning("memory.indexFileNotWritten", error=type(error).__name__)
        return
    known.digests[key] = digest
