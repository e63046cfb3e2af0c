"""Brings the index up to date with the files: what a watch tells, else a look at their stamps; only that is read.

The files are the truth. What a look cannot prove is read again: a file written within the clock's tick of its last
reading may have changed since without showing it (git's racy entries). A watch proves more than a look, as long as
nobody else has written the index since: that one may have read an older file than we did.
"""

import os
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

import orjson

from sidecar.call import Process
from sidecar.core.digests import digest_bytes
from sidecar.core.errors import NotFound, StateDegraded
from sidecar.core.secrets.redact import redact
from sidecar.core.tokens import estimate_tokens
from sidecar.memory.dedupe import digest_of
from sidecar.memory.entry import Memory
from sidecar.memory.files import document
from sidecar.memory.files.layout import INDEX_FILE, is_name, place_of
from sidecar.memory.files.memory_folder import MemoryFolder, Numbers, Stamp, Tree, walk
from sidecar.memory.files.watch import Watched
from sidecar.memory.ranking.indexed_text import wording_of
from sidecar.memory.store import entries, local_state
from sidecar.memory.store.entries import Indexed, KnownFile
from sidecar.system.atomic_write import is_unfinished
from sidecar.workspace import Workspace

RACY_NS = 2_000_000_000
"""The coarsest clock of a file system in use: two seconds (FAT)."""

FEW_CHANGED = 500
"""Of more changed files it is not asked one by one what became of them."""

CHUNK = 1_000
"""So many new files are read and put into the index at once: others get to write meanwhile, and little is held."""


class Checked(NamedTuple):
    """What a look at the files found."""

    files: int
    changed: tuple[str, ...]
    """Paths; of all owners, like those that were removed."""
    removed: tuple[str, ...]
    warnings: tuple[tuple[str, str], ...]
    """Path and sentence, of what was not even looked at; files that were have theirs in the index."""


class _Reading(NamedTuple):
    """A file as it was read; `entries` is None where those in the index stand."""

    path: str
    file: KnownFile
    entries: Sequence[Indexed] | None


class Index:
    """The index of one project's memories, brought up to date by one thread at a time."""

    def __init__(self, process: Process, workspace: Workspace) -> None:
        self.folder = MemoryFolder(workspace.project)
        self.project = workspace.project_key
        self.process = process
        self._lock = threading.RLock()
        self._known: tuple[int, dict[str, KnownFile]] | None = None
        self._revision: tuple[int, int] | None = None
        self._watched = Watched(process, self.folder.root)
        self._looked: tuple[int, Checked] | None = None
        """At which revision of the index all files were in it, and what the look at them found."""

    @contextmanager
    def locked(self) -> Iterator[Numbers]:
        """Keeps others from changing memories meanwhile; the folder is made if need be, once its loss was noticed."""
        if not self.folder.exists():
            self.check()
        with self.folder.locked() as numbers:
            yield numbers

    def check(self) -> Checked:
        """Takes in what changed since the last answer, by whomever."""
        with self._looking():
            is_there = self.folder.exists()
            changed = self._watched.changed() if is_there else None
            suspect = _suspect(self.folder.root, changed) if changed is not None else None
            if suspect is None or self._looked is None or self._looked[0] != self.revision():
                return self._look_over(self._tree(is_there=is_there))
            before = self._looked[1]
            if suspect and before.warnings:  # what is warned of may be mended by it
                return self._look_over(self._tree(is_there=is_there))
            found = self._look_at(suspect, before) if suspect else before._replace(changed=(), removed=())
            self._looked = self._looked[0], found
            return found

    @property
    def is_watched(self) -> bool:
        """Whether a watch tells what changed, so that asking costs next to nothing."""
        return self._watched.is_running

    def look_over(self) -> Checked:
        """Looks at every file, whatever a watch tells, and takes in what changed."""
        with self._looking():
            return self._look_over(self._tree(is_there=self.folder.exists()))

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """One at a time; after a failure nothing that a watch has told counts as looked at."""
        with self._lock:
            try:
                yield
            except BaseException:
                self._looked = None
                raise

    def _tree(self, *, is_there: bool) -> Tree | None:
        return walk(self.folder) if is_there else None

    def _look_over(self, found_there: Tree | None) -> Checked:
        """Takes in what a walk found to differ; None where there is no folder."""
        tree = found_there or Tree({}, (), ())
        revision, known = self._files()
        # In an order of their own: the one that a folder lists its files in is not the same everywhere.
        suspect = sorted(path for path, stamp in tree.files.items() if _may_differ(known.get(path), stamp))
        gone = sorted(path for path in known if path not in tree.files and not path.startswith(tree.unreadable))
        found = Checked(len(tree.files), (), tuple(gone), tree.warnings)
        self._looked = revision, found
        # A folder that is gone as a whole was moved or thrown away: no word on any one memory.
        changed = self._take_in(suspect, gone, known, buries=False if found_there is None else None)
        self._looked = self._looked[0], found._replace(changed=changed)
        return self._looked[1]

    def _look_at(self, suspect: Sequence[str], before: Checked) -> Checked:
        """Takes in some files that something happened to."""
        _, known = self._files()
        gone = [path for path in suspect if path in known and not self.folder.holds(path)]
        changed = self._take_in([path for path in suspect if path not in gone], gone, known, buries=None)
        return Checked(self.files(), changed, tuple(gone), before.warnings)

    def refresh(self, paths: Iterable[str], *, buries: bool | None = None) -> None:
        """Takes in some files that were just written or removed.

        `buries` says whether a wording that is no more counts as deleted by the user; None: unless it was kept for
        the session only.
        """
        with self._looking():
            self._take_in(list(paths), [], self._files()[1], buries=buries)

    def rebuild(self) -> Checked:
        """Throws the index away and reads every file; what was deleted since the last look still counts as deleted."""
        with self._looking():
            tree = self._tree(is_there=self.folder.exists())
            with suppress(StateDegraded):
                self._look_over(tree)
            with self.process.database.write(durable=False) as tx:
                entries.clear(tx, self.project)
                entries.advance(tx, self.project)
            self._known = self._looked = None
            return self._look_over(tree)

    def files(self) -> int:
        """Gives how many files the index has."""
        with self._lock:
            return len(self._files()[1])

    def revision(self) -> int:
        """Gives a number that changes with the index; read again only when something was committed."""
        generation, known = self.process.database.generation(), self._revision
        if known is not None and known[0] == generation:
            return known[1]
        with self.process.database.read() as tx:
            revision = entries.revision(tx, self.project)
        self._revision = generation, revision
        return revision

    def _files(self) -> tuple[int, dict[str, KnownFile]]:
        """Gives every file that is in the index, and at which revision of it."""
        if self._known is None or self._known[0] != self.revision():
            with self.process.database.read() as tx:
                self._known = entries.revision(tx, self.project), entries.files_of(tx, self.project)
        return self._known

    def _take_in(
        self, suspect: Sequence[str], gone: Sequence[str], known: dict[str, KnownFile], *, buries: bool | None
    ) -> tuple[str, ...]:
        """Reads files and puts them in place of what was known of them; gives those that had changed."""
        changed: list[str] = []
        lost = list(gone)
        new: list[_Reading] = []
        old: list[_Reading] = []
        real: set[str] = set()
        for path in suspect:
            before = known.get(path)
            reading = self._read(path, before, real)
            if reading is None:
                lost += [path] if before else []
                continue
            changed += [path] if reading.entries is not None else []
            if before is None:
                new.append(reading)
            elif reading.entries is not None or reading.file != before:
                old.append(reading)
            if len(new) == CHUNK:
                self._write(new, [], {}, buries=buries)
                new = []
        if new:
            self._write(new, [], {}, buries=buries)
        if old or lost:
            self._write(old, lost, known, buries=buries)
        return tuple(changed)

    def _read(self, path: str, before: KnownFile | None, real: set[str]) -> _Reading | None:
        now_ns = self.process.clock.now_ms() * 1_000_000
        place = place_of(path)
        try:
            content, stamp = self.folder.read(path, real)
        except NotFound:
            return None
        except OSError:
            nothing = KnownFile(Stamp(0, 0, 0, 0), is_racy=True, version="", is_group=False, warning=_UNREADABLE)
            return _Reading(path, before._replace(is_racy=True, warning=_UNREADABLE) if before else nothing, None)
        if place is None:
            return None
        is_racy = max(stamp.modified_ns, stamp.changed_ns) > now_ns - RACY_NS
        version = digest_bytes(content)
        if before is not None and before.version == version and before.warning != _UNREADABLE:
            return _Reading(path, before._replace(stamp=stamp, is_racy=is_racy), None)
        found = document.read(content, path, place, stamp.modified_ns // 1_000_000)
        file = KnownFile(stamp, is_racy, version, found.is_group, found.warning)
        return _Reading(path, file, [_indexed(memory) for memory in found.memories])

    def _write(
        self,
        readings: Sequence[_Reading],
        lost: Sequence[str],
        known: Mapping[str, KnownFile],
        *,
        buries: bool | None,
    ) -> None:
        dead: dict[str, tuple[str, str]] = {}
        with self.process.database.write(durable=buries is True) as tx:  # the user's word is no cache
            damaged = {one.path for one in readings if one.file.warning}
            for path in [*lost, *(one.path for one in readings if one.entries is not None and one.path in known)]:
                was_there = entries.take_out(tx, self.project, path)
                if path not in damaged:  # whose wording may be there still
                    dead.update({digest: (memory_id, keeping) for memory_id, digest, keeping in was_there})
            entries.put_files(tx, self.project, [(one.path, one.file) for one in readings])
            now = [entry for one in readings for entry in one.entries or ()]
            entries.put_entries(tx, self.project, now)
            local_state.revive(tx, self.project, [entry.digest for entry in now])
            local_state.bury(tx, self.project, [
                (memory_id, digest) for digest, (memory_id, keeping) in dead.items()
                if (keeping != "session" if buries is None else buries)
                and not local_state.is_alive(tx, self.project, digest)
            ], self.process.clock.now_ms())  # fmt: skip
            revision = entries.advance(tx, self.project)
        self._follow(revision, readings, lost)

    def _follow(self, revision: int, readings: Sequence[_Reading], lost: Sequence[str]) -> None:
        """Keeps what is known in step with what was just written, unless somebody else wrote in between."""
        before, self._known = self._known, None
        if before is not None and before[0] == revision - 1:
            gone = frozenset(lost)
            kept = {path: file for path, file in before[1].items() if path not in gone} if gone else before[1]
            self._known = revision, {**kept, **{one.path: one.file for one in readings}}
        if self._looked is not None and self._looked[0] == revision - 1:
            self._looked = revision, self._looked[1]


class Indexes:
    """The indexes of the projects in use; made once for the process."""

    def __init__(self) -> None:
        self._of: dict[str, Index] = {}
        self._lock = threading.Lock()

    def of(self, process: Process, workspace: Workspace) -> Index:
        """Gives the index of a workspace's project."""
        with self._lock:
            if workspace.project_key not in self._of:
                self._of[workspace.project_key] = Index(process, workspace)
            return self._of[workspace.project_key]


def index_of(process: Process, workspace: Workspace) -> Index:
    """Gives the index of a workspace's project."""
    return process.slices.memory.indexes.of(process, workspace)


_UNREADABLE = "The file cannot be read."


def _may_differ(known: KnownFile | None, stamp: Stamp) -> bool:
    return known is None or known.is_racy or known.stamp != stamp


def _suspect(root: str, changed: Iterable[str]) -> list[str] | None:
    """Gives the memory files among what something happened to; None where all is to be looked at.

    That is so when a folder or a link, or what nobody but a user would have put there, is among it.
    """
    suspect: list[str] = []
    for path in changed:
        if not path.startswith(f"{root}/"):
            continue  # the folder of the watch's own files
        below = path[len(root) + 1 :]
        name = below.rpartition("/")[2]
        if name.startswith(".") or is_unfinished(name) or below == INDEX_FILE:
            continue
        if not is_name(name) or not name.endswith(".md") or not _is_plain(path):
            return None
        if place_of(below) is not None:
            suspect.append(below)
    return sorted(suspect) if len(suspect) <= FEW_CHANGED else None


def _is_plain(path: str) -> bool:
    """Says whether a path leads to a file, or to nothing any more."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _indexed(memory: Memory) -> Indexed:
    """Masks what a user's own file has of secrets: whatever is told of a memory, is told from here."""
    words = f"{memory.title}\n{memory.text}"
    if redact(words) != words:
        memory = memory._replace(title=redact(memory.title), text=redact(memory.text))
    wording = wording_of(memory.title, memory.text, memory.tags)
    return Indexed(memory, digest_of(memory.title, memory.text), estimate_tokens(words), wording)


# `index.json` beside the memories: ids, titles, tags, tier and path, for people and programs that read the folder.
#
# Derived from the files, like the index in the state file; we never read it.


AT_ONCE = 1_000
"""Up to so many files it is written with the change; beyond, behind it, and once for many changes."""


class IndexFileWrites:
    """What was written last, by project, and which projects wait."""

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}
        self.revisions: dict[str, int] = {}
        """At which revision of the index, also where the file could not be written."""
        self.waiting: set[str] = set()
        self.lock = threading.Lock()


def follow(index: Index) -> None:
    """Writes the file when memories changed since, by whatever hand."""
    known = index.process.slices.memory.index_files
    if known.revisions.get(index.project) == index.revision():
        return
    if index.files() or (index.folder.exists() and index.folder.holds(INDEX_FILE)):
        write(index)


def write(index: Index) -> None:
    """Writes the file unless it is up to date, at once or shortly after."""
    process, known = index.process, index.process.slices.memory.index_files
    if index.files() <= AT_ONCE:
        _write(process, index, known)
        return
    with known.lock:
        if index.project in known.waiting:
            return
        known.waiting.add(index.project)
    process.indexing.submit(_write, process, index, known)


def _write(process: Process, index: Index, known: IndexFileWrites) -> None:
    with known.lock:
        known.waiting.discard(index.project)
    with process.database.read() as tx:
        revision, rows = entries.revision(tx, index.project), entries.told(tx, index.project)
    content = orjson.dumps({"version": 1, "memories": rows}, option=orjson.OPT_INDENT_2) + b"\n"
    digest = digest_bytes(content)
    with known.lock:
        known.revisions[index.project] = revision
        if known.digests.get(index.project) == digest and index.folder.holds(INDEX_FILE):
            return
        try:
            index.folder.write_index(INDEX_FILE, content)
        except OSError as error:
            process.log.warning("memory.indexFile", error=type(error).__name__)
            return
        known.digests[index.project] = digest
