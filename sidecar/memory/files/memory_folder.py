"""The memories' folder of a project: its files are read, written whole or not at all, moved and removed.

No link is followed: what leads out of the folder is neither read nor written.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.memory.files.document import MAX_FILE_BYTES
from sidecar.memory.files.layout import ARCHIVE, FOLDER, KEEPINGS, MAX_DEPTH, MEMORIES, OWNERS, is_name
from sidecar.system import filelock
from sidecar.system.atomic_write import is_unfinished, write_whole
from sidecar.system.safe_open import opened

LOCK_FILE = ".lock"
LOCK_WAIT_S = 5.0
MAX_LOCK_BYTES = 64 * 1024
LEFT_BEHIND_MS = 3_600_000
"""A file that has been half written for so long never will be whole."""
KEPT_DAYS = 32
"""Days whose last number is remembered; older ones are known from their files."""

_IGNORE_ALL = b"# What agents remember: kept on this machine only.\n*\n"
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.ELOOP)
_REPARSE_POINT = 0x400
"""Windows: a link or junction (FILE_ATTRIBUTE_REPARSE_POINT)."""


class Stamp(NamedTuple):
    """What tells a changed file without reading it; inode and change time only where listing a folder tells them."""

    modified_ns: int
    size: int
    inode: int
    changed_ns: int


class MemoryFolder:
    """`<projectPath>/.chati/memories`; paths are given below it, joined by slashes, and were allow-listed."""

    def __init__(self, project: Path) -> None:
        self._outer = os.path.join(project, FOLDER)
        self.root = os.path.join(self._outer, MEMORIES)
        self._project = os.fspath(project)

    def exists(self) -> bool:
        """Says whether there is one; raises PolicyDenied where something else stands in its place."""
        return all(_is_folder(path) for path in (self._outer, self.root))

    def prepare(self) -> None:
        """Makes the folder, with a `.gitignore` of its own, so that it never enters git; `.chati` too, if it is made.

        Raises WorkspaceUnavailable where that cannot be done, PolicyDenied where something else stands in its place.
        """
        if not _is_folder(self._project):
            raise WorkspaceUnavailable("The project's folder does not exist.", hint="Send its present path.")
        try:
            is_ours = not _is_folder(self._outer)
            for folder in (self._outer, self.root):
                with suppress(FileExistsError):
                    os.mkdir(folder)
            if is_ours:
                _ignore_itself(self._outer)
            if _is_folder(self.root):
                _ignore_itself(self.root)
        except OSError as error:
            raise WorkspaceUnavailable(
                "The memories' folder cannot be made.", hint="Give this user the right to write to the project."
            ) from error

    @contextmanager
    def locked(self) -> Iterator["Numbers"]:
        """Keeps other processes and threads from changing memories meanwhile; the folder is made if need be."""
        self.prepare()
        fd = self._open_lock()
        try:
            with filelock.holding(fd, LOCK_WAIT_S) as is_held:
                if not is_held:
                    raise Busy(
                        "Another process is writing memories.", hint="Try again shortly.", data={"retryAfterMs": 500}
                    )
                yield Numbers(fd)
        except OSError as error:
            raise _failed(error) from error

    def read(self, path: str, real: set[str] | None = None) -> tuple[bytes, Stamp]:
        """Gives a file's bytes with its stamp; of one that is too large only so much that this shows.

        `real` remembers, for one pass over many files, which folders were seen to be real ones.

        Raises NotFound for what is gone, a link, or no file; OSError for what cannot be read.
        """
        target = self._inside(path, real=real)
        try:
            fd = opened(target)
        except OSError as error:
            if error.errno in _NO_FILE:
                raise _gone() from error
            raise
        try:
            found = os.fstat(fd)
            return _all_of(fd, min(found.st_size, MAX_FILE_BYTES + 1)), stamp_of(found)
        finally:
            os.close(fd)

    def create(self, path: str, content: bytes, *, durable: bool = True) -> Stamp:
        """Writes a new file, whole or not at all; raises Conflict where one of that name is there."""
        target = self._inside(path, make=True)
        if os.path.lexists(target):
            raise Conflict("A memory's file of that name is there already.")
        return _written(target, content, durable=durable)

    def replace(self, path: str, before: bytes, content: bytes, *, durable: bool = True) -> Stamp:
        """Writes a file anew, whole or not at all; raises Conflict when it is no longer what it was."""
        if self.read(path)[0] != before:
            raise Conflict("The memory's file was changed meanwhile.", hint="Look at it again.")
        return _written(self._inside(path), content, durable=durable)

    def take_away(self, path: str, before: bytes | None) -> None:
        """Removes a file that is as it was; raises Conflict when it is not, or NotFound when it is gone."""
        if self.read(path)[0] != before:
            raise Conflict("The memory's file was changed meanwhile.", hint="Look at it again.")
        self.remove(path)

    def remove(self, path: str) -> None:
        """Removes a file and the folders that are empty then."""
        with suppress(FileNotFoundError):
            os.unlink(self._inside(path))
        self._prune(path)

    def move(self, path: str, to: str) -> Stamp:
        """Moves a file within the folder; raises Conflict where one of that name is there, NotFound if it is gone."""
        target = self._inside(to, make=True)
        if os.path.lexists(target):
            raise Conflict("A memory's file of that name is there already.", hint="Move or rename that one first.")
        try:
            os.rename(self._inside(path), target)
        except FileNotFoundError as error:
            raise _gone() from error
        self._prune(path)
        return stamp_of(os.lstat(target))

    def sweep(self, now_ms: int) -> None:
        """Removes what writers that were killed left half written, here and beside the folder."""
        for path in self._left_behind(now_ms):
            with suppress(OSError):
                os.unlink(path)

    def left_behind(self, now_ms: int) -> int:
        """Gives how many files were left half written."""
        return len(list(self._left_behind(now_ms)))

    def _left_behind(self, now_ms: int) -> Iterator[str]:
        for folder, _, names in os.walk(self._outer):
            for name in filter(is_unfinished, names):
                path = os.path.join(folder, name)
                with suppress(OSError):
                    if now_ms - os.lstat(path).st_mtime * 1000 > LEFT_BEHIND_MS:
                        yield path

    def holds(self, name: str) -> bool:
        """Says whether a file is there."""
        return os.path.lexists(os.path.join(self.root, name))

    def write_index(self, name: str, content: bytes) -> None:
        """Writes a derived file beside the memories."""
        write_whole(os.path.join(self.root, name), content, durable=False)

    def _open_lock(self) -> int:
        try:
            return opened(os.path.join(self.root, LOCK_FILE), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise _failed(error) from error

    def _inside(self, path: str, *, make: bool = False, real: set[str] | None = None) -> str:
        """Gives a file's path on disk; every folder on the way is a real one. Raises NotFound, PolicyDenied."""
        *folders, name = path.split("/")
        below = "/".join(folders)
        if real is not None and below in real:
            return os.path.join(self.root, path)
        place = self.root
        for folder in folders:
            place = os.path.join(place, _allowed(folder))
            if not _is_folder(place):
                if not make:
                    raise _gone()
                os.mkdir(place)
        if real is not None:
            real.add(below)
        return os.path.join(place, _allowed(name))

    def _prune(self, path: str) -> None:
        """Removes folders that became empty, below the owners' own."""
        parts = path.split("/")[:-1]
        while len(parts) > 2:
            with suppress(OSError):
                os.rmdir(os.path.join(self.root, *parts))
            parts.pop()


class Numbers:
    """The last number given to a memory of a day, kept in the lock's file: ids are never given twice."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.given = self._read()

    def keep(self, day: str, number: int) -> None:
        """Writes down the last number of a day, before it is used."""
        self.given[day] = number
        kept = dict(sorted(self.given.items())[-KEPT_DAYS:])
        content = json.dumps(kept).encode()
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, content)
        os.ftruncate(self._fd, len(content))

    def _read(self) -> dict[str, int]:
        os.lseek(self._fd, 0, os.SEEK_SET)
        try:
            kept = json.loads(os.read(self._fd, MAX_LOCK_BYTES) or b"{}")
            return {str(day): int(number) for day, number in kept.items()}
        except (ValueError, AttributeError, TypeError, RecursionError):
            return {}


def stamp_of(found: os.stat_result) -> Stamp:
    """Gives the stamp of a file; Windows tells inode and change time only of an open one."""
    if os.name == "nt":
        return Stamp(found.st_mtime_ns, found.st_size, 0, 0)
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns)


def is_link(found: os.stat_result) -> bool:
    """Says whether what was looked at without following is a link, a junction among them."""
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_file_attributes", 0) & _REPARSE_POINT)


def _is_folder(path: str) -> bool:
    """Says whether a folder is there; raises PolicyDenied for a link or a file in its place."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _failed(error) from error
    name = os.path.basename(path)
    if is_link(found):
        raise PolicyDenied(f"`{name}` is a link, and memories are kept in a real folder only.", hint="Remove the link.")
    if not stat.S_ISDIR(found.st_mode):
        raise PolicyDenied(f"`{name}` is no folder, so no memories can be kept in it.", hint="Move the file away.")
    return True


def _allowed(part: str) -> str:
    if not is_name(part):
        raise PolicyDenied("A memory's path stays within the memories' folder.")
    return part


def _written(target: str, content: bytes, *, durable: bool = True) -> Stamp:
    write_whole(target, content, durable=durable)
    return stamp_of(os.lstat(target))


def _all_of(fd: int, limit: int) -> bytes:
    parts = []
    while limit and (part := os.read(fd, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _ignore_itself(folder: str) -> None:
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.lexists(ignore):
        write_whole(ignore, _IGNORE_ALL)


def _gone() -> NotFound:
    return NotFound("There is no memory's file of that name.")


def _failed(error: OSError) -> StateDegraded:
    return StateDegraded(
        f"The memories' folder cannot be used: {error.strerror or type(error).__name__}.",
        hint="Check its permissions and the disk.",
    )


# Looks through the memories' folder: which files there are, told by their stamps, without reading any.


class Tree(NamedTuple):
    """Every memory file's stamp by its path, and what could not be looked at."""

    files: dict[str, Stamp]
    unreadable: tuple[str, ...]
    """Folders, each with a slash at its end: what was known of them still counts."""
    warnings: tuple[tuple[str, str], ...]
    """Path and sentence."""


def walk(folder: MemoryFolder) -> Tree:
    """Looks through the folders of every owner and keeping, and the archive's; links are told of, not followed."""
    looking = _Looking(folder.root)
    for top in ("", f"{ARCHIVE}/"):
        for owner in OWNERS:
            for keeping in KEEPINGS:
                looking.look(f"{top}{owner}/{keeping}/", MAX_DEPTH)
    return Tree(looking.files, tuple(looking.unreadable), tuple(looking.warnings))


class _Looking:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files: dict[str, Stamp] = {}
        self.unreadable: list[str] = []
        self.warnings: list[tuple[str, str]] = []

    def look(self, below: str, depth: int) -> None:
        """Takes the files of a folder and of those in it; a file whose name is not allowed is told of."""
        for entry in self._entries(below):
            path = below + entry.name
            is_file = entry.name.endswith(".md")
            if entry.name.startswith("."):
                continue
            if not is_name(entry.name):
                self.warnings.append((below, "A file with signs in its name that not every system allows is left out."))
            elif is_file:
                self._take(entry, path)
            elif entry.is_dir(follow_symlinks=False) and depth > 1:
                self._descend(entry, path, depth)
            elif entry.is_symlink():
                self.warnings.append((path, "A link is not followed."))

    def _descend(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if os.name == "nt" and is_link(entry.stat(follow_symlinks=False)):
            self.warnings.append((path, "A link is not followed."))
        else:
            self.look(f"{path}/", depth - 1)

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return  # it went meanwhile
        if is_link(found):
            self.warnings.append((path, "A link is not followed."))
        elif entry.is_file(follow_symlinks=False):
            self.files[path] = stamp_of(found)

    def _entries(self, below: str) -> Iterator[os.DirEntry[str]]:
        """Lists a folder; one that is a link, also on the way to it, is none."""
        place = os.path.join(self.root, *below.split("/")[:-1])
        if below.count("/") <= 3 and self._leads_away(below):
            return
        try:
            with os.scandir(place) as entries:
                yield from entries
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.unreadable.append(below)
            self.warnings.append((below, "The folder cannot be read."))

    def _leads_away(self, below: str) -> bool:
        place = self.root
        for part in below.split("/")[:-1]:
            place = os.path.join(place, part)
            try:
                if is_link(os.lstat(place)):
                    self.warnings.append((below, "A link is not followed."))
                    return True
            except OSError:
                return False
        return False
