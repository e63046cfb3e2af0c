"""What a pre-run could have of the repository in time, and how what is late or failed is named."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sidecar.codebase import Moved, RepositoryState, StateFailed
from sidecar.packs.context.items import ContextFile
from sidecar.packs.delta.worktree import Differences
from sidecar.packs.model import Trimmed
from sidecar.packs.store import CachedPack
from sidecar.system.log import Log

if TYPE_CHECKING:
    from sidecar.memory import Memory, Relevant
    from sidecar.registry import Hint


@dataclass
class Gathered:
    """What could be had in time."""

    state: RepositoryState | None = None
    pack: CachedPack = field(default_factory=lambda: CachedPack((), ()))
    extra: tuple[ContextFile, ...] = ()
    """Files of this call alone: mentioned, or found by a follow-up's own words."""
    whole_anchor: bool = False
    """Whether the pack's anchor says all that its sources say, so that what it does not say no longer holds."""
    memories: tuple[Relevant, ...] = ()
    """What is remembered of earlier work and bears on this prompt."""
    remembered: dict[str, Memory] | None = None
    """Of the memories that the session was told of those that still are; None where that is not known."""
    hint: Hint | None = None
    """What is there already of what the prompt wants made."""
    differences: Differences | None = None
    """None where they could not be had in time."""
    moved: Moved | None = None
    cache_hit: bool = False
    file_hits: int = 0
    file_misses: int = 0
    late: bool = False
    """Whether even the repository's state came too late, and nothing could be had without it."""
    partial: bool = False
    omissions: list[Trimmed] = field(default_factory=list)


LeftMs = Callable[[], float]
"""Gives the milliseconds that are left."""

Begin = Callable[..., "Future[Any]"]
"""Begins to run something with what it is given."""

Take = Callable[[LeftMs], None]
"""Waits for something that was begun, and takes it or names it as late."""


def leave_out(gathered: Gathered, item: str, error: Exception, log: Log) -> None:
    """Names what is late or failed; the run goes on with the rest."""
    if isinstance(error, TimeoutError):
        gathered.partial, reason = True, "deadline"
    elif isinstance(error, StateFailed):
        reason = error.reason
    else:
        log.error("packs.source.failed", item=item, kind=type(error).__name__)
        reason = "it could not be read"
    gathered.omissions.append(Trimmed(item=item, reason=reason))


def nothing_more(_left_ms: LeftMs) -> None:
    """Takes nothing: it is there already."""
