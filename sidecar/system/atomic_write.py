"""Atomic file writes, and our own folder in a project, which ignores itself for git."""

import os
import stat
import sys
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress

from sidecar.system.safe_open import RealFolder, open_real_folder, open_real_parent

if sys.platform != "win32":
    import fcntl

OWN_FOLDER = ".chati"
_PREFIX, _SUFFIX = ".onecode-", ".new"
"""Begin and end of a temporary file's name; between them are the pid and the thread id of its writer."""
_CLOCK_SLACK_SECONDS = 2.0
_ALWAYS_SET = stat.S_IWRITE if sys.platform == "win32" else 0
"""Mode bits that a temporary file has in any case: Windows deletes no read-only file."""
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None) if sys.platform != "win32" else None
"""macOS's command to write a file to the disk."""

_IGNORE_FILE_CONTENT = b"# Stored on this machine only.\n*\n"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_unfinished: set[str] = set()
"""Names of temporary files that this process is writing."""
_swept: set[str] = set()
"""Folders from which this process has removed the files of ended writers."""


def write_atomic(
    target: str,
    content: bytes | Iterable[bytes],
    *,
    durable: bool = True,
    is_private: bool = False,
    folder: RealFolder | None = None,
) -> None:
    """Write a temporary file beside the target, sync and rename: readers see the old content or the new. Raise OSError.

    An existing file keeps its permissions; a private one is this user's alone, whatever the umask. With several
    writers, in one process or more, the last one wins. Content can come in parts, which are made while it is written;
    if making one raises, the target stays as it was. With a `folder`, the target is a name in it. Without one, what a
    killed writer left beside the target is removed at this process's first write there.
    """
    if folder is None:
        remove_abandoned_once(os.path.dirname(target))
    with temporary_name() as name:
        beside = folder or RealFolder(os.path.dirname(target), None)
        path = target if folder is None else beside.at(target)
        temporary, folder_fd = beside.at(name), beside.fd
        try:
            fd = _create_file(temporary, 0o600 if is_private else 0o644, folder_fd)
            with os.fdopen(fd, "wb") as stream:
                stream.writelines((content,) if isinstance(content, bytes) else content)
                stream.flush()
                if durable:
                    _sync(fd)
            if not is_private:
                with suppress(OSError):
                    mode = os.stat(path, dir_fd=folder_fd).st_mode & 0o777
                    os.chmod(temporary, mode | _ALWAYS_SET, dir_fd=folder_fd)
            replace_file(temporary, path, folder_fd)
            if durable:
                _sync_folder(beside)
        except Exception:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder_fd)
            raise


_REPLACE_WAITS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if sys.platform == "win32" else ()
"""Waits after which a refused rename is tried again."""


def replace_file(source: str, target: str, folder_fd: int | None = None) -> None:
    """Rename a file over another one. Raise OSError.

    Windows refuses that while a program has one of them open, such as a virus scanner or a reader.
    """
    for wait_s in _REPLACE_WAITS_S:
        with suppress(PermissionError):
            os.replace(source, target, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
            return
        time.sleep(wait_s)
    os.replace(source, target, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)


@contextmanager
def temporary_name() -> Generator[str]:
    """Lend the name of this thread's temporary file; it is removed at a later start if this process is killed."""
    name = f"{_PREFIX}{os.getpid()}-{threading.get_ident()}{_SUFFIX}"
    _unfinished.add(name)
    try:
        yield name
    finally:
        _unfinished.discard(name)


def write_resolved(path: str, content: bytes, *, durable: bool = True, is_private: bool = False) -> None:
    """Write a file atomically whose path has no link, also not one that appears meanwhile. Raise OSError."""
    remove_abandoned_once(os.path.dirname(path))
    with open_real_parent(path) as (folder, name):
        write_atomic(name, content, durable=durable, is_private=is_private, folder=folder)


def _create_file(path: str, mode: int, folder_fd: int | None) -> int:
    """Create a file; a leftover or a foreign file in its place is deleted first, never written to."""
    try:
        return os.open(path, _FLAGS, mode, dir_fd=folder_fd)
    except FileExistsError:
        os.unlink(path, dir_fd=folder_fd)
        return os.open(path, _FLAGS, mode, dir_fd=folder_fd)


def _writer_of(name: str) -> int | None:
    """Return the process id in a temporary file's name; None for another name."""
    if not (name.startswith(_PREFIX) and name.endswith(_SUFFIX)):
        return None
    pid, _, thread = name[len(_PREFIX) : -len(_SUFFIX)].partition("-")
    return int(pid) if pid.isdecimal() and thread.isdecimal() and len(pid) < MAX_PID_DIGITS else None


MAX_PID_DIGITS, MAX_DEPTH = 12, 12


def abandoned_files(root: str, depth: int = MAX_DEPTH) -> Iterator[tuple[RealFolder, str]]:
    """Yield the temporary files of ended writers in a folder and those below it, without following links."""
    for folder, names in _folders_below(root, depth):
        for name in names:
            pid = _writer_of(name)
            with suppress(OSError):
                if pid is not None and _is_abandoned(name, pid, folder.status(name)):
                    yield folder, name


def remove_abandoned_files(root: str, depth: int = MAX_DEPTH) -> None:
    """Delete the temporary files of ended writers in a folder and those below it."""
    for folder, name in abandoned_files(root, depth):
        with suppress(OSError):
            folder.unlink(name)


def remove_abandoned_once(folder: str) -> None:
    """Delete the temporary files of ended writers in a folder, when this process first uses it."""
    if folder not in _swept:
        _swept.add(folder)
        remove_abandoned_files(folder, depth=0)


def _is_abandoned(name: str, pid: int, status: os.stat_result) -> bool:
    """Whether the writer ended: its process is gone, or another one has its id since the file was written."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if pid == os.getpid():
        return name not in _unfinished
    import psutil  # slow to import, rarely needed

    try:
        return bool(status.st_mtime < psutil.Process(pid).create_time() - _CLOCK_SLACK_SECONDS)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def _folders_below(root: str, depth: int) -> Iterator[tuple[RealFolder, list[str]]]:
    top = root.count(os.sep)
    with suppress(OSError):  # the folder is gone
        for folder, folders, names in _walk(root):
            yield folder, names
            del folders[0 if folder.path.count(os.sep) - top >= depth else len(folders) :]


def _walk(root: str) -> Iterator[tuple[RealFolder, list[str], list[str]]]:
    if sys.platform == "win32":
        for path, folders, names in os.walk(root):
            yield RealFolder(path, None), folders, names
    else:
        for path, folders, names, fd in os.fwalk(root):
            yield RealFolder(path, fd), folders, names


def _sync(fd: int) -> None:
    """Write a file or a folder to the disk. On macOS `fsync` may leave it in the disk's own cache."""
    if sys.platform != "win32" and _FULL_SYNC is not None:
        with suppress(OSError):  # a file system of another machine does not offer it
            fcntl.fcntl(fd, _FULL_SYNC)
            return
    os.fsync(fd)


def _sync_folder(folder: RealFolder) -> None:
    """Make a rename survive a power loss, if the platform can open folders (Windows cannot)."""
    if folder.fd is not None:
        _sync(folder.fd)
    elif os.name != "nt":
        fd = os.open(folder.path or os.curdir, os.O_RDONLY)
        try:
            _sync(fd)
        finally:
            os.close(fd)


@contextmanager
def own_folder(project: str, *parts: str) -> Generator[RealFolder]:
    """Create and open our folder in a project, or a folder below it.

    Raise OSError, also if a link is in its place. The ignore file is written once and never again: what git already
    tracks in the folder is the user's decision.
    """
    with open_real_folder(project, (OWN_FOLDER,), make=True) as outer:
        try:
            outer.status(".gitignore")
        except FileNotFoundError:
            write_atomic(".gitignore", _IGNORE_FILE_CONTENT, durable=False, folder=outer)
    with open_real_folder(project, (OWN_FOLDER, *parts), make=True) as folder:
        remove_abandoned_once(os.path.join(project, OWN_FOLDER))
        remove_abandoned_once(os.path.join(project, OWN_FOLDER, *parts))
        yield folder
