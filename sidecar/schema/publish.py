"""Everything under `rpc_schema/` that is generated: relative path → bytes. Writes nothing."""

import json
from collections.abc import Mapping

from sidecar.schema.definitions import Catalog
from sidecar.schema.documents import document_schemas
from sidecar.schema.json_schemas import json_schemas
from sidecar.schema.openrpc import openrpc
from sidecar.schema.reference import reference
from sidecar.schema.typescript import typescript

GENERATED_FOLDERS = ("schemas",)
"""Folders that hold nothing else: a file there that is not published is superfluous."""


def published(catalog: Catalog) -> dict[str, bytes]:
    """Gives the content of every generated file; the same catalog gives the same bytes."""
    return {
        "openrpc.json": _json(openrpc(catalog)),
        "typescript/types.ts": typescript(catalog).encode(),
        "METHODS.md": reference(catalog).encode(),
        **{name: _json(schema) for name, schema in document_schemas().items()},
        **{f"schemas/{name}": _json(schema) for name, schema in json_schemas(catalog).items()},
    }


def _json(document: Mapping[str, object]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
