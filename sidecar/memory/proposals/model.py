"""The messages of `memory/proposals` and `memory/resolveProposal`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import Identifier, WireModel
from sidecar.memory.model import MemoryDetail, MemoryParams, MemorySummary


class MemoryProposal(WireModel):
    """A memory that was met so often and is so sure that it may be a rule."""

    memory: MemorySummary
    rule: str = Field(description="The rule as a line of Markdown, for a rule file of the user's.")


class MemoryProposalsResult(WireModel):
    """Rules that are proposed, the surest first; nothing is done about them before the user says so."""

    proposals: list[MemoryProposal]


class MemoryResolveProposalParams(MemoryParams):
    """The user's word on a proposal."""

    id: Identifier = Field(description="The memory's id.")
    word: Literal["accept", "reject"]


class MemoryResolveProposalResult(WireModel):
    """The user's word is kept, and the same is not proposed again."""

    memory: MemoryDetail
    rule: str | None = Field(
        description="What the user may put into a rule file: we write none. Null for a proposal that was rejected."
    )
