"""Time of `context/compose` through the protocol, on a framework project with memories, or on a given project.

    .venv/bin/python -m tests.benchmarks.compose [--project PATH] [--memories 300]

Prints the median processor time for each bracket beside its target and beside a bare `context/bracket`.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.benchmarks.processor import median_ms
from tests.benchmarks.programs import quiet_sidecar
from tests.context.chati_project import PROJECT
from tests.support.memory_sidecar import MemorySidecar

ROUNDS = 200
TARGET_MS = 5.0

median = partial(median_ms, rounds=ROUNDS)


def main() -> None:
    """Measure each bracket, unchanged and with a new session file before each call."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--project", type=Path)
    parser.add_argument("--memories", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = options.project or make_project(Path(folder) / "till", options.memories)
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.clock.advance(
            int(time.time() * 1000) + 60_000 - sidecar.clock.now_ms()
        )  # no file looks recently written
        sidecar.client.initialize()
        floor = median(lambda _: sidecar.client.request("context/bracket", {"remainingPercent": 50}))
        print(f"{'context/bracket':<36}{floor:8.3f} ms")
        for bracket in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL"):
            params: dict[str, object] = {"cwd": str(project), "bracket": bracket, "afterCompaction": True}
            print_figure(bracket, floor, median(partial(compose, sidecar, params)))
            print_figure(f"{bracket}, new task each time", floor, median(partial(compose_new_task, sidecar, params)))
        if options.project is None:
            session = project / ".chati" / "session.yaml"

            def change_session_file(number: int) -> None:
                session.write_text(f"{PROJECT['.chati/session.yaml']}turn: {number}\n", encoding="utf-8")
                sidecar.client.request("context/compose", {"cwd": str(project), "bracket": "FRESH"})

            print_figure("FRESH, session file changed", floor, median(change_session_file))
        sidecar.close()


def compose(sidecar: MemorySidecar, params: dict[str, object], _: int) -> None:
    """Compose one block."""
    sidecar.client.request("context/compose", params)


def compose_new_task(sidecar: MemorySidecar, params: dict[str, object], number: int) -> None:
    """Compose the block of a new task."""
    task = f"Decide number {number} in {params['bracket']} after a talk about the merits of what was decided before"
    sidecar.client.request("context/compose", {**params, "task": task})


def make_project(project: Path, memories: int) -> Path:
    """Create a framework project with shared memories, a tenth of them HOT."""
    files = dict(PROJECT)
    for number in range(memories):
        tier = "hot" if number % 10 == 0 else "warm"
        text = f"We decided number {number} after a long talk about its merits. " * 4
        files[f".chati/memories/shared/durable/decision-{number}.md"] = (
            f"---\ntype: decision\nconfidence: 0.9\ntier: {tier}\n---\n# Decision {number}\n\n{text}\n"
        )
    for name, text in files.items():
        target = project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return project


def print_figure(what: str, floor: float, value: float) -> None:
    """Print one figure, and whether it meets its target."""
    verdict = "meets" if value <= TARGET_MS else "MISSES"
    print(f"{what:<36}{value:8.3f} ms   {value / floor:5.1f} times a bare bracket   {verdict} {TARGET_MS:.0f} ms")


if __name__ == "__main__":
    main()
