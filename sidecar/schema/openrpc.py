"""The catalog as an OpenRPC document: the answer of `rpc.discover`, published as `rpc_schema/openrpc.json`."""

from inspect import getdoc
from typing import Any

from sidecar import __version__
from sidecar.core.errors import SidecarError
from sidecar.method import Method, Notification
from sidecar.schema.definitions import Catalog, Definitions, Schema, all_errors, definitions, errors_of

OPENRPC_VERSION = "1.3.2"
REF = "#/components/schemas/{model}"


def openrpc(catalog: Catalog) -> Schema:
    """Return the OpenRPC document.

    A method without a result is a notification, as OpenRPC defines it. Notifications that the sidecar sends are under
    `x-serverNotifications`, because clients cannot call them.
    """
    known = definitions(catalog, REF)
    from_client = [row for row in catalog.notifications if row.sender == "client"]
    from_server = [row for row in catalog.notifications if row.sender == "server"]
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "1Code continuity sidecar",
            "version": __version__,
            "description": "JSON-RPC 2.0 over stdio: one JSON message a line, or `Content-Length` framing.",
        },
        "methods": [
            *(_method(row, known) for row in catalog.methods),
            *(_notification(row, known) for row in from_client),
        ],
        "x-serverNotifications": [_notification(row, known) for row in from_server],
        "components": {
            "schemas": known.schemas,
            "errors": {error.kind: _error(error) for error in all_errors()},
        },
    }


def _method(row: Method, known: Definitions) -> Schema:
    return {
        **_described(row, known),
        "result": {"name": "result", "schema": _ref(known.result(row))},
        "errors": [{"$ref": f"#/components/errors/{error.kind}"} for error in errors_of(row)],
        "x-lane": str(row.lane),
    }


def _notification(row: Notification, known: Definitions) -> Schema:
    return {**_described(row, known), "x-sender": row.sender}


def _described(row: Method | Notification, known: Definitions) -> Schema:
    summary, _, rest = row.doc.partition("\n\n")
    return {
        "name": row.name,
        "summary": " ".join(summary.split()),
        **({"description": " ".join(rest.split())} if rest else {}),
        "paramStructure": "by-name",
        "params": _params(known.schemas[known.params(row)]),
        "x-params": _ref(known.params(row)),
    }


def _params(model: Schema) -> list[Schema]:
    required = set(model.get("required", ()))
    return [
        {
            "name": name,
            **({"description": schema["description"]} if "description" in schema else {}),
            "required": name in required,
            "schema": schema,
        }
        for name, schema in model.get("properties", {}).items()
    ]


def _error(error: type[SidecarError]) -> dict[str, Any]:
    return {"code": error.code, "message": getdoc(error), "data": {"kind": error.kind}}


def _ref(name: str) -> Schema:
    return {"$ref": REF.format(model=name)}
