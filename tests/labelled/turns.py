"""Values of a recorded conversation: its turns, their steps and edits."""

from typing import NamedTuple


class Hunk(NamedTuple):
    """A recorded edit: lines with their first column, as in a diff."""

    path: str
    lines: tuple[str, ...]

    def side(self, mark: str) -> str:
        """Return the text before (`-`) or after (`+`) the edit."""
        return "\n".join(line[1:] for line in self.lines if line[:1] in (" ", mark))


class Step(NamedTuple):
    """Words of the agent, then an edit or a command; the last step of a turn may be words alone."""

    words: str
    hunk: Hunk | None = None
    command: str = ""
    output: str = ""
    """Output of the command, where the recording has it."""


class Turn(NamedTuple):
    """A message of the user and what the agent said and did until the next one."""

    number: int
    prompt: str
    answer: str
    steps: tuple[Step, ...]

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """Return its edits in order."""
        return tuple(step.hunk for step in self.steps if step.hunk is not None)
