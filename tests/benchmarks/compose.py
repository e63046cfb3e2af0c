"""`context/compose` through the protocol, on a project under the framework with memories, or on one given by path.

    .venv/bin/python -m tests.benchmarks.compose [--project PATH] [--memories 300]

Prints the median processor time of each bracket beside its target, and beside a bare `context/bracket` of the same run.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.benchmarks.processor import median_ms
from tests.benchmarks.programs import quiet_sidecar
from tests.context.chati_project import PROJECT
from tests.support.memory import MemorySidecar

ROUNDS = 200
TARGET_MS = 5.0

median = partial(median_ms, rounds=ROUNDS)


def main() -> None:
    """Measures each bracket, unchanged and with another session file before each call."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--project", type=Path)
    parser.add_argument("--memories", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = options.project or made(Path(folder) / "till", options.memories)
        sidecar = quiet_sidecar(Path(folder) / "state")
        sidecar.clock.advance(
            int(time.time() * 1000) + 60_000 - sidecar.clock.now_ms()
        )  # nothing looks as if just written
        sidecar.client.initialize()
        floor = median(lambda _: sidecar.client.request("context/bracket", {"remainingPercent": 50}))
        print(f"{'context/bracket':<36}{floor:8.3f} ms")
        for bracket in ("FRESH", "MODERATE", "DEPLETED", "CRITICAL"):
            asked: dict[str, object] = {"cwd": str(project), "bracket": bracket, "afterCompaction": True}
            said(bracket, floor, median(partial(compose, sidecar, asked)))
            said(f"{bracket}, a new task each time", floor, median(partial(compose_anew, sidecar, asked)))
        if options.project is None:
            session = project / ".chati" / "session.yaml"

            def changed(number: int) -> None:
                session.write_text(f"{PROJECT['.chati/session.yaml']}turn: {number}\n", encoding="utf-8")
                sidecar.client.request("context/compose", {"cwd": str(project), "bracket": "FRESH"})

            said("FRESH, the session file changed", floor, median(changed))
        sidecar.close()


def compose(sidecar: MemorySidecar, asked: dict[str, object], _: int) -> None:
    """Asks for one block."""
    sidecar.client.request("context/compose", asked)


def compose_anew(sidecar: MemorySidecar, asked: dict[str, object], number: int) -> None:
    """Asks for the block of a task that was not asked for before."""
    task = f"Decide number {number} in {asked['bracket']} after a talk about the merits of what was decided before"
    sidecar.client.request("context/compose", {**asked, "task": task})


def made(project: Path, memories: int) -> Path:
    """Makes a project under the framework with so many shared memories, a tenth of them HOT."""
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


def said(what: str, floor: float, value: float) -> None:
    """Prints one figure, and whether it meets its target."""
    word = "meets" if value <= TARGET_MS else "MISSES"
    print(f"{what:<36}{value:8.3f} ms   {value / floor:5.1f} times a bare bracket   {word} {TARGET_MS:.0f} ms")


if __name__ == "__main__":
    main()
