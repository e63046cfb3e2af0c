"""What the user tells a loop while it runs: added to one file, whole and under a lock, and read at each iteration."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sidecar.core.errors import Busy, InvalidParams, WorkspaceUnavailable
from sidecar.ralph.files.folder import Folder, make
from sidecar.system import filelock
from sidecar.system.safe_open import content_of, opened

WAIT_SECONDS = 60.0
"""Hundreds may add at once, each for the blink of a write."""

_RETRY: dict[str, object] = {"retryAfterMs": 1_000}

MAX_CONTEXT_BYTES = 4 * 2**20

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND


class Context(NamedTuple):
    """What stands in the file."""

    text: str
    problem: str
    """Why it was not read, in a sentence; empty where all is well or nothing is there."""


def add(folder: Folder, text: str) -> int:
    """Adds a text after what is there, on lines of its own, and gives the file's size in bytes then.

    Raises InvalidParams for a text that is empty, WorkspaceUnavailable where it cannot be written.
    """
    added = text.replace("\r\n", "\n").strip("\n")
    if not added.strip():
        raise InvalidParams("The context is empty, so nothing was added.")
    make(folder)
    with _opened(folder) as fd:
        size = os.fstat(fd).st_size
        torn = size > 0 and _last_byte(fd, size) != b"\n"
        _write_all(fd, ("\n" if torn else "").encode() + added.encode("utf-8", "replace") + b"\n")
        os.fsync(fd)
        return os.fstat(fd).st_size


def clear(folder: Folder) -> int:
    """Empties the file and gives how many bytes stood there; raises WorkspaceUnavailable."""
    if not os.path.lexists(folder.context):
        return 0
    with _opened(folder) as fd:
        size = os.fstat(fd).st_size
        os.ftruncate(fd, 0)
        os.fsync(fd)
        return size


def read(folder: Folder) -> Context:
    """Reads the file as it is now; one that is missing, torn or not to be read is no reason to stop."""
    try:
        content = content_of(folder.context, MAX_CONTEXT_BYTES, follows=False)
        return Context(content.decode("utf-8", "replace").strip(), "")
    except FileNotFoundError:
        return Context("", "")
    except OSError as error:
        return Context("", f"The added context cannot be read: {error.strerror or type(error).__name__}.")


@contextmanager
def _opened(folder: Folder) -> Iterator[int]:
    try:
        fd = _locked(folder.context)
        try:
            yield fd
        finally:
            filelock.release(fd)
            os.close(fd)
    except OSError as error:
        raise WorkspaceUnavailable(
            f"The context file cannot be written: {error.strerror or type(error).__name__}."
        ) from error


def _locked(path: str) -> int:
    """Opens the file and takes its lock; one that an editor put another in place of meanwhile is opened anew."""
    while True:
        fd = opened(path, _FLAGS)
        try:
            is_held = filelock.acquire(fd, WAIT_SECONDS)
            if is_held and _is_in_place(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        if not is_held:
            raise Busy("Others are adding context; nothing was added.", hint="Try again.", data=_RETRY)


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
