"""A project's memories folder: read, scan, write atomically, move and remove files.

Links are not followed: anything that leads out of the folder is neither read nor written.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.core.clock import HOUR_MS
from sidecar.core.errors import Busy, Conflict, NotFound, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.memory.files.document import MAX_FILE_BYTES
from sidecar.memory.files.layout import ARCHIVE, FOLDER, MAX_DEPTH, MEMORIES, OWNERS, RETENTIONS, is_allowed_name
from sidecar.system import filelock
from sidecar.system.atomic_write import is_temporary, write_atomic
from sidecar.system.safe_open import open_regular

LOCK_FILE = ".lock"
LOCK_WAIT_S = 5.0
MAX_LOCK_BYTES = 64 * 1024
UNFINISHED_FILE_MS = HOUR_MS
"""An unfinished file older than this is abandoned."""
NUMBERED_DAYS = 32
"""Number of days whose last number is stored; older ones are known from their files."""

_IGNORE_ALL = b"# Memories of agents: stored on this machine only.\n*\n"
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.ELOOP)
_REPARSE_POINT = 0x400
"""Windows: a link or junction (FILE_ATTRIBUTE_REPARSE_POINT)."""


class Stamp(NamedTuple):
    """Detects a changed file without reading it; inode and change time only where listing a folder returns them."""

    modified_ns: int
    size: int
    inode: int
    changed_ns: int


class MemoryFolder:
    """`<projectPath>/.chati/memories`; paths are relative to it, with slashes, and allow-listed."""

    def __init__(self, project: Path) -> None:
        self._outer = os.path.join(project, FOLDER)
        self.root = os.path.join(self._outer, MEMORIES)
        self._project = os.fspath(project)

    def exists(self) -> bool:
        """Whether the folder exists. Raise PolicyDenied if something else is in its place."""
        return all(_is_folder(path) for path in (self._outer, self.root))

    def prepare(self) -> None:
        """Create the folder with its own `.gitignore`, so that git never tracks it; `.chati` likewise if it is new.

        Raise WorkspaceUnavailable if that fails, PolicyDenied if something else is in its place.
        """
        if not _is_folder(self._project):
            raise WorkspaceUnavailable("The project folder does not exist.", hint="Send its current path.")
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
                "The memories folder cannot be created.", hint="Grant this user write access to the project."
            ) from error

    @contextmanager
    def locked(self) -> Iterator["DayNumbers"]:
        """Hold the lock against other processes and threads; create the folder if needed."""
        self.prepare()
        fd = self._open_lock()
        try:
            with filelock.locked(fd, LOCK_WAIT_S) as has_lock:
                if not has_lock:
                    raise Busy(
                        "Another process is writing memories.", hint="Try again shortly.", data={"retryAfterMs": 500}
                    )
                yield DayNumbers(fd)
        except OSError as error:
            raise _folder_unusable(error) from error

    def read(self, path: str, checked_folders: set[str] | None = None) -> tuple[bytes, Stamp]:
        """Return a file's bytes and stamp; of a file that is too large only enough to show that.

        `checked_folders` collects, for one pass over many files, the folders already checked not to be links.

        Raise NotFound for a missing file, a link, or a non-file; OSError if it cannot be read.
        """
        target = self._inside(path, checked_folders=checked_folders)
        try:
            fd = open_regular(target)
        except OSError as error:
            if error.errno in _NO_FILE:
                raise _file_not_found() from error
            raise
        try:
            status = os.fstat(fd)
            return _read_all(fd, min(status.st_size, MAX_FILE_BYTES + 1)), stamp_of(status)
        finally:
            os.close(fd)

    def create(self, path: str, content: bytes, *, durable: bool = True) -> Stamp:
        """Write a new file atomically. Raise Conflict if the name exists."""
        target = self._inside(path, make=True)
        if os.path.lexists(target):
            raise Conflict("A memory file of that name already exists.")
        return _write(target, content, durable=durable)

    def replace(self, path: str, before: bytes, content: bytes, *, durable: bool = True) -> Stamp:
        """Rewrite a file atomically. Raise Conflict if it has changed."""
        if self.read(path)[0] != before:
            raise Conflict("The memory file has changed since it was read.", hint="Read it again.")
        return _write(self._inside(path), content, durable=durable)

    def remove_unchanged(self, path: str, before: bytes | None) -> None:
        """Remove an unchanged file. Raise Conflict if it has changed, NotFound if it is missing."""
        if self.read(path)[0] != before:
            raise Conflict("The memory file has changed since it was read.", hint="Read it again.")
        self.remove(path)

    def remove(self, path: str) -> None:
        """Remove a file and the folders that become empty."""
        with suppress(FileNotFoundError):
            os.unlink(self._inside(path))
        self._prune(path)

    def move(self, path: str, to: str) -> Stamp:
        """Move a file within the folder. Raise Conflict if the target exists, NotFound if the file is missing."""
        target = self._inside(to, make=True)
        if os.path.lexists(target):
            raise Conflict("A memory file of that name already exists.", hint="Move or rename that one first.")
        try:
            os.rename(self._inside(path), target)
        except FileNotFoundError as error:
            raise _file_not_found() from error
        self._prune(path)
        return stamp_of(os.lstat(target))

    def sweep(self, now_ms: int) -> None:
        """Remove unfinished files of killed writers, here and beside the folder."""
        for path in self._unfinished_paths(now_ms):
            with suppress(OSError):
                os.unlink(path)

    def unfinished_files(self, now_ms: int) -> int:
        """Return the number of abandoned unfinished files."""
        return len(list(self._unfinished_paths(now_ms)))

    def _unfinished_paths(self, now_ms: int) -> Iterator[str]:
        for folder, _, names in os.walk(self._outer):
            for name in filter(is_temporary, names):
                path = os.path.join(folder, name)
                with suppress(OSError):
                    if now_ms - os.lstat(path).st_mtime * 1000 > UNFINISHED_FILE_MS:
                        yield path

    def contains(self, name: str) -> bool:
        """Whether a file exists."""
        return os.path.lexists(os.path.join(self.root, name))

    def has_at_most(self, limit: int) -> bool:
        """Whether no more than `limit` files are below the folder; stops counting there."""
        count = 0
        for _, _, names in os.walk(self.root):
            count += len(names)
            if count > limit:
                return False
        return True

    def write_index(self, name: str, content: bytes) -> None:
        """Write a derived file beside the memories, or in an owner's folder. Raise PolicyDenied for a link there."""
        write_atomic(self._inside(name, make=True), content, durable=False)

    def _open_lock(self) -> int:
        try:
            return open_regular(os.path.join(self.root, LOCK_FILE), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise _folder_unusable(error) from error

    def _inside(self, path: str, *, make: bool = False, checked_folders: set[str] | None = None) -> str:
        """Return a file's path on disk; every folder on the way must be a real one. Raise NotFound, PolicyDenied."""
        *folders, name = path.split("/")
        below = "/".join(folders)
        if checked_folders is not None and below in checked_folders:
            return os.path.join(self.root, path)
        folder_path = self.root
        for folder in folders:
            folder_path = os.path.join(folder_path, _allowed_name(folder))
            if not _is_folder(folder_path):
                if not make:
                    raise _file_not_found()
                os.mkdir(folder_path)
        if checked_folders is not None:
            checked_folders.add(below)
        return os.path.join(folder_path, _allowed_name(name))

    def _prune(self, path: str) -> None:
        """Remove folders that became empty, below the owners' own."""
        parts = path.split("/")[:-1]
        while len(parts) > 2:
            with suppress(OSError):
                os.rmdir(os.path.join(self.root, *parts))
            parts.pop()


class DayNumbers:
    """The last memory number of each day, stored in the lock file: ids are never reused."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self.last_numbers = self._read()

    def reserve(self, day: str, number: int) -> None:
        """Store the last number of a day before it is used."""
        self.last_numbers[day] = number
        recent = dict(sorted(self.last_numbers.items())[-NUMBERED_DAYS:])
        content = json.dumps(recent).encode()
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, content)
        os.ftruncate(self._fd, len(content))

    def _read(self) -> dict[str, int]:
        os.lseek(self._fd, 0, os.SEEK_SET)
        try:
            numbers = json.loads(os.read(self._fd, MAX_LOCK_BYTES) or b"{}")
            return {str(day): int(number) for day, number in numbers.items()}
        except (ValueError, AttributeError, TypeError, RecursionError):
            return {}


def stamp_of(status: os.stat_result) -> Stamp:
    """Return a file's stamp; Windows reports inode and change time only for an open file."""
    if os.name == "nt":
        return Stamp(status.st_mtime_ns, status.st_size, 0, 0)
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)


def is_link(status: os.stat_result) -> bool:
    """Whether an lstat result is a link or junction."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_file_attributes", 0) & _REPARSE_POINT)


def _is_folder(path: str) -> bool:
    """Whether a folder exists. Raise PolicyDenied for a link or a file in its place."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _folder_unusable(error) from error
    name = os.path.basename(path)
    if is_link(status):
        raise PolicyDenied(f"`{name}` is a link; memories are stored in a real folder only.", hint="Remove the link.")
    if not stat.S_ISDIR(status.st_mode):
        raise PolicyDenied(f"`{name}` is not a folder, so it cannot store memories.", hint="Move the file away.")
    return True


def _allowed_name(part: str) -> str:
    if not is_allowed_name(part):
        raise PolicyDenied("A memory's path must stay within the memories folder.")
    return part


def _write(target: str, content: bytes, *, durable: bool = True) -> Stamp:
    write_atomic(target, content, durable=durable)
    return stamp_of(os.lstat(target))


def _read_all(fd: int, limit: int) -> bytes:
    parts = []
    while limit and (part := os.read(fd, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _ignore_itself(folder: str) -> None:
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.lexists(ignore):
        write_atomic(ignore, _IGNORE_ALL)


def _file_not_found() -> NotFound:
    return NotFound("No memory file has that name.")


def _folder_unusable(error: OSError) -> StateDegraded:
    return StateDegraded(
        f"The memories folder cannot be used: {error.strerror or type(error).__name__}.",
        hint="Check its permissions and the disk.",
    )


UNKNOWN_FOLDER = "The folder belongs to no known agent and no kind of memory, so its files are not read."


class FolderScan(NamedTuple):
    """The stamp of every memory file by path, and what could not be examined."""

    files: dict[str, Stamp]
    unreadable: tuple[str, ...]
    """Folders with a trailing slash; their known files still count."""
    warnings: tuple[tuple[str, str], ...]
    """Path and sentence."""


def scan_files(folder: MemoryFolder) -> FolderScan:
    """Scan the folders of every owner and retention, and the archive's; links are reported, not followed."""
    scanner = _Scanner(folder.root)
    scanner.report_unknown_folders()
    for top in ("", f"{ARCHIVE}/"):
        for owner in OWNERS:
            for retention in RETENTIONS:
                scanner.scan_folder(f"{top}{owner}/{retention}/", MAX_DEPTH)
    return FolderScan(scanner.files, tuple(scanner.unreadable), tuple(scanner.warnings))


class _Scanner:
    def __init__(self, root: str) -> None:
        self.root = root
        self.files: dict[str, Stamp] = {}
        self.unreadable: list[str] = []
        self.warnings: list[tuple[str, str]] = []

    def scan_folder(self, folder: str, depth: int) -> None:
        """Add the files of a folder and its subfolders; a disallowed file name becomes a warning."""
        for entry in self._entries(folder):
            path = folder + entry.name
            is_file = entry.name.endswith(".md")
            if entry.name.startswith("."):
                continue
            if not is_allowed_name(entry.name):
                self.warnings.append(
                    (folder, "A file is skipped because its name has characters that not every system allows.")
                )
            elif is_file:
                self._add_file(entry, path)
            elif entry.is_dir(follow_symlinks=False) and depth > 1:
                self._descend(entry, path, depth)
            elif entry.is_symlink():
                self.warnings.append((path, "A link is not followed."))

    def report_unknown_folders(self) -> None:
        """Report folders whose memories nobody reads: of an unknown owner, or below an owner."""
        for below, known in (
            ("", {*OWNERS, ARCHIVE}),
            (f"{ARCHIVE}/", OWNERS),
            *((f"{name}/", RETENTIONS) for name in OWNERS),
        ):
            with suppress(OSError), os.scandir(os.path.join(self.root, below)) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
                unread = [name for name in names if name not in known and not name.startswith(".")]
                self.warnings += [(f"{below}{name}/", UNKNOWN_FOLDER) for name in unread]

    def _descend(self, entry: os.DirEntry[str], path: str, depth: int) -> None:
        if os.name == "nt" and is_link(entry.stat(follow_symlinks=False)):
            self.warnings.append((path, "A link is not followed."))
        else:
            self.scan_folder(f"{path}/", depth - 1)

    def _add_file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return  # it was removed meanwhile
        if is_link(status):
            self.warnings.append((path, "A link is not followed."))
        elif entry.is_file(follow_symlinks=False):
            self.files[path] = stamp_of(status)

    def _entries(self, below: str) -> Iterator[os.DirEntry[str]]:
        """List a folder; nothing if it, or a folder above it, is a link."""
        path = os.path.join(self.root, *below.split("/")[:-1])
        if below.count("/") <= 3 and self._crosses_link(below):
            return
        try:
            with os.scandir(path) as entries:
                yield from entries
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.unreadable.append(below)
            self.warnings.append((below, "The folder cannot be read."))

    def _crosses_link(self, below: str) -> bool:
        path = self.root
        for part in below.split("/")[:-1]:
            path = os.path.join(path, part)
            try:
                if is_link(os.lstat(path)):
                    self.warnings.append((below, "A link is not followed."))
                    return True
            except OSError:
                return False
        return False
