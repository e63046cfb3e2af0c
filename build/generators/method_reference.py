"""The catalog as the method reference in Markdown, and the table of settings."""

import json
from collections.abc import Iterable, Iterator
from inspect import getdoc

from generators.typescript import type_of
from sidecar.initialize_params import PROTOCOL_VERSION
from sidecar.json_schemas import ALWAYS_POSSIBLE, QUEUED, Definitions, Schema, all_errors, definitions
from sidecar.method import Catalog, Method, Notification
from sidecar.settings.table import KINDS, LISTS, SETTINGS, Setting


def grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a Markdown table; each cell becomes one line."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(" ".join(cell.split()) for cell in line) + " |" for line in lines)


BEGIN = "<!-- settings: `python3 build/generate.py` writes this table -->"
END = "<!-- end of settings -->"


def settings_table() -> str:
    """Return a row for each setting, in the order of declaration."""
    rows = [(f"`{row.name}`", _allowed(row), f"`{json.dumps(row.default)}`", _env(row), row.doc) for row in SETTINGS]
    return grid(("name", "value", "default", "environment", "meaning"), rows)


def with_settings(page: str) -> str:
    """Return a page with a new settings table between its markers.

    Raise ValueError unless both markers occur once.
    """
    before, begin_mark, rest = page.partition(BEGIN)
    _, end_mark, after = rest.partition(END)
    if not (begin_mark and end_mark) or BEGIN in rest or END in after:
        raise ValueError(f"The page needs `{BEGIN}` and `{END}`, once each.")
    return f"{before}{BEGIN}\n\n{settings_table()}\n\n{END}{after}"


def _allowed(row: Setting) -> str:
    match row.kind:
        case "choice":
            return ", ".join(row.choices)
        case "int":
            limit = f" to {row.maximum:,}" if row.maximum < Setting._field_defaults["maximum"] else ""
            return f"whole number from {row.minimum:,}{limit}"
        case kind if kind in LISTS:
            return f"list: {LISTS[kind][2]}"
        case kind:
            return KINDS[kind][1]


def _env(row: Setting) -> str:
    return f"`{row.env}`" if row.env else ""


_INTRODUCTION = f"""\
# Methods

Protocol {PROTOCOL_VERSION}: JSON-RPC 2.0 over stdio, one JSON message per line (or `Content-Length` framing, detected
from the first bytes). Params are objects; unlisted members are refused. A result always has every listed member.
Paths contain no NUL; ids, names and titles are one line without control characters.
Generated from the sidecar's catalog by `build/generate.py`.

Lanes: `connection` answers immediately and in order; `shared` runs on the worker pool, and identical concurrent
requests share one computation; `workspace` runs one request at a time per `cwd`; `job` has its own thread, sends
`$/progress` and supports cancellation; `loop` is a job that mostly waits for another process."""


def reference(catalog: Catalog) -> str:
    """Return the text of `METHODS.md`."""
    known = definitions(catalog, "{model}")
    parts = [
        _INTRODUCTION,
        _general_errors(),
        *(_method(row, known) for row in catalog.methods),
        "# Notifications",
        *(_notification(row, known) for row in catalog.notifications),
        "# Shapes\n\nTypes used by the params and results above.",
        *_shapes(catalog, known),
        _errors(),
    ]
    return "\n\n".join(parts) + "\n"


def _general_errors() -> str:
    always, queued = (", ".join(f"`{error.kind}`" for error in errors) for errors in (ALWAYS_POSSIBLE, QUEUED))
    return (
        f"Any method may also answer with {always}, and outside the lane `connection` with {queued}; see"
        " [Errors](#errors)."
    )


def _method(row: Method, known: Definitions) -> str:
    errors = ", ".join(f"`{error.kind}` ({error.code})" for error in row.errors) or "none of its own"
    return "\n\n".join(
        (
            f"## `{row.name}`",
            row.doc,
            f"Lane: `{row.lane}`. Errors: {errors}.",
            _table("Params", known.params(row), known),
            _table("Result", known.result(row), known),
        )
    )


def _notification(row: Notification, known: Definitions) -> str:
    direction = "client → sidecar" if row.sender == "client" else "sidecar → client"
    return "\n\n".join((f"## `{row.name}`", row.doc, f"Sent: {direction}.", _table("Params", known.params(row), known)))


def _shapes(catalog: Catalog, known: Definitions) -> Iterator[str]:
    used = {known.params(row) for row in catalog.methods}
    used |= {known.result(row) for row in catalog.methods}
    used |= {known.params(row) for row in catalog.notifications}
    for name, schema in known.schemas.items():
        if name in used:
            continue
        described = schema.get("description")
        head = f"## {name}" + (f"\n\n{described}" if described else "")
        yield head + "\n\n" + _table("Members", name, known)


def _table(title: str, name: str, known: Definitions) -> str:
    schema = known.schemas[name]
    properties = schema.get("properties")
    if not properties:
        kind = "none" if schema.get("type") == "object" else f"`{type_of(schema)}`"
        return f"{title}: {kind}."
    required = set(schema.get("required", ()))
    rows = [
        (f"`{member}`", _type_cell(shape), _presence(member in required, shape), _text(shape))
        for member, shape in properties.items()
    ]
    return f"{title} (`{name}`):\n\n" + grid(("member", "type", "required", "meaning"), rows)


def _type_cell(shape: Schema) -> str:
    return "`" + type_of(shape).replace("|", "\\|") + "`"


def _presence(required: bool, shape: Schema) -> str:
    if required:
        return "yes"
    return f"no, `{json.dumps(shape['default'])}`" if "default" in shape else "no"


def _text(shape: Schema) -> str:
    limits = "; ".join(dict.fromkeys(_limits(shape)))
    return " ".join(filter(None, (shape.get("description", ""), f"({limits})" if limits else "")))


def _limits(shape: Schema) -> Iterator[str]:
    options = [option for option in shape.get("anyOf", ()) if option.get("type") != "null"]
    for option in options:
        limits = _limits(option)
        if len(options) > 1 and option.get("type") == "integer":
            if not any(other.get("type") == "number" for other in options):
                yield "numbers are whole"
            limits = (limit for limit in limits if limit != _WHOLE)
        yield from limits
    if isinstance(shape.get("items"), dict):
        yield from (f"each {limit}" for limit in _limits(shape["items"]))
    if shape.get("type") == "integer":
        yield _WHOLE
    yield from (words for part, words in _PATTERNS.items() if part in shape.get("pattern", ""))
    for key, words in _LIMITS:
        if key in shape:
            yield "not empty" if key in _FIRST_LENGTHS and shape[key] == 1 else words.format(shape[key])


_FIRST_LENGTHS = ("minLength", "minItems")
_WHOLE = "whole number"
_LIMITS = (
    ("minimum", "at least {}"),
    ("exclusiveMinimum", "above {}"),
    ("maximum", "at most {}"),
    ("exclusiveMaximum", "below {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} entries"),
    ("maxItems", "at most {} entries"),
)
_PATTERNS = {
    "T\\d{2}:": "RFC 3339 with an offset",
    "\\x20\\x7f,": "without spaces, commas or quotes",
    "^[a-z0-9]": "of small letters, digits, dashes and underscores, first a letter or digit",
    "]*[^\\x00-\\x20": "not blank",
}
"""Limits by a part of the pattern that states them; the introduction states those of the other patterns."""


def _errors() -> str:
    rows = [(str(error.code), f"`{error.kind}`", getdoc(error) or "") for error in all_errors()]
    return (
        "# Errors\n\n`error.message` is one sentence. `error.data` has `kind`, often `hint` (what to do), and the"
        " members named below.\n\n" + grid(("code", "kind", "meaning"), rows)
    )
