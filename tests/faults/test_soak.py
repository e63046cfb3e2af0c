"""A short soak is part of the suite; `python -m tests.faults.soak --minutes 10` is the long one."""

import sys
from pathlib import Path

import pytest

from tests.faults.soak import soak

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the failing disk stands on SQLite's unix VFS")


def test_nothing_is_lost_stale_or_without_bound_while_everything_changes(tmp_path: Path) -> None:
    run = soak(tmp_path, minutes=0.2, seed=1)
    assert run.findings == []
    assert run.runs
    assert len(run.usages) >= 4
