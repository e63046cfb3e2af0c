"""The generated files below `rpc_schema/`: relative path → bytes. This module writes nothing."""

import json
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from generators.method_reference import reference
from generators.typescript import typescript
from sidecar.context.model import ContextBlock
from sidecar.json_schemas import Schema, definitions, openrpc, wire_schema
from sidecar.memory.entry import MemoryType, Sector, Tier
from sidecar.method import Catalog

DRAFT = "https://json-schema.org/draft/2020-12/schema"
REF = "{model}.json"


def json_schemas(catalog: Catalog) -> dict[str, Schema]:
    """Return one schema (draft 2020-12) per named model, by file name, such as `PreRunParams.json`."""
    known = definitions(catalog, REF)
    return {
        REF.format(model=name): {"$schema": DRAFT, "$id": REF.format(model=name), **schema}
        for name, schema in known.schemas.items()
    }


class MemoryEntry(BaseModel):
    """The front matter of a memory file below `.chati/memories`. The user's own keys may appear beside these."""

    model_config = ConfigDict(extra="allow")

    id: str = Field(pattern=r"^mem-\d{4}-\d{2}-\d{2}-\d{3,6}$", description="The day it was stored, and its number.")
    type: MemoryType
    agent: str = Field(default="", description="The agent that stored it.")
    author: str = Field(default="", description="The author of the text.")
    tags: list[str] = Field(default_factory=list)
    confidence: float = Field(ge=0, le=1)
    sector: Sector
    tier: Tier
    access_count: int = Field(default=0, ge=0)
    evidence_count: int = Field(default=1, ge=0, description="Number of observations.")
    last_accessed: str | None = Field(default=None, description="RFC 3339.")
    created_at: str = Field(description="RFC 3339.")
    session: str = Field(default="", description="The provider session of origin.")
    supersedes: list[str] = Field(default_factory=list, description="Ids of the memories it supersedes.")
    contradicts: list[str] = Field(default_factory=list, description="Ids of memories that it contradicts.")


def document_schemas() -> dict[str, Schema]:
    """Return the schemas (draft 2020-12) of the documents that the product writes beside its messages, by file name."""
    schemas = {
        "context.schema.json": wire_schema(ContextBlock),
        "memory.schema.json": wire_schema(MemoryEntry, mode="validation"),
    }
    return {name: {"$schema": DRAFT, "$id": name, **schema} for name, schema in schemas.items()}


GENERATED_FOLDERS = ("schemas",)
"""Folders that hold only generated files. A file in them that is not published is superfluous."""


def published(catalog: Catalog) -> dict[str, bytes]:
    """Return the content of every generated file. The same catalog gives the same bytes."""
    return {
        "openrpc.json": _json(openrpc(catalog)),
        "typescript/types.ts": typescript(catalog).encode(),
        "METHODS.md": reference(catalog).encode(),
        **{name: _json(schema) for name, schema in document_schemas().items()},
        **{f"schemas/{name}": _json(schema) for name, schema in json_schemas(catalog).items()},
    }


def _json(document: Mapping[str, object]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
