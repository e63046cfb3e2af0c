"""A project under the framework, and the block made for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.context.chati_project import PROJECT
from tests.support.client import Client
from tests.support.repositories import Repository


@pytest.fixture
def chati(make_repository: Callable[..., Repository]) -> Repository:
    """A project under the framework."""
    return make_repository(PROJECT, name="till")


@pytest.fixture
def compose(client: Client, chati: Repository) -> Callable[..., Any]:
    """Composes a block for the project; the XML is parsed as `tree`."""

    def compose_block(cwd: Path = chati.path, **params: Any) -> Any:
        request = {"cwd": str(cwd), "bracket": "FRESH", **params}
        result = client.request("context/compose", {key: value for key, value in request.items() if value is not None})
        return {**result, "tree": ET.fromstring(result["block"])}

    return compose_block
