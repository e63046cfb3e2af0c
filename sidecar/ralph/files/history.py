"""State and history of a change's loop: `state.json`, replaced atomically, and `history.jsonl`, one line per iteration.

The history is append-only; a line torn by a crash is skipped and counted.
"""

import os
from typing import NamedTuple

from pydantic import ValidationError

from sidecar.core.errors import StateDegraded
from sidecar.ralph.files.folder import LoopFolder
from sidecar.ralph.model import RalphIteration, RalphState
from sidecar.system.atomic_write import write_atomic
from sidecar.system.safe_open import open_regular, read_regular

MAX_HISTORY_BYTES = 256 * 2**20
"""Enough for tens of thousands of iterations; a larger file was not written by the loop."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND


class History(NamedTuple):
    """The iterations of a change."""

    iterations: list[RalphIteration]
    damaged: int
    """Number of unreadable lines."""

    @property
    def last_number(self) -> int:
        """The highest iteration number; 0 without iterations."""
        return max((iteration.number for iteration in self.iterations), default=0)


def append_iteration(folder: LoopFolder, iteration: RalphIteration) -> None:
    """Append an iteration and sync it to disk. Raise StateDegraded.

    Only the holder of the lock calls this. A line torn by a crash stays, as a line of its own.
    """
    line = iteration.model_dump_json(by_alias=True).encode() + b"\n"
    try:
        fd = open_regular(folder.history, _FLAGS)
        try:
            size = os.fstat(fd).st_size
            if size and _last_byte(fd, size) != b"\n":
                line = b"\n" + line
            view = memoryview(line)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise StateDegraded(
            f"The loop's history cannot be written: {error.strerror or type(error).__name__}.",
            hint=f"Path: {folder.history}",
        ) from error


def read_history(folder: LoopFolder) -> History:
    """Read the history; empty if it does not exist or cannot be read."""
    try:
        lines = read_regular(folder.history, MAX_HISTORY_BYTES, follow_links=False).split(b"\n")
    except OSError:
        return History([], 0)
    iterations: list[RalphIteration] = []
    damaged = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            iterations.append(RalphIteration.model_validate_json(line, by_alias=True, by_name=False))
        except ValidationError:
            damaged += 1
    return History(iterations, damaged)


def _last_byte(fd: int, size: int) -> bytes:
    os.lseek(fd, size - 1, os.SEEK_SET)
    return os.read(fd, 1)


MAX_STATE_BYTES = 4 * 2**20


def write_state(folder: LoopFolder, state: RalphState) -> None:
    """Write the state of the loop; raise StateDegraded."""
    try:
        write_atomic(folder.state, state.model_dump_json(by_alias=True, indent=2).encode() + b"\n")
    except OSError as error:
        raise StateDegraded(
            f"The loop's state cannot be written: {error.strerror or type(error).__name__}.",
            hint=f"Path: {folder.state}",
        ) from error


def read_state(folder: LoopFolder) -> RalphState | None:
    """Return the last state of the loop; None if unknown."""
    try:
        content = read_regular(folder.state, MAX_STATE_BYTES, follow_links=False)
        return RalphState.model_validate_json(content, by_alias=True, by_name=False)
    except (OSError, ValidationError):
        return None


def file_size(path: str) -> int:
    """Return a file's size in bytes; 0 if it does not exist."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
