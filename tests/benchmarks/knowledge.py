"""How long a knowledge sync takes: plan, nothing to do, one item, a thousand new ones, without the ceiling on writes.

    python -m tests.benchmarks.knowledge [ITEMS]

Times are medians over the method's own `elapsedMs`, or the call's from outside; the ratio shows that plans are linear.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sidecar.knowledge.manifest import Entry, Manifest
from sidecar.knowledge.plan import Asked, plan
from sidecar.knowledge.state import SyncState
from tests.support.clock import FixedClock
from tests.support.knowledge import Knowledge, item
from tests.support.memory import MemorySidecar
from tests.support.repositories import make_repository

ROUNDS = 5
NEW = 1_000


def main() -> None:
    """Measures and prints."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    small, large = _delta(1_000), _delta(10_000)
    print(f"delta, pure: 1,000 items {small:.1f} ms, 10,000 items {large:.1f} ms, ratio {large / small:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), items)


def _delta(items: int) -> float:
    refs = [f"company:a{number}" for number in range(items)]
    entries = {ref: Entry(f"company/adrs/{ref[8:]}.md", "b", ref, "adr", "active", "c", "r", "") for ref in refs}
    manifest = Manifest("c", entries, ())
    return _median(lambda: plan(manifest, SyncState(), (), Asked()))


def _measure(folder: Path, items: int) -> None:
    body = "We decided this because of that. " * 40
    repository = make_repository(
        folder / "knowledge", {f"company/adrs/a{number:05}.md": item(f"Decision {number}", body=body)
                               for number in range(items)},
    )  # fmt: skip
    (folder / "project").mkdir()
    sidecar = MemorySidecar(folder / "state")
    assert isinstance(sidecar.app.clock, FixedClock)
    sidecar.client.initialize()
    knowledge = Knowledge(sidecar, folder / "project", repository)
    print(f"first full sync of {items:,} items: {_once(lambda: _sync(knowledge, mode='full')):,.0f} ms")
    sidecar.app.clock.advance(int(time.time() * 1000) - sidecar.app.clock.now_ms() + 60_000)  # files are of long ago
    _sync(knowledge)
    print(f"nothing to do, full: {_median(lambda: _sync(knowledge, mode='full')):.0f} ms")
    print(f"nothing to do, incremental: {_median(lambda: _sync(knowledge)):.0f} ms")
    print(f"one item, unchanged: {_median(lambda: _sync(knowledge, mode='single', item='company:a00007')):.0f} ms")
    took = []
    for number in range(ROUNDS):
        repository.commit({"company/adrs/a00007.md": item(f"Changed {number}")})
        took.append(_once(lambda: _sync(knowledge, mode="single", item="company:a00007")))
    print(f"one item, changed: {statistics.median(took):.0f} ms")
    repository.commit({f"company/specs/s{number:04}.md": item(f"Spec {number}", body=body) for number in range(NEW)})
    print(f"{NEW:,} new items, incremental: {_once(lambda: _sync(knowledge)):,.0f} ms")
    sidecar.close()


def _sync(knowledge: Knowledge, **params: object) -> None:
    request_id = knowledge.sidecar.client.start("knowledge/sync", {"cwd": str(knowledge.project), **params})
    knowledge.sidecar.client.result(request_id, 600)


def _median(act: Callable[[], object]) -> float:
    return statistics.median(_once(act) for _ in range(ROUNDS))


def _once(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
