"""The schemas of what the product writes beside its messages: each whole in one file, under a name of its own."""

from sidecar.context.model import ContextBlock
from sidecar.core.wire import WireModel
from sidecar.schema.definitions import Schema, wire_schema
from sidecar.schema.json_schemas import DRAFT

DOCUMENTS: dict[str, type[WireModel]] = {"context.schema.json": ContextBlock}


def document_schemas() -> dict[str, Schema]:
    """Gives each document's schema (draft 2020-12) under its file name."""
    return {name: {"$schema": DRAFT, "$id": name, **wire_schema(model)} for name, model in DOCUMENTS.items()}
