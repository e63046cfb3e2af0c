"""Doctor findings: a problem, its remedy, and optionally an automatic repair."""

from collections.abc import Callable
from typing import Literal, NamedTuple

Level = Literal["warning", "error"]


class Finding(NamedTuple):
    """A problem reported by the doctor."""

    level: Level
    message: str
    remedy: str
    """The action for the user."""
    repair: Callable[[], object] | None = None
    """Repair function; None if only the user can repair it."""
