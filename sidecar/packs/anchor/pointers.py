"""What memory says in an anchor: rules that the user accepted, and the knowledge repository's pointers."""

from typing import NamedTuple

from sidecar.core.digests import short_id


class Pointers(NamedTuple):
    """The lines of the pointers and of the rules."""

    invariants: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Learned from work, and accepted by the user."""
    is_known: bool = True
    """False where there may be some that could not be read yet."""

    @property
    def digest(self) -> str:
        """Tells them from those of another time."""
        return short_id([self.invariants, self.pointers, self.rules, self.is_known]) if self != NO_POINTERS else ""


NO_POINTERS = Pointers()
UNKNOWN_POINTERS = Pointers(is_known=False)
