"""The lock of a change: one loop at a time. It names its owner and is freed by the system when the owner dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import orjson

from sidecar.core.errors import Conflict, WorkspaceUnavailable
from sidecar.ralph.files.folder import LoopFolder
from sidecar.system import filelock
from sidecar.system.safe_open import opened

WAIT_SECONDS = 1.0
"""A process that only checks whether a loop runs holds the lock for a moment."""

_MAX_BYTES = 4_096


class LockOwner(NamedTuple):
    """The process that runs the loop."""

    pid: int
    since: str
    """RFC 3339."""


@contextmanager
def hold_lock(folder: LoopFolder, owner: LockOwner) -> Iterator[LockOwner | None]:
    """Hold a change's lock; yield the owner that died with it, if any.

    Raise Conflict while another loop holds it, WorkspaceUnavailable if no lock can be taken.
    """
    try:
        fd = opened(folder.lock, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unavailable(error) from error
    try:
        if not _acquire(fd):
            raise _conflict(folder.change, _read(fd))
        dead_owner = _read(fd)
        _write(fd, owner)
        try:
            yield dead_owner
        finally:
            os.ftruncate(fd, 0)
            filelock.release(fd)
    finally:
        os.close(fd)


def lock_owner(folder: LoopFolder) -> LockOwner | None:
    """Return the owner of a change's loop while one runs."""
    try:
        fd = opened(folder.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if filelock.acquire(fd, 0):
            filelock.release(fd)
            return None
        return _read(fd) or LockOwner(0, "")
    except OSError:
        return None
    finally:
        os.close(fd)


def _acquire(fd: int) -> bool:
    try:
        return filelock.acquire(fd, WAIT_SECONDS)
    except OSError as error:
        raise _unavailable(error) from error


def _read(fd: int) -> LockOwner | None:
    os.lseek(fd, 0, os.SEEK_SET)
    try:
        content = orjson.loads(os.read(fd, _MAX_BYTES))
        return LockOwner(int(content["pid"]), str(content["since"]))
    except (ValueError, KeyError, TypeError):
        return None


def _write(fd: int, owner: LockOwner) -> None:
    os.ftruncate(fd, 0)
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, orjson.dumps(owner._asdict()))


def _conflict(change: str, owner: LockOwner | None) -> Conflict:
    who = f" (process {owner.pid}, since {owner.since})" if owner else ""
    return Conflict(
        f"A loop for `{change}` is already running{who}.",
        hint=f"`spool ralph --stop --change {change}` stops it; loops of other changes can run at the same time.",
    )


def _unavailable(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(f"The loop's lock cannot be taken: {error.strerror or type(error).__name__}.")
