"""Where a session stood when it was compacted, so that it goes on from exactly there. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sidecar.core.clock import rfc3339
from sidecar.core.secrets.redact import redact
from sidecar.session import COMPACTIONS, PENDING, PROGRESS, SAVED_AT, TASK

MAX_SAVED = 4_000
"""Characters of each text that the session file is given; our own state has all of it."""


class Halt(NamedTuple):
    """What was told before a compaction, and what became of it; None is what was not told. Secrets are masked."""

    compaction_id: str
    at_ms: int
    """When it was first told; the same however often it is told again."""
    heard_until_ms: int
    """Until when the session's words were captured before."""
    agent: str | None = None
    mode: str | None = None
    task: str | None = None
    progress: str | None = None
    pending: tuple[str, ...] | None = None
    memories: tuple[str, ...] = ()
    """Ids of what was captured then."""
    answer: Mapping[str, Any] | None = None
    """What was answered, once all of it was done."""


def masked(halt: Halt) -> Halt:
    """Masks secrets in what was told."""
    return halt._replace(
        task=None if halt.task is None else redact(halt.task),
        progress=None if halt.progress is None else redact(halt.progress),
        pending=None if halt.pending is None else tuple(redact(one) for one in halt.pending),
    )


def saved_values(halt: Halt, compactions: int) -> dict[str, str]:
    """Gives what the project's session file is told; a value that nobody told stays as it is there."""
    pending = None if halt.pending is None else "\n".join(halt.pending)
    told = {TASK: halt.task, PROGRESS: halt.progress, PENDING: pending}
    return {
        **{key: value[:MAX_SAVED] for key, value in told.items() if value is not None},
        COMPACTIONS: str(compactions),
        SAVED_AT: rfc3339(halt.at_ms),
    }
