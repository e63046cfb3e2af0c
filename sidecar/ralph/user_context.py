"""Context that the user adds to a running loop: one file, appended under a lock and read at each iteration."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sidecar.core.errors import Busy, InvalidParams, WorkspaceUnavailable
from sidecar.ralph.loop_folder import LoopFolder, create_folder
from sidecar.system import filelock
from sidecar.system.safe_open import open_real_parent, open_regular, read_regular

WAIT_SECONDS = 60.0
"""Hundreds of processes may append at once; each write takes a moment."""

_RETRY: dict[str, object] = {"retryAfterMs": 1_000}

MAX_CONTEXT_BYTES = 4 * 2**20

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND


class Context(NamedTuple):
    """The content of the file."""

    text: str
    problem: str
    """Reason why the file could not be read, in a sentence; empty otherwise."""


def add(folder: LoopFolder, text: str) -> int:
    """Append a text on lines of its own and return the new file size in bytes.

    Raise InvalidParams for an empty text or one that does not fit, WorkspaceUnavailable if the file cannot be written.
    """
    added = text.replace("\r\n", "\n").strip("\n")
    if not added.strip():
        raise InvalidParams("The context is empty, so nothing was added.")
    create_folder(folder)
    with _open_locked(folder) as fd:
        size = os.fstat(fd).st_size
        lacks_line_end = size > 0 and _last_byte(fd, size) != b"\n"
        line = ("\n" if lacks_line_end else "").encode() + added.encode("utf-8", "replace") + b"\n"
        if size + len(line) > MAX_CONTEXT_BYTES:
            raise InvalidParams(
                f"The context would be larger than {MAX_CONTEXT_BYTES} bytes, so nothing was added.",
                hint=f"It has {size} bytes; `--clear-context` empties it.",
            )
        _write_all(fd, line)
        os.fsync(fd)
        return os.fstat(fd).st_size


def clear(folder: LoopFolder) -> int:
    """Empty the file and return its former size in bytes; raise WorkspaceUnavailable."""
    if not os.path.lexists(folder.context):
        return 0
    with _open_locked(folder) as fd:
        size = os.fstat(fd).st_size
        os.ftruncate(fd, 0)
        os.fsync(fd)
        return size


def read(folder: LoopFolder) -> Context:
    """Read the file; a missing, torn or unreadable one does not stop the loop."""
    try:
        content = read_regular(folder.context, MAX_CONTEXT_BYTES, follow_links=False)
        return Context(content.decode("utf-8", "replace").strip(), "")
    except FileNotFoundError:
        return Context("", "")
    except OSError as error:
        return Context("", f"The added context cannot be read: {error.strerror or type(error).__name__}.")


@contextmanager
def _open_locked(folder: LoopFolder) -> Iterator[int]:
    try:
        fd = _open_and_lock(folder.context)
        try:
            yield fd
        finally:
            filelock.release(fd)
            os.close(fd)
    except OSError as error:
        raise WorkspaceUnavailable(
            f"The context file cannot be written: {error.strerror or type(error).__name__}."
        ) from error


def _open_and_lock(path: str) -> int:
    """Open and lock the file; open it again if an editor replaced it meanwhile."""
    while True:
        with open_real_parent(path) as (folder, name):
            fd = open_regular(folder.at(name), _FLAGS, folder_fd=folder.fd)
        try:
            is_locked = filelock.acquire(fd, WAIT_SECONDS)
            if is_locked and _is_in_place(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        if not is_locked:
            raise Busy("Other processes are adding context; nothing was added.", hint="Try again.", data=_RETRY)


def _is_in_place(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _last_byte(fd: int, size: int) -> bytes:
    os.lseek(fd, size - 1, os.SEEK_SET)
    return os.read(fd, 1)


def _write_all(fd: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
