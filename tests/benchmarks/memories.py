"""Cost of many memories: a refresh of unchanged files, one changed file, a rebuild of the whole index.

    python -m tests.benchmarks.memories [memories]

Prints medians in milliseconds and their ratios to a bare scan of the folders, from one run.
"""

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from sidecar.memory import AGENTS, MemoryIndex, RefreshResult, memory_index_of
from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import quiet_sidecar

WORDS = "cart discount invoice token cache index session lock branch test error retry schema queue pack anchor".split()
TEN_YEARS_MS = 315_360_000_000
LONG_AGO_S = 1_700_000_000


def main() -> None:
    """Measure a project with many memories, most of them shared."""
    (count,) = parse_counts(__doc__, memories=10_000)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        fill(project / ".chati" / "memories", count)
        sidecar = quiet_sidecar(Path(folder, "state"))
        sidecar.clock.advance(TEN_YEARS_MS)  # long after the files were written
        sidecar.client.initialize()
        assert sidecar.app.process is not None
        index = memory_index_of(sidecar.app.process, sidecar.app.process.workspaces.get(str(project), None))
        bare = timed(lambda: stat_files(project), 9)
        print(f"{count} memories")
        print(f"bare scan of the folders          {bare:8.1f} ms")
        for name, work, rounds in (
            ("first refresh: reads everything", index.refresh, 1),
            ("unchanged", index.refresh, 15),
            ("unchanged, in another process", without_memory(index), 9),
            ("one file changed", lambda: (change_one(project), index.refresh()), 9),
            ("full rebuild", index.rebuild, 3),
            (
                "memory/add",
                lambda: sidecar.client.request("memory/add", {"cwd": str(project), "text": "A word on carts."}),
                9,
            ),
            ("memory/list", lambda: sidecar.client.request("memory/list", {"cwd": str(project)}), 9),
            ("memory/status", lambda: sidecar.client.request("memory/status", {"cwd": str(project)}), 9),
        ):
            took_ms = timed(work, rounds)
            print(f"{name:<33} {took_ms:8.1f} ms  {took_ms / bare:6.1f} × a bare scan")
        sidecar.close()


def fill(root: Path, count: int) -> None:
    """Write memories as the product stores them: front matter, a title, some paragraphs. Their files are old."""
    words = random.Random(1)
    for number in range(count):
        owner = "shared" if number % 4 else AGENTS[number % len(AGENTS)]
        folder = root / owner / ("durable" if number % 3 else f"daily/2026-02-{number % 28 + 1:02}")
        folder.mkdir(parents=True, exist_ok=True)
        title = " ".join(words.choices(WORDS, k=5))
        text = "\n\n".join(" ".join(words.choices(WORDS, k=30)) + "." for _ in range(3))
        path = folder / f"2026-02-01-{number:05}.md"
        path.write_text(
            f"---\nid: mem-2026-02-01-{number:05}\ntype: decision\nagent: dev\ntags: [auth, jwt]\nconfidence: 0.92\n"
            "sector: episodic\ntier: warm\naccess_count: 7\nlast_accessed: 2026-02-12T16:30:00Z\nevidence_count: 2\n"
            f"created_at: 2026-02-10T10:15:00Z\n---\n\n# {title}\n\n{text}\n"
        )
        os.utime(path, (LONG_AGO_S, LONG_AGO_S))


def stat_files(project: Path) -> int:
    """Count the files with a stat of each, which every refresh needs."""
    return sum(
        os.stat(os.path.join(folder, name)).st_size > 0 for folder, _, names in os.walk(project) for name in names
    )


def without_memory(index: MemoryIndex) -> Callable[[], object]:
    """Return a check that first reads the known files from the state file again."""

    def check() -> RefreshResult:
        index._known = None
        return index.refresh()

    return check


def change_one(project: Path) -> int:
    """Change one memory."""
    path = project / ".chati/memories/shared/durable/2026-02-01-00001.md"
    return path.write_text(path.read_text() + "One more line.\n")


def timed(work: Callable[[], object], rounds: int) -> float:
    """Return the median of `rounds` rounds in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return median(times)


if __name__ == "__main__":
    main()
