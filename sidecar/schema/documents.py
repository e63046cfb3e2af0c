"""The schemas of what the product writes beside its messages: each whole in one file, under a name of its own."""

from pydantic import BaseModel, ConfigDict, Field

from sidecar.context.model import ContextBlock
from sidecar.memory.entry import MemoryType, Sector, Tier
from sidecar.schema.definitions import Schema, wire_schema
from sidecar.schema.json_schemas import DRAFT


class MemoryEntry(BaseModel):
    """The front matter of a memory below `.chati/memories`; keys of the user's own are kept beside these."""

    model_config = ConfigDict(extra="allow")

    id: str = Field(pattern=r"^mem-\d{4}-\d{2}-\d{2}-\d{3,6}$", description="The day it was kept, and its number.")
    type: MemoryType
    agent: str = Field(default="", description="Who wrote it down.")
    author: str = Field(default="", description="Whose words these are.")
    tags: list[str] = Field(default_factory=list)
    confidence: float = Field(ge=0, le=1)
    sector: Sector
    tier: Tier
    access_count: int = Field(default=0, ge=0)
    evidence_count: int = Field(default=1, ge=0, description="How often it was met.")
    last_accessed: str | None = Field(default=None, description="RFC 3339.")
    created_at: str = Field(description="RFC 3339.")
    session: str = Field(default="", description="The provider session it comes from.")
    supersedes: list[str] = Field(default_factory=list, description="Ids of memories that it takes the place of.")
    contradicts: list[str] = Field(default_factory=list, description="Ids of memories that it contradicts.")


def document_schemas() -> dict[str, Schema]:
    """Gives each document's schema (draft 2020-12) under its file name."""
    schemas = {
        "context.schema.json": wire_schema(ContextBlock),
        "memory.schema.json": wire_schema(MemoryEntry, mode="validation"),
    }
    return {name: {"$schema": DRAFT, "$id": name, **schema} for name, schema in schemas.items()}
