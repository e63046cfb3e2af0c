"""Time of the upkeep of many memories, with nothing due and with much due, beside a refresh of the files.

python -m tests.benchmarks.upkeep [memories]
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sidecar.core.clock import rfc3339
from sidecar.memory import memory_index_of
from sidecar.memory.upkeep import find_due_upkeep, maintain
from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import quiet_sidecar

DAY_MS = 86_400_000
ROUNDS = 7


def main() -> None:
    """Write the memories, and measure."""
    (count,) = parse_counts(__doc__, memories=10_000)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        sidecar = quiet_sidecar(Path(folder, "state"))
        sidecar.clock.advance(time.time_ns() // 1_000_000 - sidecar.clock.now_ms() + 3_600_000)
        sidecar.client.initialize()
        fill(project / ".chati" / "memories" / "shared", count, rfc3339(sidecar.clock.now_ms() - 9 * DAY_MS))
        process = sidecar.app.process
        assert process is not None
        workspace = process.workspaces.get(str(project), None)
        index = memory_index_of(process, workspace)
        index.refresh()
        start = time.perf_counter()
        done, skipped = maintain(process, workspace)
        first_ms = (time.perf_counter() - start) * 1000
        look_ms = median_ms(index.refresh)
        due_ms = median_ms(lambda: find_due_upkeep(process, workspace))
        again_ms = median_ms(lambda: maintain(process, workspace))
        print(f"{count} memories, {index.files()} files")
        print(f"first upkeep: {len(done.tiers)} tiers written, {len(skipped)} skipped, {first_ms:.0f} ms")
        print(f"refresh of the files: {look_ms:.1f} ms")
        print(f"finding what is due: {due_ms:.1f} ms ({due_ms / look_ms:.1f} refreshes)")
        print(f"upkeep with nothing due: {again_ms:.1f} ms ({again_ms / look_ms:.1f} refreshes)")
        sidecar.close()


def fill(shared: Path, count: int, made_at: str) -> None:
    """Write notes, one in ten of which has an outdated tier."""
    for number in range(count):
        folder = shared / "durable" / f"{number // 500:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        tier = "hot" if number % 10 == 0 else "warm"
        (folder / f"note-{number:05d}.md").write_text(
            f"---\nid: mem-2026-02-01-{number:05d}\ntype: semantic\nconfidence: 0.6\ntier: {tier}\n"
            f"created_at: {made_at}\n---\n\n# Note {number}\n\nWhat is known of part {number}.\n"
        )


def median_ms(act: Callable[[], object]) -> float:
    """Return the median of some rounds in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        act()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
