"""The catalog's models as JSON Schemas that refer to each other by name, and the OpenRPC document made of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from sidecar import __version__
from sidecar.core.errors import (
    Busy,
    Cancelled,
    InternalError,
    InvalidParams,
    InvalidRequest,
    NotInitialized,
    SidecarError,
    TooLarge,
)
from sidecar.core.wire_types import WireModel
from sidecar.method import Catalog, Lane, Method, Notification

Schema = dict[str, Any]
Use = tuple[type[WireModel], JsonSchemaMode]

ALWAYS_POSSIBLE: tuple[type[SidecarError], ...] = (InvalidRequest, InvalidParams, InternalError, NotInitialized)
"""Errors that may answer any request."""

QUEUED: tuple[type[SidecarError], ...] = (Busy, Cancelled, TooLarge)
"""Errors that may also answer any request outside the connection's own lane."""


@dataclass(frozen=True)
class Definitions:
    """The schemas of all named models, sorted by name, and the schema name of each row's model."""

    schemas: dict[str, Schema]
    names: dict[Use, str]

    def params(self, row: Method | Notification) -> str:
        """Return the name of the schema of a row's params."""
        return self.names[_params_use(row)]

    def result(self, row: Method) -> str:
        """Return the name of the schema of a method's result."""
        return self.names[row.result, "serialization"]


class _WireSchema(GenerateJsonSchema):
    """Pydantic's generator, without titles made from field names, and with every sent field required."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  (pydantic's signature)
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        # A field with a default is always written, so a client may rely on it. Without this, literal tags with a
        # default would be optional in TypeScript.
        if self.mode == "serialization":
            return not field.get("serialization_exclude")
        return super().field_is_required(field, total)

    def default_schema(self, schema: Any) -> Schema:
        schema_ = super().default_schema(schema)
        if self.mode == "serialization":
            schema_.pop("default", None)
        return schema_


def wire_schema(model: type[BaseModel], mode: JsonSchemaMode = "serialization") -> Schema:
    """Return the self-contained schema of one model, as it is written or as it is read."""
    model.model_rebuild()
    return model.model_json_schema(mode=mode, schema_generator=_WireSchema)


def definitions(catalog: Catalog, ref_template: str) -> Definitions:
    """Return the schemas of all params, results and nested models; `{model}` in the template is a schema's name.

    Params are described as they are read (validation), results and server notifications as they are written.
    """
    uses = sorted(set(_uses(catalog)), key=lambda use: (use[0].__name__, use[1]))
    for model in {model for model, _ in uses}:
        model.model_rebuild()
    generated_names, document = models_json_schema(uses, ref_template="{model}", schema_generator=_WireSchema)
    published = {generated: _published_name(generated) for generated in document["$defs"]}
    refs = {generated: ref_template.format(model=name) for generated, name in published.items()}
    schemas = {name: _with_refs(document["$defs"][generated], refs) for generated, name in published.items()}
    names = {use: published[str(generated_names[use]["$ref"])] for use in uses}
    return Definitions(dict(sorted(schemas.items())), names)


def _published_name(generated: str) -> str:
    """Return the published name of a generated one; raise ValueError when two models share a name.

    A model that differs between reading and writing is named by its use.
    """
    if "__" in generated:
        raise ValueError(f"two models share a name, which a client could not tell apart: {generated}")
    return generated.replace("-Input", "Input").removesuffix("-Output")


def _with_refs(schema: Any, refs: dict[str, str]) -> Any:
    if isinstance(schema, list):
        return [_with_refs(entry, refs) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: refs[value] if key == "$ref" and isinstance(value, str) else _with_refs(value, refs)
        for key, value in schema.items()
    }


def errors_of(row: Method) -> tuple[type[SidecarError], ...]:
    """Return the errors that may answer a request for this method, including those of every method."""
    queued = () if row.lane is Lane.CONNECTION else QUEUED
    return tuple(dict.fromkeys((*row.errors, *ALWAYS_POSSIBLE, *queued)))


def all_errors() -> tuple[type[SidecarError], ...]:
    """Return every error of the tree, in the order of the drawing at its top."""
    return tuple(_leaves(SidecarError))


def _leaves(error: type[SidecarError]) -> Iterator[type[SidecarError]]:
    for child in error.__subclasses__():
        if child.__module__ != SidecarError.__module__:
            continue
        yield child
        yield from _leaves(child)


def _uses(catalog: Catalog) -> Iterator[Use]:
    for row in catalog.methods:
        yield _params_use(row)
        yield row.result, "serialization"
    for notice in catalog.notifications:
        yield _params_use(notice)


def _params_use(row: Method | Notification) -> Use:
    sent_by_server = isinstance(row, Notification) and row.sender == "server"
    mode: Literal["validation", "serialization"] = "serialization" if sent_by_server else "validation"
    return row.params, mode


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
