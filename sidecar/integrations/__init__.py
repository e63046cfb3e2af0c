"""Connections of other clients than the 1Code app: Claude Code hooks and MCP; the project that a client works in."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.errors import InvalidParams
from sidecar.system.git import find_root, main_worktree


class Location(NamedTuple):
    """Absolute paths of a worktree and its project."""

    cwd: str
    project: str


def locate(folder: Any) -> Location:
    """Return the worktree at or above a folder, and its project; raise InvalidParams unless the path is absolute."""
    if not isinstance(folder, str) or not os.path.isabs(folder):
        raise InvalidParams("The hook's JSON in `input` must have an absolute `cwd`.")
    here = Path(folder)
    root = find_root(here) or here
    return Location(str(root), str(main_worktree(root)))
