"""One loop per change: a lock that names its owner, and that the system takes back when its owner dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import orjson

from sidecar.core.errors import Conflict, WorkspaceUnavailable
from sidecar.ralph.files.folder import Folder
from sidecar.system import filelock
from sidecar.system.safe_open import opened

WAIT_SECONDS = 1.0
"""Somebody who only looks whether a loop runs holds the lock for a moment."""

_MOST_BYTES = 4_096


class Owner(NamedTuple):
    """Whose loop it is."""

    pid: int
    since: str
    """RFC 3339."""


@contextmanager
def held(folder: Folder, owner: Owner) -> Iterator[Owner | None]:
    """Holds a change's lock; gives the owner that died with it, if one did.

    Raises Conflict while another loop holds it, WorkspaceUnavailable where there can be no lock.
    """
    try:
        fd = opened(folder.lock, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _impossible(error) from error
    try:
        if not _acquire(fd):
            raise _taken(folder.change, _read(fd))
        dead = _read(fd)
        _write(fd, owner)
        try:
            yield dead
        finally:
            os.ftruncate(fd, 0)
            filelock.release(fd)
    finally:
        os.close(fd)


def owner_of(folder: Folder) -> Owner | None:
    """Names the owner of a change's loop while one runs."""
    try:
        fd = opened(folder.lock, os.O_RDWR)
    except OSError:
        return None
    try:
        if filelock.acquire(fd, 0):
            filelock.release(fd)
            return None
        return _read(fd) or Owner(0, "")
    except OSError:
        return None
    finally:
        os.close(fd)


def _acquire(fd: int) -> bool:
    try:
        return filelock.acquire(fd, WAIT_SECONDS)
    except OSError as error:
        raise _impossible(error) from error


def _read(fd: int) -> Owner | None:
    os.lseek(fd, 0, os.SEEK_SET)
    try:
        said = orjson.loads(os.read(fd, _MOST_BYTES))
        return Owner(int(said["pid"]), str(said["since"]))
    except (ValueError, KeyError, TypeError):
        return None


def _write(fd: int, owner: Owner) -> None:
    os.ftruncate(fd, 0)
    os.lseek(fd, 0, os.SEEK_SET)
    os.write(fd, orjson.dumps(owner._asdict()))


def _taken(change: str, owner: Owner | None) -> Conflict:
    who = f" (process {owner.pid}, since {owner.since})" if owner else ""
    return Conflict(
        f"A loop for `{change}` is running already{who}.",
        hint=f"`spool ralph --stop --change {change}` ends it; another change may run beside it.",
    )


def _impossible(error: OSError) -> WorkspaceUnavailable:
    return WorkspaceUnavailable(f"The loop's lock cannot be taken: {error.strerror or type(error).__name__}.")
