"""The settings: a table, their layers, and the methods that read and change them."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from sidecar.settings.resolve import GLOBAL, Layer, Settings, Suspension, resolve_layers, values_of

_LOADED_LATER = ("GLOBAL", "Layer", "Settings", "Suspension", "resolve_layers", "values_of")


def __getattr__(name: str) -> Any:
    """Load the effective settings, which need SQLite, at their first use: the handshake reads the table only."""
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sidecar.settings import resolve

    value = globals()[name] = getattr(resolve, name)
    return value
