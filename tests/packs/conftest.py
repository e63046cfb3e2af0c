"""The shop and its conversations."""

import pytest

from sidecar.codebase import indexer
from tests.support.git_wrapper import release_status
from tests.support.shop import active, shop, start_chat

__all__ = ["active", "release_status", "shop", "start_chat"]

LARGE = 500
"""Files of a repository that is too large to analyse in the test's own process."""


@pytest.fixture(autouse=True)
def no_workers_for_a_hundred_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyse as many files as some packs need in this process: starting workers takes ten times as long.

    tests/codebase/test_indexer.py tests that both give the same.
    """
    monkeypatch.setattr(indexer, "MIN_FILES_FOR_WORKERS", LARGE)
