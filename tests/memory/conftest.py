"""Fixtures for the memory tests: a project, and a way to call its memory methods."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar


@pytest.fixture
def project_folder(tmp_path: Path) -> Path:
    """A project that is no repository."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def memories(sidecar: MemorySidecar, project_folder: Path) -> Memories:
    """The memories of an empty project."""
    return Memories(sidecar, project_folder)


@pytest.fixture
def memories_of(sidecar: MemorySidecar) -> Callable[[Path], Memories]:
    """Return the memories of any project."""
    return lambda project: Memories(sidecar, project)
