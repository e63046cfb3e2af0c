"""A project's memories folder: read, scan, write atomically, move and remove files.

Links are not followed: anything that leads out of the folder is neither read nor written.
"""

import errno
import json
import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import (
    Busy,
    Conflict,
    NotFound,
    PolicyDenied,
    SidecarError,
    StateDegraded,
    WorkspaceUnavailable,
)
from sidecar.memory.files.document import MAX_FILE_BYTES
from sidecar.memory.files.layout import ARCHIVE, MAX_DEPTH, MEMORIES, OWNERS, RETENTIONS, is_allowed_name
from sidecar.system import filelock
from sidecar.system.atomic_write import OWN_FOLDER, abandoned_files, remove_abandoned_files, write_atomic
from sidecar.system.safe_open import RealFolder, is_link, open_real_folder, open_regular

LOCK_FILE = ".lock"
LOCK_WAIT_S = 5.0
MAX_LOCK_BYTES = 64 * 1024
MAX_OPEN_FOLDERS = 32
NUMBERED_DAYS = 32
"""Number of days whose last number is stored; older ones are known from their files."""

_IGNORE_ALL = b"# Memories of agents: stored on this machine only.\n*\n"
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.ELOOP)


class Stamp(NamedTuple):
    """Detects a changed file without reading it; inode and change time only where listing a folder returns them."""

    modified_ns: int
    size: int
    inode: int
    changed_ns: int


class MemoryFolder:
    """`<projectPath>/.chati/memories`; paths are relative to it, with slashes, and allow-listed."""

    def __init__(self, project: Path) -> None:
        self._outer = os.path.join(project, OWN_FOLDER)
        self.root = os.path.join(self._outer, MEMORIES)
        self._project = os.fspath(project)
        self._undo_steps: list[Callable[[], object]] = []
        """The steps that revert the changes which the holder of the lock has not completed, oldest first."""

    def exists(self) -> bool:
        """Whether the folder exists. Raise PolicyDenied if something else is in its place."""
        return all(_is_folder(path) for path in (self._outer, self.root))

    def prepare(self) -> None:
        """Create the folder with its own `.gitignore`, so that git never tracks it; `.chati` likewise if it is new.

        Raise WorkspaceUnavailable if that fails, PolicyDenied if something else is in its place.
        """
        if not _is_folder(self._project):
            raise WorkspaceUnavailable(
                "The project's folder does not exist.", hint="If it was moved, name its new path."
            )
        try:
            is_ours = not _is_folder(self._outer)
            for parts in ((OWN_FOLDER,), (OWN_FOLDER, MEMORIES)):
                with open_real_folder(self._project, parts, make=True) as folder:
                    if is_ours or len(parts) > 1:
                        _ignore_itself(folder)
        except OSError as error:
            self.exists()  # raises what is in the place
            raise WorkspaceUnavailable(
                "The memories folder cannot be created.", hint="Grant this user write access to the project."
            ) from error

    @contextmanager
    def locked(self) -> Generator["DayNumbers"]:
        """Hold the lock against other processes and threads; create the folder if needed.

        If the block fails, the changes since the last `complete` are reverted: a caller that retries after an error
        finds the files as they were.
        """
        self.prepare()
        try:
            with self.open_folder() as folder:
                fd = open_regular(folder.at(LOCK_FILE), os.O_RDWR | os.O_CREAT, mode=0o600, folder_fd=folder.fd)
        except OSError as error:
            raise _folder_unusable(error) from error
        try:
            with filelock.locked(fd, LOCK_WAIT_S) as has_lock:
                if not has_lock:
                    raise Busy(
                        "Another process is writing memories.", hint="Try again shortly.", data={"retryAfterMs": 500}
                    )
                try:
                    yield DayNumbers(fd)
                except Exception:
                    self._revert()
                    raise
                finally:
                    self.complete()
        except OSError as error:
            raise _folder_unusable(error) from error

    def complete(self) -> None:
        """Make the changes so far final; the caller holds the lock."""
        self._undo_steps.clear()

    def _revert(self) -> None:
        """Revert the changes that are not complete, newest first; a file that someone changed since stays as it is."""
        steps = self._undo_steps[::-1]
        for step in steps:
            with suppress(OSError, SidecarError):
                step()

    def read(self, path: str, folders: "OpenFolders | None" = None) -> tuple[bytes, Stamp]:
        """Return a file's bytes and stamp; of a file that is too large only enough to show that.

        `folders` are those already open, for one pass over many files.

        Raise NotFound for a missing file, a link, or a non-file; OSError if it cannot be read.
        """
        *below, name = path.split("/")
        with ExitStack() as stack:
            folder = folders.get(*below) if folders is not None else stack.enter_context(self.open_folder(*below))
            try:
                fd = open_regular(folder.at(_allowed_name(name)), folder_fd=folder.fd)
            except OSError as error:
                if error.errno in _NO_FILE:
                    raise _file_not_found() from error
                raise
        try:
            status = os.fstat(fd)
            return _read_all(fd, min(status.st_size, MAX_FILE_BYTES + 1)), stamp_of(status)
        finally:
            os.close(fd)

    @contextmanager
    def open_folders(self) -> "Generator[OpenFolders]":
        """Return the folders that are open during one pass over many files."""
        with ExitStack() as stack:
            yield OpenFolders(self, stack)

    def create(self, path: str, content: bytes, *, durable: bool = True) -> Stamp:
        """Write a new file atomically. Raise Conflict if the name exists."""
        with self._folder_of(path, make=True) as (folder, name):
            if _exists(folder, name):
                raise Conflict("A memory file with that name already exists.")
            self._undo_steps.append(partial(self.remove_unchanged, path, content))
            return _write(folder, name, content, durable=durable)

    def replace(self, path: str, before: bytes, content: bytes, *, durable: bool = True) -> Stamp:
        """Rewrite a file atomically. Raise Conflict if it has changed."""
        if self.read(path)[0] != before:
            raise Conflict("The memory file has changed since it was read.", hint="Read it again.")
        with self._folder_of(path) as (folder, name):
            self._undo_steps.append(partial(self.replace, path, content, before))
            return _write(folder, name, content, durable=durable)

    def remove_unchanged(self, path: str, before: bytes | None) -> None:
        """Remove an unchanged file. Raise Conflict if it has changed, NotFound if it is missing."""
        if self.read(path)[0] != before:
            raise Conflict("The memory file has changed since it was read.", hint="Read it again.")
        self.remove(path)

    def remove(self, path: str) -> None:
        """Remove a file and the folders that become empty."""
        with suppress(FileNotFoundError), self._folder_of(path) as (folder, name):
            with suppress(OSError, SidecarError):  # what cannot be read cannot be restored
                content, _ = self.read(path)
                if len(content) <= MAX_FILE_BYTES:
                    self._undo_steps.append(partial(self.create, path, content))
            folder.unlink(name)
        self._prune(path)

    def move(self, path: str, to: str) -> Stamp:
        """Move a file within the folder. Raise Conflict if the target exists, NotFound if the file is missing."""
        with self._folder_of(to, make=True) as (target, new_name), self._folder_of(path) as (folder, name):
            if _exists(target, new_name):
                raise Conflict("A memory file with that name already exists.", hint="Move or rename that one first.")
            try:
                os.rename(folder.at(name), target.at(new_name), src_dir_fd=folder.fd, dst_dir_fd=target.fd)
            except FileNotFoundError as error:
                raise _file_not_found() from error
            self._undo_steps.append(partial(self.move, to, path))
            stamp = stamp_of(target.status(new_name))
        self._prune(path)
        return stamp

    def sweep(self) -> None:
        """Remove unfinished files of ended writers, here and beside the folder."""
        remove_abandoned_files(self._outer)

    def unfinished_files(self) -> int:
        """Return the number of files left by ended writers."""
        return sum(1 for _ in abandoned_files(self._outer))

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
        with self._folder_of(name, make=True) as (folder, file):
            write_atomic(file, content, durable=False, folder=folder)

    @contextmanager
    def _folder_of(self, path: str, *, make: bool = False) -> Generator[tuple[RealFolder, str]]:
        """Open a file's folder. Raise NotFound, PolicyDenied, OSError."""
        *below, name = path.split("/")
        with self.open_folder(*below, make=make) as folder:
            yield folder, _allowed_name(name)

    @contextmanager
    def open_folder(self, *below: str, make: bool = False) -> Generator[RealFolder]:
        """Open a folder below the root; every folder on the way must be a real one. Raise NotFound, PolicyDenied."""
        parts = (OWN_FOLDER, MEMORIES, *map(_allowed_name, below))
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(open_real_folder(self._project, parts, make=make))
            except FileNotFoundError as error:
                raise _file_not_found() from error
            except NotADirectoryError as error:
                for count in range(1, len(parts) + 1):  # raises what is in the place
                    _is_folder(os.path.join(self._project, *parts[:count]))
                raise _file_not_found() from error
            yield folder

    def _prune(self, path: str) -> None:
        """Remove folders that became empty, below the owners' own."""
        parts = path.split("/")[:-1]
        while len(parts) > 2:
            name = parts.pop()
            with suppress(OSError, SidecarError), self.open_folder(*parts) as folder:
                os.rmdir(folder.at(name), dir_fd=folder.fd)


class OpenFolders:
    """The folders of one pass over many files, each opened once."""

    def __init__(self, folder: MemoryFolder, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._open: dict[tuple[str, ...], RealFolder] = {}

    def get(self, *below: str) -> RealFolder:
        """Return a folder. Raise NotFound, PolicyDenied."""
        folder = self._open.get(below)
        if folder is None:
            if len(self._open) >= MAX_OPEN_FOLDERS:
                self._stack.close()
                self._open.clear()
            folder = self._open[below] = self._stack.enter_context(self._folder.open_folder(*below))
        return folder


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


def _exists(folder: RealFolder, name: str) -> bool:
    try:
        folder.status(name)
    except FileNotFoundError:
        return False
    return True


def _write(folder: RealFolder, name: str, content: bytes, *, durable: bool = True) -> Stamp:
    write_atomic(name, content, durable=durable, folder=folder)
    return stamp_of(folder.status(name))


def _read_all(fd: int, limit: int) -> bytes:
    parts = []
    while limit and (part := os.read(fd, limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _ignore_itself(folder: RealFolder) -> None:
    if not _exists(folder, ".gitignore"):
        write_atomic(".gitignore", _IGNORE_ALL, folder=folder)


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
