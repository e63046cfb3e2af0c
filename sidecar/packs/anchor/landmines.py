"""What the history warns of, in an anchor's words. Pure."""

from collections.abc import Sequence

from sidecar.codebase import Trouble
from sidecar.core.text import one_line

MAX_TROUBLES = 5


def landmine_lines(troubles: Sequence[Trouble]) -> tuple[str, ...]:
    """Gives a line for each file whose changes went wrong time and again."""
    return tuple(f"- {one_line(trouble.path, 200)}: {_said(trouble)}" for trouble in troubles[:MAX_TROUBLES])


def _said(trouble: Trouble) -> str:
    said = []
    if trouble.taken_back:
        said.append(f"changes were taken back more than once, among them “{one_line(trouble.taken_back, 100)}”")
    if trouble.repaired:
        said.append(f"{trouble.repaired} or more fixes within a year needed another fix soon after")
    return "; ".join(said)
