"""The settings: a table, their layers, and the methods that read and change them."""

from sidecar.settings.table import (
    BY_NAME,
    GROUPS,
    PROTECTED_BRANCHES,
    PROTECTED_FOLDERS,
    SETTINGS,
    SHADOWING_FOLDERS,
    Setting,
    flatten,
    from_environment,
    is_memory_branch,
    is_remote,
    problem_with,
    problems_with,
)

__all__ = [
    "BY_NAME",
    "GROUPS",
    "PROTECTED_BRANCHES",
    "PROTECTED_FOLDERS",
    "SETTINGS",
    "SHADOWING_FOLDERS",
    "Setting",
    "flatten",
    "from_environment",
    "is_memory_branch",
    "is_remote",
    "problem_with",
    "problems_with",
]
