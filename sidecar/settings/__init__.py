"""The settings: a table, their layers, and the methods that read and change them."""

from sidecar.settings.table import (
    BY_NAME,
    GROUPS,
    SETTINGS,
    Setting,
    flatten,
    from_environment,
    is_remote,
    problem_with,
    problems_with,
)

__all__ = [
    "BY_NAME",
    "GROUPS",
    "SETTINGS",
    "Setting",
    "flatten",
    "from_environment",
    "is_remote",
    "problem_with",
    "problems_with",
]
