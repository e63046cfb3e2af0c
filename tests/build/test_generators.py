"""The generators' output for models that no slice has yet."""

from typing import Any

import pytest
from pydantic import Field, create_model

from generators.typescript import type_of, typescript
from sidecar.core.wire_types import Empty, WireModel
from sidecar.json_schemas import definitions
from sidecar.method import Catalog, Lane, Method
from tests.support.cases import together


class Part(WireModel):
    """Optional when read, always written."""

    size: int = 1


class BothWaysParams(WireModel):
    """Accept a part."""

    part: Part = Field(default_factory=Part, description="Ends no comment: */")


class BothWaysResult(WireModel):
    """Return a part."""

    part: Part
    kind: str = "part"


def catalog(params: type[WireModel], result: type[WireModel]) -> Catalog:
    return Catalog((Method("part/both", params, result, Lane.SHARED, "Takes and gives."),), ())


@together(
    ("schema", "expected"),
    [
        ({"$ref": "Part"}, "Part"),
        ({"const": "a"}, '"a"'),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]}, "number | null"),
        ({"type": "array", "items": {"type": "string"}}, "string[]"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "(string | null)[]"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}, "[string, boolean]"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
        ({"type": "object", "additionalProperties": True}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        ({"type": "object", "properties": {"a-b": {"type": "null"}}, "required": []}, '{ "a-b"?: null }'),
        ({"description": "anything"}, "unknown"),
    ],
)
def test_each_kind_of_schema_has_a_type(schema: dict[str, Any], expected: str) -> None:
    assert type_of(schema) == expected


def test_a_schema_without_a_type_is_refused_instead_of_being_unknown() -> None:
    with pytest.raises(ValueError, match="no TypeScript type"):
        type_of({"not": {"type": "string"}})


def test_a_model_used_in_both_directions_is_published_per_direction() -> None:
    known = definitions(catalog(BothWaysParams, BothWaysResult), "{model}.json")
    assert known.schemas["PartInput"].get("required") is None
    assert known.schemas["Part"]["required"] == ["size"]
    assert known.schemas["BothWaysParams"]["properties"]["part"]["$ref"] == "PartInput.json"
    assert known.schemas["BothWaysResult"]["properties"]["part"]["$ref"] == "Part.json"


def test_defaults_are_optional_in_params_and_required_in_results() -> None:
    text = typescript(catalog(BothWaysParams, BothWaysResult))
    assert "  part?: PartInput\n" in text
    assert "  kind: string\n" in text
    assert "Ends no comment: * /" in text


def test_a_model_without_defaults_is_published_once() -> None:
    assert list(definitions(catalog(Empty, Empty), "{model}").schemas) == ["Empty"]


def test_two_models_of_one_name_are_refused() -> None:
    double = create_model("BothWaysParams", __base__=WireModel, __module__="elsewhere", other=(int, ...))
    rows = catalog(BothWaysParams, Empty).methods + catalog(double, Empty).methods
    with pytest.raises(ValueError, match="share a name"):
        definitions(Catalog(rows, ()), "{model}")
