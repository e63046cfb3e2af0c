"""How a command says that it could not do what it was asked: a sentence, what it is called, a hint, an exit status."""

import sys

STATUS_OF_KIND = {"notFound": 3, "ambiguous": 3, "conflict": 4, "policyDenied": 5}
"""Exit statuses that a script may act on; every other failure ends with 1, wrong usage with 2."""


class CommandFailed(Exception):
    """A command cannot be done; the message is one sentence for the user."""

    def __init__(self, message: str, *, kind: str = "failed", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint

    @property
    def status(self) -> int:
        """The exit status."""
        return STATUS_OF_KIND.get(self.kind, 1)

    def tell(self, command: str) -> None:
        """Says it on stderr."""
        print(f"{command}: {self.message} ({self.kind})", file=sys.stderr)
        if self.hint:
            print(f"hint: {self.hint}", file=sys.stderr)
