"""The messages of `memory/maintain`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import WireModel
from sidecar.memory.entry import Tier
from sidecar.memory.model import MemoryParams

MAX_LISTED = 200


class MemoryMaintainParams(MemoryParams):
    """Whose memories, and whether only to look."""

    dry_run: bool = Field(default=False, description="Whether to say what is due and change nothing.")


class TierMove(WireModel):
    """A memory whose tier is another one now."""

    id: str
    before: Tier
    after: Tier


class FileMove(WireModel):
    """A file that went to the archive, or was cleaned."""

    path: str = Field(description="Where it was, below the project's folder.")
    reason: Literal["old", "faint"] = Field(
        description="old: its day or session is over; faint: its score has been below the least for long."
    )


class MemoryMaintainResult(WireModel):
    """What was due within reach; at most 200 of each are listed."""

    dry_run: bool
    tiers: list[TierMove]
    archived: list[FileMove] = Field(description="Moved to `archive/`, from where `memory/restore` brings them back.")
    cleaned: list[FileMove] = Field(description="Files that were kept for a session only.")
    totals: dict[Literal["tiers", "archived", "cleaned"], int]
    left_alone: list[str] = Field(description="Files that could not be changed, because they are damaged or in use.")


class LastUpkeep(WireModel):
    """What upkeep did last, by itself or asked for."""

    at: str = Field(description="RFC 3339.")
    tiers: int
    archived: int
    cleaned: int
