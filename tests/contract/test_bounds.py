"""Every number in a message has a bound that sums and the database can hold."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.cases import together

DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "rpc_schema" / "openrpc.json").read_bytes()
)
UNBOUNDED = ("initialize.protocolVersion", "initialize.processId", "$/cancelRequest.id")
"""Compared, and bounded by their reader before any schema applies."""


def integers(schema: Any, place: str, above: frozenset[str] = frozenset()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every integer below a schema with its path."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name and name not in above:
        yield from integers(DOCUMENT["components"]["schemas"][name], place, above | {name})
    if schema.get("type") == "integer":
        yield place, schema
    for key, inner in schema.get("properties", {}).items():
        yield from integers(inner, f"{place}.{key}", above)
    for inner in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), schema.get("items")):
        if isinstance(inner, dict):
            yield from integers(inner, place, above)


PARAMS = [
    found
    for method in DOCUMENT["methods"]
    for param in method["params"]
    for found in integers(param["schema"], f"{method['name']}.{param['name']}")
    if found[0] not in UNBOUNDED
]


def test_integers_are_found() -> None:
    places = [place for place, _ in PARAMS]
    assert "continuity/postRun.usage.inputTokens" in places
    assert "memory/list.offset" in places


@together(("place", "schema"), PARAMS)
def test_an_integer_of_a_message_has_a_bound(place: str, schema: dict[str, Any]) -> None:
    assert abs(schema.get("maximum", schema.get("exclusiveMaximum", 2**64))) <= 2**53, place
    assert abs(schema.get("minimum", schema.get("exclusiveMinimum", -(2**64)))) <= 2**53, place
