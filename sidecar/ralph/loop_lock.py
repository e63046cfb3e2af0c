"""The lock of a change, and what others may do with its loop: status, stop, reset.

The lock allows one loop at a time. It names its owner and is freed by the system when the owner dies.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import orjson

from sidecar.core.errors import Conflict, StateDegraded, WorkspaceUnavailable
from sidecar.ralph import loop_folder
from sidecar.ralph.loop_folder import LoopFolder, delete_file, delete_iteration_files
from sidecar.ralph.model import RalphStatusResult
from sidecar.ralph.stop import write_stop_request
from sidecar.system import filelock
from sidecar.system.safe_open import open_regular

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
        fd = open_regular(folder.lock, os.O_RDWR | os.O_CREAT)
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
        fd = open_regular(folder.lock, os.O_RDWR)
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


def status_of(folder: LoopFolder, limit: int) -> RalphStatusResult:
    """Return state and recent history; a loop whose process died counts as interrupted."""
    owner, state = lock_owner(folder), loop_folder.read_state(folder)
    iterations, damaged_lines = loop_folder.read_history(folder)
    if state is not None and owner is None and state.status == "running":
        state = state.model_copy(update={"status": "interrupted", "reason": "Its process died.", "running": None})
    return RalphStatusResult(
        change=folder.change,
        is_running=owner is not None,
        state=state,
        iterations=len(iterations),
        recent=iterations[-limit:],
        damaged_lines=damaged_lines,
        context_bytes=loop_folder.file_size(folder.context),
        folder=str(folder.path),
    )


def request_stop(folder: LoopFolder, requested_at: str) -> bool:
    """Request a running loop to stop; return whether one was running."""
    if lock_owner(folder) is None:
        return False
    write_stop_request(folder, requested_at)
    return True


def reset(folder: LoopFolder, now: str) -> int:
    """Delete everything but the added context and return the number of iterations; raise Conflict, StateDegraded."""
    if not folder.path.is_dir():
        return 0
    with hold_lock(folder, LockOwner(os.getpid(), now)):
        count = len(loop_folder.read_history(folder).iterations)
        delete_iteration_files(folder)
        for path in (folder.state, folder.history, folder.stop):
            delete_file(path)
            if os.path.lexists(path):
                raise StateDegraded("The loop's state cannot be deleted.", hint=f"Path: {path}")
    return count
