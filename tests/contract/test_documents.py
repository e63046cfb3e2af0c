"""The published schemas of the block and of a memory's front matter hold for what is really written."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from ruamel.yaml import YAML

from tests.context.chati import PROJECT
from tests.support.client import Client
from tests.support.repositories import Repository

PUBLISHED = Path(__file__).parents[2] / "rpc_schema"
EXAMPLE = """
id: mem-2026-02-12-001
type: procedural
agent: architect
tags: [authentication, jwt, pattern, validated]
confidence: 0.92
sector: procedural
tier: hot
access_count: 7
last_accessed: "2026-02-12T16:30:00Z"
created_at: "2026-02-10T10:15:00Z"
"""


def validator(name: str) -> Any:
    schema = json.loads((PUBLISHED / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def test_a_memory_as_it_is_written_fits_its_schema(client: Client, make_repository: Callable[..., Repository]) -> None:
    project = make_repository({}, name="till").path
    params = {"cwd": str(project), "title": "JWT", "text": "We chose JWT.", "type": "decision", "tags": ["auth"]}
    path = project / client.request("memory/add", params)["path"]
    matter = YAML(typ="safe").load(path.read_text(encoding="utf-8").split("---\n")[1])
    validator("memory.schema.json").validate({key: plain(value) for key, value in matter.items()})


def test_the_specifications_example_fits_and_a_sector_nobody_knows_does_not() -> None:
    example = YAML(typ="safe").load(EXAMPLE)
    schema = validator("memory.schema.json")
    schema.validate({**example, "a_key_of_mine": 1})
    for wrong in ({"sector": "musical"}, {"confidence": 1.5}, {"id": "../x"}, {"tier": "lukewarm"}):
        assert not schema.is_valid({**example, **wrong})


@pytest.mark.parametrize("bracket", ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"])
def test_a_block_as_it_is_made_fits_its_schema(
    client: Client, make_repository: Callable[..., Repository], bracket: str
) -> None:
    project = make_repository(PROJECT, name="till").path
    composed = client.request("context/compose", {"cwd": str(project), "bracket": bracket})
    validator("context.schema.json").validate(composed["data"])
    assert not validator("context.schema.json").is_valid({**composed["data"], "constitution": ""})
