"""Time of a knowledge sync: plan, nothing to do, one item, a thousand new ones, with and without a rate limit.

    python -m tests.benchmarks.knowledge [items]

Times are medians of calls through the protocol; processor times are in brackets. The ratio shows that plans are linear.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sidecar.knowledge import Entry, Manifest, PlanRequest, SyncState, plan
from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import quiet_sidecar
from tests.support.clock import FixedClock
from tests.support.knowledge_project import Knowledge, item
from tests.support.repositories import make_repository

ROUNDS = 5
NEW = 1_000
CEILING = 90


def main() -> None:
    """Measure and print."""
    (items,) = parse_counts(__doc__, items=10_000)
    small, large = _delta(1_000), _delta(10_000)
    print(f"delta, pure: 1,000 items {small}, 10,000 items {large}, ratio {large.cpu_ms / small.cpu_ms:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), items)


def _delta(items: int) -> "Took":
    refs = [f"company:a{number}" for number in range(items)]
    entries = {ref: Entry(f"company/adrs/{ref[8:]}.md", "b", ref, "adr", "active", "c", "r", "") for ref in refs}
    manifest = Manifest("c", entries, ())
    return _median(lambda: plan(manifest, SyncState(), (), PlanRequest()))


def _measure(folder: Path, items: int) -> None:
    body = "We decided this because of that. " * 40
    repository = make_repository(
        folder / "knowledge", {f"company/adrs/a{number:05}.md": item(f"Decision {number}", body=body)
                               for number in range(items)},
    )  # fmt: skip
    (folder / "project").mkdir()
    sidecar = quiet_sidecar(folder / "state")
    assert isinstance(sidecar.app.clock, FixedClock)
    sidecar.client.initialize()
    knowledge = Knowledge(sidecar, folder / "project", repository)
    print(f"first full sync of {items:,} items: {_once(lambda: _sync(knowledge, mode='full'))}")
    sidecar.app.clock.advance(int(time.time() * 1000) - sidecar.app.clock.now_ms() + 60_000)  # the files look old
    _sync(knowledge)
    print(f"nothing to do, full: {_median(lambda: _sync(knowledge, mode='full'))}")
    print(f"nothing to do, incremental: {_median(lambda: _sync(knowledge))}")
    print(f"one item, unchanged: {_median(lambda: _sync(knowledge, mode='single', item='company:a00007'))}")
    took = []
    for number in range(ROUNDS):
        repository.commit({"company/adrs/a00007.md": item(f"Changed {number}")})
        took.append(_once(lambda: _sync(knowledge, mode="single", item="company:a00007")))
    print(f"one item, changed: {_middle(took)}")
    repository.commit({f"company/specs/s{number:04}.md": item(f"Spec {number}", body=body) for number in range(NEW)})
    print(f"{NEW:,} new items, incremental: {_once(lambda: _sync(knowledge))}")
    knowledge.set(writesPerSecond=CEILING)
    repository.commit({f"company/policies/p{number:04}.md": item(f"Policy {number}") for number in range(NEW)})
    limited = _once(lambda: _sync(knowledge))
    print(f"{NEW:,} new items at a limit of {CEILING}/s: {limited}, {NEW / limited.wall_ms * 1000:.0f}/s")
    sidecar.close()


def _sync(knowledge: Knowledge, **params: object) -> None:
    request_id = knowledge.sidecar.client.start("knowledge/sync", {"cwd": str(knowledge.project), **params})
    knowledge.sidecar.client.result(request_id, 600)


class Took(NamedTuple):
    """Wall time and processor time of a call."""

    wall_ms: float
    cpu_ms: float

    def __str__(self) -> str:
        """Return both, formatted."""
        return f"{self.wall_ms:,.0f} ms ({self.cpu_ms:,.0f})"


def _median(act: Callable[[], object]) -> Took:
    return _middle([_once(act) for _ in range(ROUNDS)])


def _middle(took: list[Took]) -> Took:
    return Took(*(statistics.median(times) for times in zip(*took, strict=True)))


def _once(act: Callable[[], object]) -> Took:
    started, busy = time.perf_counter(), time.process_time()
    act()
    return Took((time.perf_counter() - started) * 1000, (time.process_time() - busy) * 1000)


if __name__ == "__main__":
    main()
