"""The files of a change's loop: state, history, outputs, added context, lock, stop request."""

from sidecar.ralph.files import context_file
from sidecar.ralph.files.folder import (
    MAX_STORED_ITERATIONS,
    MAX_STORED_PROMPT_BYTES,
    LoopFolder,
    create_folder,
    loop_folder,
    prune_files,
)

__all__ = [
    "MAX_STORED_ITERATIONS",
    "MAX_STORED_PROMPT_BYTES",
    "LoopFolder",
    "context_file",
    "create_folder",
    "loop_folder",
    "prune_files",
]
