"""The history of a change's iterations: one line each, only ever added to, whole again after any crash."""

import os
from typing import NamedTuple

from pydantic import ValidationError

from sidecar.core.errors import StateDegraded
from sidecar.ralph.files.folder import Folder
from sidecar.ralph.model import RalphIteration, RalphState
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import content_of, opened

MAX_HISTORY_BYTES = 256 * 2**20
"""Of tens of thousands of iterations; a larger file is none of ours."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND


class History(NamedTuple):
    """What there is of it."""

    iterations: list[RalphIteration]
    damaged: int
    """Lines that cannot be read."""

    @property
    def last_number(self) -> int:
        """The highest number there is; 0 where there is none."""
        return max((one.number for one in self.iterations), default=0)


def append_iteration(folder: Folder, iteration: RalphIteration) -> None:
    """Adds an iteration; once it returns the line is on the disk. Raises StateDegraded.

    Called by the lock's holder alone. What a crash left of a line stays, as a line of its own.
    """
    line = iteration.model_dump_json(by_alias=True).encode() + b"\n"
    try:
        fd = opened(folder.history, _FLAGS)
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
            hint=f"It is {folder.history}.",
        ) from error


def read_history(folder: Folder) -> History:
    """Reads all of it; where there is none, or it cannot be read, it is empty."""
    try:
        lines = content_of(folder.history, MAX_HISTORY_BYTES, follows=False).split(b"\n")
    except OSError:
        return History([], 0)
    found: list[RalphIteration] = []
    damaged = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            found.append(RalphIteration.model_validate_json(line, by_alias=True, by_name=False))
        except ValidationError:
            damaged += 1
    return History(found, damaged)


def _last_byte(fd: int, size: int) -> bytes:
    os.lseek(fd, size - 1, os.SEEK_SET)
    return os.read(fd, 1)


# How a loop stands: `state.json`, written whole or not at all, so that it can be read at any moment.


MAX_STATE_BYTES = 4 * 2**20


def write_state(folder: Folder, state: RalphState) -> None:
    """Keeps how the loop stands; raises StateDegraded."""
    try:
        write_whole(folder.state, state.model_dump_json(by_alias=True, indent=2).encode() + b"\n")
    except OSError as error:
        raise StateDegraded(
            f"The loop's state cannot be written: {error.strerror or type(error).__name__}.",
            hint=f"It is {folder.state}.",
        ) from error


def read_state(folder: Folder) -> RalphState | None:
    """Gives how the loop stands, or stood last; None where that is not known."""
    try:
        content = content_of(folder.state, MAX_STATE_BYTES, follows=False)
        return RalphState.model_validate_json(content, by_alias=True, by_name=False)
    except (OSError, ValidationError):
        return None


def size_of(path: str) -> int:
    """Gives a file's size in bytes; 0 where there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
