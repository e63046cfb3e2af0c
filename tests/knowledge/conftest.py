"""What tests of the knowledge sync share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.knowledge import Knowledge
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository


@pytest.fixture
def make_knowledge(
    sidecar: MemorySidecar, make_repository: Callable[..., Repository], tmp_path: Path
) -> Callable[..., Knowledge]:
    """Makes a knowledge repository with files, and a project beside it."""

    def make(files: Mapping[str, str], **settings: Any) -> Knowledge:
        project = tmp_path / "project"
        project.mkdir()
        return Knowledge(sidecar, project, make_repository(files, name="knowledge"), **settings)

    return make
