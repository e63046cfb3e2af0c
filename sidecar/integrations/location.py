"""Where a session of Claude Code works: the worktree around its folder, and the project that worktree is of."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.core.errors import InvalidParams, WorkspaceUnavailable
from sidecar.system.refs import place_of


class Place(NamedTuple):
    """Absolute folders."""

    cwd: str
    project: str


def place_in(folder: Any) -> Place:
    """Gives the worktree at or above a folder, and its project; raises InvalidParams for what is no absolute path."""
    if not isinstance(folder, str) or not os.path.isabs(folder):
        raise InvalidParams("`input`: a hook's JSON has an absolute `cwd`.")
    here = Path(folder)
    root = next((one for one in (here, *here.parents) if (one / ".git").exists()), here)
    try:
        common = place_of(root).common_dir
    except WorkspaceUnavailable:
        return Place(str(root), str(root))
    return Place(str(root), str(common.parent if common.name == ".git" else root))
