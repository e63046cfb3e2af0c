"""A short soak is part of the suite; `python -m tests.faults.soak --minutes 10` is the long one."""

import sys
from pathlib import Path

import pytest

from tests.faults.soak import soak
from tests.support.cases import together
from tests.support.depth import examples, is_thorough
from tests.support.resource_usage import Usage, exceeded_limits, growth

WARM = Usage(
    pid=1, runs=0, folders=100, rss_bytes=60 << 20, descriptors=30, watches=50, threads=15, state_bytes=0, state_files=9
)


@pytest.mark.skipif(sys.platform == "win32", reason="the failing disk stands on SQLite's unix VFS")
def test_nothing_is_lost_stale_or_unbounded_while_everything_changes(tmp_path: Path) -> None:
    run = soak(tmp_path, minutes=0.2 if is_thorough() else 0, seed=1, steps=examples(24, 13))
    assert run.findings == []
    assert run.runs
    assert len(run.usages) >= 4
    expected_events = ("kill at rest", "kill at work", "clock jumps", "full disks", "read-only disks", "packs compared")
    assert [event for event in expected_events if not run.counts[event]] == []


@together(
    ("name", "step"),
    [("rss_bytes", 1 << 20), ("descriptors", 1), ("threads", 1), ("watches", 1), ("state_bytes", 999_999)],
)
def test_growth_per_run_is_detected(name: str, step: int) -> None:
    steady = [WARM._replace(runs=number, pid=number % 2) for number in range(200)]
    assert growth(steady) == []
    (finding,) = growth([usage._replace(**{name: getattr(usage, name) + step * usage.runs}) for usage in steady])
    assert "grew" in finding or "grows" in finding


@together(
    ("name", "much"),
    [("rss_bytes", 1 << 30), ("descriptors", 500), ("threads", 99), ("watches", 400), ("state_files", 99)],
)
def test_exceeded_limits_are_detected(name: str, much: int) -> None:
    assert exceeded_limits(WARM) == []
    assert len(exceeded_limits(WARM._replace(**{name: much}))) == 1
