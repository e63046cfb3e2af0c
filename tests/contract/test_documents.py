"""The published schemas of the block and of a memory's front matter match what is written."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from tests.context.chati_project import PROJECT
from tests.support.client import Client
from tests.support.memory_project import SPECIFIED
from tests.support.repositories import Repository

PUBLISHED = Path(__file__).parents[2] / "rpc_schema"


def validator(name: str) -> Any:
    schema = json.loads((PUBLISHED / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def matter(text: str) -> dict[str, Any]:
    """A memory's front matter as JSON: times as text."""
    read = YAML(typ="safe").load(text.split("---\n")[1])
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in read.items()}


def test_a_written_memory_matches_its_schema(client: Client, make_repository: Callable[..., Repository]) -> None:
    project = make_repository({}, name="till").path
    params = {"cwd": str(project), "title": "JWT", "text": "We chose JWT.", "type": "decision", "tags": ["auth"]}
    path = project / client.request("memory/add", params)["path"]
    found = matter(path.read_text(encoding="utf-8"))
    assert found["tags"] == ["auth"]
    assert list(validator("memory.schema.json").iter_errors(found)) == []


def test_the_specified_example_is_valid_and_an_unknown_sector_is_not() -> None:
    example = matter(SPECIFIED)
    schema = validator("memory.schema.json")
    schema.validate({**example, "a_key_of_mine": 1})
    for wrong in ({"sector": "musical"}, {"confidence": 1.5}, {"id": "../x"}, {"tier": "lukewarm"}):
        assert not schema.is_valid({**example, **wrong})


@pytest.mark.parametrize("bracket", ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"])
def test_a_composed_block_matches_its_schema(
    client: Client, make_repository: Callable[..., Repository], bracket: str
) -> None:
    project = make_repository(PROJECT, name="till").path
    composed = client.request("context/compose", {"cwd": str(project), "bracket": bracket})
    validator("context.schema.json").validate(composed["data"])
    assert not validator("context.schema.json").is_valid({**composed["data"], "constitution": ""})
