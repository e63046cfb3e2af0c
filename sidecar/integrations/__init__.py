"""Connections of other clients than the 1Code app: Claude Code hooks and MCP; the project that a client works in."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.errors import InvalidParams, WorkspaceUnavailable
from sidecar.system.branch_commit import locate_repository


class Location(NamedTuple):
    """Absolute paths of a worktree and its project."""

    cwd: str
    project: str


def locate(folder: Any) -> Location:
    """Return the worktree at or above a folder, and its project; raise InvalidParams unless the path is absolute."""
    if not isinstance(folder, str) or not os.path.isabs(folder):
        raise InvalidParams("`input`: the hook's JSON must have an absolute `cwd`.")
    here = Path(folder)
    root = next((candidate for candidate in (here, *here.parents) if (candidate / ".git").exists()), here)
    try:
        common = locate_repository(root).common_dir
    except WorkspaceUnavailable:
        return Location(str(root), str(root))
    return Location(str(root), str(common.parent if common.name == ".git" else root))
