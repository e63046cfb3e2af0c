"""The catalog as TypeScript: a type for each model, the table of methods, the error codes."""

import json
from collections.abc import Iterable, Iterator
from inspect import getdoc

from sidecar.initialize_params import PROTOCOL_VERSION
from sidecar.json_schemas import Definitions, Schema, all_errors, definitions, errors_of
from sidecar.method import Catalog, Method, Notification

HEADER = "// Generated from the sidecar's catalog by build/generate.py. Do not edit."
WIDTH = 110
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(catalog: Catalog) -> str:
    """Return the text of `types.ts`. It imports nothing and runs nothing."""
    known = definitions(catalog, "{model}")
    parts = [
        HEADER,
        f"export const PROTOCOL_VERSION = {PROTOCOL_VERSION}",
        _error_codes(),
        *(_declaration(name, schema) for name, schema in known.schemas.items()),
        _methods(catalog.methods, known),
        _notifications("ClientNotifications", "sends", _sent_by(catalog, "client"), known),
        _notifications("Notifications", "receives", _sent_by(catalog, "server"), known),
    ]
    return "\n\n".join(parts) + "\n"


def type_of(schema: Schema) -> str:
    """Return the TypeScript type of a JSON Schema; raise ValueError for a schema without one."""
    match schema:
        case {"$ref": str(name)}:
            return name
        case {"const": value}:
            return json.dumps(value, ensure_ascii=False)
        case {"enum": list(values)}:
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
        case {"anyOf": list(options)} | {"oneOf": list(options)}:
            return " | ".join(dict.fromkeys(type_of(option) for option in options))
        case {"type": "array"}:
            return _array(schema)
        case {"type": "object"}:
            return _object(schema)
        case _:
            return _plain(schema)


def _plain(schema: Schema) -> str:
    kind = schema.get("type")
    if kind in _PLAIN:
        return _PLAIN[kind]
    if schema.keys() <= {"description", "default"}:
        return "unknown"
    raise ValueError(f"no TypeScript type is known for {json.dumps(schema)[:200]}")


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return "[" + ", ".join(type_of(item) for item in schema["prefixItems"]) + "]"
    item = type_of(schema.get("items", {}))
    return f"({item})[]" if " | " in item else f"{item}[]"


def _object(schema: Schema) -> str:
    if schema.get("properties"):
        return "{ " + "; ".join(_members(schema)) + " }"
    extra = schema.get("additionalProperties", True)
    if extra is False:
        return "Record<string, never>"
    return f"Record<string, {type_of(extra) if isinstance(extra, dict) else 'unknown'}>"


def _members(schema: Schema) -> Iterator[str]:
    required = set(schema.get("required", ()))
    for name, member in schema["properties"].items():
        key = name if name.isidentifier() else json.dumps(name)
        yield f"{key}{'' if name in required else '?'}: {type_of(member)}"


def _declaration(name: str, schema: Schema) -> str:
    properties = schema.get("properties")
    if schema.get("type") != "object" or not properties:
        return _comment(schema.get("description")) + f"export type {name} = {type_of(schema)}"
    lines = [
        _comment(member.get("description"), "  ") + f"  {typed}"
        for member, typed in zip(properties.values(), _members(schema), strict=True)
    ]
    if schema.get("additionalProperties") is True:
        lines.append("  [member: string]: unknown")
    return _comment(schema.get("description")) + _interface(name, lines)


def _methods(rows: Iterable[Method], known: Definitions) -> str:
    lines = [
        _comment(f"{row.doc}\n\nErrors: {', '.join(error.kind for error in errors_of(row)) or 'none'}.", "  ")
        + f'  "{row.name}": {{ params: {known.params(row)}; result: {known.result(row)} }}'
        for row in rows
    ]
    return _comment("Every method with its params and result.") + _interface("Methods", lines)


def _notifications(name: str, verb: str, rows: Iterable[Notification], known: Definitions) -> str:
    lines = [_comment(row.doc, "  ") + f'  "{row.name}": {known.params(row)}' for row in rows]
    return _comment(f"Every notification the client {verb}, with its params.") + _interface(name, lines)


def _error_codes() -> str:
    lines = [_comment(getdoc(error), "  ") + f"  {error.kind}: {error.code}," for error in all_errors()]
    table = "export const ErrorCodes = {\n" + "\n".join(lines) + "\n} as const"
    data = _interface(
        "ErrorData",
        [
            _comment("The kind of error.", "  ") + "  kind: ErrorKind",
            _comment("What to do, in one sentence.", "  ") + "  hint?: string",
            "  [member: string]: unknown",
        ],
    )
    return "\n\n".join(
        (
            _comment("The code of each error, by its kind (`error.data.kind`).") + table,
            "export type ErrorKind = keyof typeof ErrorCodes",
            _comment("The members of every answer's `error.data`.") + data,
        )
    )


def _sent_by(catalog: Catalog, sender: str) -> list[Notification]:
    return [row for row in catalog.notifications if row.sender == sender]


def _interface(name: str, lines: list[str]) -> str:
    return f"export interface {name} {{\n" + "\n".join(lines) + "\n}"


def _comment(text: str | None, indent: str = "") -> str:
    if not text:
        return ""
    lines = [line.rstrip() for line in text.strip().replace("*/", "* /").splitlines()]
    if len(lines) == 1 and len(lines[0]) < WIDTH:
        return f"{indent}/** {lines[0]} */\n"
    body = "\n".join(f"{indent} * {line}".rstrip() for line in lines)
    return f"{indent}/**\n{body}\n{indent} */\n"
