"""Files that are written whole or not at all, and our own folder in a project, which keeps itself out of git."""

import errno
import os
import threading
from contextlib import suppress
from pathlib import Path

OWN_FOLDER = ".chati"
UNFINISHED = ".new"
"""Ends the name of a file that is being written, after the numbers of the process and thread that write it."""

_IGNORE_ALL = b"# Stored on this machine only.\n*\n"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_whole(target: str, content: bytes, *, durable: bool = True) -> None:
    """Writes beside the target, syncs and moves: a reader sees the old file or the new one. Raises OSError.

    A file that is there keeps its permissions. Where several write at once, in one process or more, the last one wins.
    """
    unfinished = f"{target}.{os.getpid()}-{threading.get_ident()}{UNFINISHED}"
    fd = _made(unfinished)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.write(content)
            stream.flush()
            if durable:
                os.fsync(fd)
        with suppress(OSError):
            os.chmod(unfinished, os.stat(target).st_mode & 0o777)
        os.replace(unfinished, target)
        if durable:
            _sync(os.path.dirname(target))
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _made(path: str) -> int:
    """Makes a new file; what a process of that number left, or somebody put there, goes first and is not written to."""
    try:
        return os.open(path, _FLAGS, 0o644)
    except FileExistsError:
        os.unlink(path)
        return os.open(path, _FLAGS, 0o644)


def is_unfinished(name: str) -> bool:
    """Says whether a file's name is that of one that is being written, or was when its process was killed."""
    numbers = name.removesuffix(UNFINISHED).rpartition(".")[2].split("-")
    return name.endswith(UNFINISHED) and len(numbers) == 2 and all(map(str.isdigit, numbers))


def _sync(folder: str) -> None:
    """Makes a rename outlast a power loss, where a folder can be opened (not on Windows)."""
    if os.name != "nt":
        fd = os.open(folder or os.curdir, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def own_folder(project: Path, *parts: str) -> str:
    """Makes our folder in a project, and those below it; gives the last one's path.

    Raises OSError, also where a link would lead out of the project.

    What git knows already of the folder is the user's decision: the ignore file is written once and never again.
    """
    outer = os.path.join(project, OWN_FOLDER)
    folder = os.path.join(outer, *parts)
    if not os.path.realpath(folder).startswith(os.path.join(os.path.realpath(project), "")):
        raise PermissionError(errno.EACCES, "A link leads out of the project", folder)
    if not os.path.isdir(outer):
        os.mkdir(outer)
    ignore = os.path.join(outer, ".gitignore")
    if not os.path.lexists(ignore):
        write_whole(ignore, _IGNORE_ALL, durable=False)
    os.makedirs(folder, exist_ok=True)
    return folder
