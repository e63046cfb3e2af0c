"""Connections of other clients than the 1Code app: Claude Code hooks and MCP; the project that a client works in."""

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sidecar.core.errors import InvalidParams
from sidecar.system.git import find_root, main_worktree

if TYPE_CHECKING:
    from sidecar.integrations.hook_settings import (
        HOOK_EVENTS,
        HOOK_SETTINGS,
        SettingsUnreadable,
        installed_events,
        same_settings,
        with_hooks,
        without_hooks,
    )
    from sidecar.integrations.mcp_tools import TOOL_OF_METHOD, MethodFailed, Tools, build_server

_LOADED_LATER = {
    "sidecar.integrations.hook_settings": (
        "HOOK_EVENTS",
        "HOOK_SETTINGS",
        "SettingsUnreadable",
        "installed_events",
        "same_settings",
        "with_hooks",
        "without_hooks",
    ),
    "sidecar.integrations.mcp_tools": ("TOOL_OF_METHOD", "MethodFailed", "Tools", "build_server"),
}
"""Names of modules that only a command needs: they are loaded when a name is first used."""


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


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _LOADED_LATER.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value
