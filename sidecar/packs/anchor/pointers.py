"""What the knowledge repository's pointers in memory say in an anchor: what they forbid, and where to read on."""

from typing import NamedTuple

from sidecar.core.digests import short_id


class Pointers(NamedTuple):
    """The lines of the pointers."""

    invariants: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    is_known: bool = True
    """False where there may be pointers that could not be read yet."""

    @property
    def digest(self) -> str:
        """Tells them from those of another time."""
        return short_id([self.invariants, self.pointers, self.is_known]) if self != NO_POINTERS else ""


NO_POINTERS = Pointers()
UNKNOWN_POINTERS = Pointers(is_known=False)
