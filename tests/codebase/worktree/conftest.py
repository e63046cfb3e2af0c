"""Fixtures for the tests of a worktree's state."""

import pytest

from sidecar.codebase.worktree import worktree_watch


@pytest.fixture(autouse=True)
def watch_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepare a watch at once: most of these tests wait for it."""
    monkeypatch.setattr(worktree_watch, "START_AFTER_MS", 0.0)
