"""What a look at oneself finds: what is not well, what to do about it, and how it can be mended here."""

from collections.abc import Callable
from typing import Literal, NamedTuple

Level = Literal["warning", "error"]


class Finding(NamedTuple):
    """Something that is not well."""

    level: Level
    told: str
    remedy: str
    """What the user can do."""
    mend: Callable[[], object] | None = None
    """Puts it right; None where only the user can."""
