"""A command's failure: one sentence, its kind, a hint, an exit status."""

import sys

STATUS_OF_KIND = {"notFound": 3, "ambiguous": 3, "conflict": 4, "policyDenied": 5}
"""Exit statuses for scripts. Every other failure exits with 1, wrong usage with 2."""


class CommandFailed(Exception):
    """A command failed. The message is one sentence for the user."""

    def __init__(self, message: str, *, kind: str = "failed", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS_OF_KIND.get(self.kind, 1)

    def print_to_stderr(self, command: str) -> None:
        """Print the failure on stderr."""
        print(f"{command}: {self.message} ({self.kind})", file=sys.stderr)
        if self.hint:
            print(f"hint: {self.hint}", file=sys.stderr)
