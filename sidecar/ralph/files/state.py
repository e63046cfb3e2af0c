"""How a loop stands: `state.json`, written whole or not at all, so that it can be read at any moment."""

import os

from pydantic import ValidationError

from sidecar.core.errors import StateDegraded
from sidecar.ralph.files.folder import Folder
from sidecar.ralph.model import RalphState
from sidecar.system.plain_files import content_of
from sidecar.system.whole_files import write_whole

MAX_STATE_BYTES = 4 * 2**20


def write(folder: Folder, state: RalphState) -> None:
    """Keeps how the loop stands; raises StateDegraded."""
    try:
        write_whole(folder.state, state.model_dump_json(by_alias=True, indent=2).encode() + b"\n")
    except OSError as error:
        raise StateDegraded(
            f"The loop's state cannot be written: {error.strerror or type(error).__name__}.",
            hint=f"It is {folder.state}.",
        ) from error


def read(folder: Folder) -> RalphState | None:
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
