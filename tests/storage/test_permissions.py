"""What the sidecar stores outside of projects is this user's alone, whatever the umask."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository, make_repository

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders of a user have an access list there")


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A umask that takes away no permission."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("open_umask")
def test_state_logs_and_report_are_private(
    open_sidecar: Callable[..., MemorySidecar], state_dir: Path, tmp_path: Path
) -> None:
    shop: Repository = make_repository(tmp_path / "shop", {"cart.py": "def total():\n    return 0\n"})
    sidecar = open_sidecar()
    sidecar.client.initialize(logDir=str(tmp_path / "logs"))
    sidecar.client.request("codebase/index", {"cwd": str(shop.path)})
    sidecar.client.request("state/report")
    sidecar.close()
    stored = [tmp_path / "logs", state_dir, *(tmp_path / "logs").rglob("*"), *state_dir.rglob("*")]
    assert {path.name for path in stored} >= {"continuity.db", "continuity.db.lock", "report.html", "logs"}
    shared = {str(path): oct(path.stat().st_mode) for path in stored if stat.S_IMODE(path.stat().st_mode) & 0o077}
    assert not shared
