"""Atomic file writes, and our own folder in a project, which ignores itself for git."""

import errno
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

OWN_FOLDER = ".chati"
TEMPORARY_SUFFIX = ".new"
"""Ends the name of a temporary file, after the pid and the thread id of its writer."""

_IGNORE_FILE_CONTENT = b"# Stored on this machine only.\n*\n"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_atomic(
    target: str, content: bytes | Iterable[bytes], *, durable: bool = True, is_private: bool = False
) -> None:
    """Write a temporary file beside the target, sync and rename: readers see the old content or the new. Raise OSError.

    An existing file keeps its permissions; a private one is this user's alone, whatever the umask. With several
    writers, in one process or more, the last one wins. Content can come in parts, which are made while it is written;
    if making one raises, the target stays as it was.
    """
    temporary = f"{target}.{os.getpid()}-{threading.get_ident()}{TEMPORARY_SUFFIX}"
    fd = _create_file(temporary, 0o600 if is_private else 0o644)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.writelines((content,) if isinstance(content, bytes) else content)
            stream.flush()
            if durable:
                os.fsync(fd)
        if not is_private:
            with suppress(OSError):
                os.chmod(temporary, os.stat(target).st_mode & 0o777)
        os.replace(temporary, target)
        if durable:
            _sync_folder(os.path.dirname(target))
    except Exception:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _create_file(path: str, mode: int) -> int:
    """Create a file; a leftover or a foreign file in its place is deleted first, never written to."""
    try:
        return os.open(path, _FLAGS, mode)
    except FileExistsError:
        os.unlink(path)
        return os.open(path, _FLAGS, mode)


def is_temporary(name: str) -> bool:
    """Whether a name is that of a temporary file, of a running writer or of a killed one."""
    numbers = name.removesuffix(TEMPORARY_SUFFIX).rpartition(".")[2].split("-")
    return name.endswith(TEMPORARY_SUFFIX) and len(numbers) == 2 and all(map(str.isdigit, numbers))


def _sync_folder(folder: str) -> None:
    """Make a rename survive a power loss, if the platform can open folders (Windows cannot)."""
    if os.name != "nt":
        fd = os.open(folder or os.curdir, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def make_own_folder(project: Path, *parts: str) -> str:
    """Create our folder in a project and those below it; return the last one's path.

    Raise OSError, also if a link would lead out of the project. The ignore file is written once and never again: what
    git already tracks in the folder is the user's decision.
    """
    outer = os.path.join(project, OWN_FOLDER)
    folder = os.path.join(outer, *parts)
    if not os.path.realpath(folder).startswith(os.path.join(os.path.realpath(project), "")):
        raise PermissionError(errno.EACCES, "A link leads out of the project", folder)
    if not os.path.isdir(outer):
        os.mkdir(outer)
    ignore = os.path.join(outer, ".gitignore")
    if not os.path.lexists(ignore):
        write_atomic(ignore, _IGNORE_FILE_CONTENT, durable=False)
    os.makedirs(folder, exist_ok=True)
    return folder
