"""A request's wish to stop, set by one thread and asked by another."""

from sidecar.core.errors import Cancelled


class Cancellation:
    """Set once, never cleared. Long work calls `check` between its steps."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False

    def set(self) -> None:
        """Asks the work to stop at its next check."""
        self.is_set = True

    def check(self) -> None:
        """Raises Cancelled when somebody asked the work to stop."""
        if self.is_set:
            raise Cancelled("The request was cancelled.")
