"""Cancellation flag of a request: set by one thread, checked by another."""

from sidecar.core.errors import Cancelled


class Cancellation:
    """A one-way flag. Long work calls `check` between its steps."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False

    def set(self) -> None:
        """Ask the work to stop at its next check."""
        self.is_set = True

    def check(self) -> None:
        """Raise Cancelled if the flag is set."""
        if self.is_set:
            raise Cancelled("The request was cancelled.")
