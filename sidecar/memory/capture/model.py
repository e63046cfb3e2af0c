"""The messages that capture, and what `memory/status` tells of captures."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire import Identifier, Instant, WireModel
from sidecar.memory.model import MAX_TEXT, MemoryParams, Tags, Title

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Dropped = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip


class DigestMessage(WireModel):
    """Words of the session, as they were said."""

    author: Literal["user", "assistant"]
    text: Text
    at: Instant | None = Field(default=None, description="Without it, now.")


class DigestError(WireModel):
    """An error that was met."""

    text: Text
    resolution: str = Field(default="", max_length=MAX_TEXT, description="What ended it; empty while nothing has.")
    at: Instant | None = None


class DigestEntry(WireModel):
    """What is known to be worth keeping."""

    type: Literal["decision", "error_pattern", "resolution", "user_correction", "validated_pattern", "gotcha", "lesson"]
    title: Title = ""
    text: Text
    author: Identifier | None = None
    at: Instant | None = None
    confidence: float | None = Field(default=None, ge=0, le=1, description="Without it, the type's own.")
    tags: Tags = Field(default_factory=list)


class MemoryDigest(WireModel):
    """What a session leaves."""

    messages: list[DigestMessage] = Field(
        default_factory=list, max_length=2_000, description="Read for corrections, decisions and conclusions."
    )
    errors: list[DigestError] = Field(default_factory=list, max_length=500)
    entries: list[DigestEntry] = Field(default_factory=list, max_length=500)


class MemoryCaptureParams(MemoryParams):
    """A session's digest, or a text that sums it up."""

    session_id: Identifier = Field(description="The provider session; its entries stand in one file a day.")
    digest: MemoryDigest | None = None
    text: Text | None = Field(default=None, description="A summary in the agent's words, as a compaction gives it.")
    source_id: Identifier | None = Field(
        default=None,
        description="What this comes from; the same one again is not counted again. Without it, the text's own.",
    )
    automatic: bool = Field(
        default=False,
        description="Whether nobody asked for it: then nothing is written into the project unless its mode is active.",
    )


class DropCount(WireModel):
    """How many were not kept for one reason."""

    reason: Dropped
    count: int


class MemoryCaptureResult(WireModel):
    """What became of it, with what had waited of the project's runs."""

    kept: list[str] = Field(description="Ids of new memories.")
    repeated: list[str] = Field(description="Ids of memories that were met again: their evidence is counted.")
    contradicted: list[str] = Field(description="Ids of memories whose confidence sank.")
    withheld: int = Field(description="What would have been kept, were the project's mode active.")
    dropped: list[DropCount]
    paths: list[str] = Field(description="The digests' files, below the project's folder.")


class CaptureShown(WireModel):
    """What became of one capture."""

    at: str = Field(description="RFC 3339.")
    session_id: str
    origin: Literal["request", "run", "preCompact", "exit", "artifact"]
    kept: int
    repeated: int
    withheld: int
    dropped: list[DropCount]


class CaptureState(WireModel):
    """What was captured within reach, and what was not, and why."""

    last: CaptureShown | None = Field(description="The last capture; null when there was none yet.")
    captures: int
    kept: int
    repeated: int
    withheld: int = Field(description="What would have been kept, were the project's mode active.")
    dropped: list[DropCount]
    waiting: int = Field(description="Runs whose material waits to be captured.")
