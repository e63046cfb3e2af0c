"""Fixtures for registry tests: a project with the specification's registry."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sidecar.registry import parse_registry
from tests.support.client import Client

SPECIFICATION = Path(__file__).parent / "fixtures" / "specification.yaml"
FRAMEWORK_REGISTRY = "chati.dev/data/entity-registry.yaml"
OWN_REGISTRY = ".chati/registry.yaml"


class Project(NamedTuple):
    """A project folder, and requests about its registry."""

    path: Path
    client: Client

    def request(self, verb: str, **params: Any) -> Any:
        """Return the result of a registry method."""
        return self.client.request(f"registry/{verb}", {"cwd": str(self.path), **params})

    def error(self, verb: str, **params: Any) -> Any:
        """Return the error of a registry method."""
        return self.client.error(f"registry/{verb}", {"cwd": str(self.path), **params})

    def write(self, path: str, content: str) -> Path:
        """Write a file in the project."""
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode())
        return target

    def registry(self, path: str = FRAMEWORK_REGISTRY) -> str:
        """Return the text of the registry's file."""
        return (self.path / path).read_bytes().decode()


@pytest.fixture
def make_project(tmp_path: Path, client: Client) -> Callable[..., Project]:
    """Return a factory of projects with a registry's text at a path."""

    def make(text: str | None = None, path: str = FRAMEWORK_REGISTRY, name: str = "project") -> Project:
        project = Project(tmp_path / name, client)
        project.path.mkdir(exist_ok=True)
        if text is not None:
            project.write(path, text)
        return project

    return make


@pytest.fixture
def framework(make_project: Callable[..., Project]) -> Project:
    """A project with the specification's registry and its files, which are empty."""
    project = make_project(SPECIFICATION.read_bytes().decode())
    for entity in parse_registry(project.registry()).entities:
        project.write(entity.path, "")
    return project


@pytest.fixture
def without_files(make_project: Callable[..., Project]) -> Project:
    """A project with the specification's registry and none of its files."""
    return make_project(SPECIFICATION.read_bytes().decode())
