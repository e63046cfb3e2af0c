"""Start-up time: from the start to the answered handshake, and the responsiveness while the rest loads.

    .venv/bin/python -m tests.benchmarks.startup

Targets: at most 1.5 times a frozen program that only prints a line; everything loaded within 500 ms after the answer,
and no ping in the meantime takes 25 ms.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import Conversation, frozen, printing_floor, row

RUNS = 30
WATCHED_MS = 1_000
PAUSE_SECONDS = 0.002


class Warming(NamedTuple):
    """One start, observed until everything is loaded."""

    loaded_ms: float
    slowest_ping_ms: float


def printed_ms(program: Path) -> float:
    """Return the floor: milliseconds from the start to its line."""
    running = Conversation([program])
    running.line()
    took_ms = running.since_start_ms()
    running.end()
    return took_ms


def initialized_ms(program: Path, state_dir: str) -> float:
    """Return the milliseconds from the start to the answer of `initialize`."""
    running = Conversation([program, "serve"])
    running.initialize(state_dir)
    took_ms = running.since_start_ms()
    running.end()
    return took_ms


def warming(program: Path, state_dir: str) -> Warming:
    """Request the settings, which waits for all methods, and ping 2 ms after each answer."""
    running = Conversation([program, "serve"])
    running.initialize(state_dir)
    start = time.perf_counter()
    running.send("settings/get", 1)
    loaded_ms, pings = 0.0, []
    while (time.perf_counter() - start) * 1000 < WATCHED_MS:
        sent = time.perf_counter()
        running.send("ping", 2)
        while json.loads(running.line())["id"] != 2:
            loaded_ms = (time.perf_counter() - start) * 1000
        pings.append((time.perf_counter() - sent) * 1000)
        time.sleep(PAUSE_SECONDS)
    running.end()
    return Warming(loaded_ms, max(pings))


def main() -> None:
    """Measure both programs in turns, so that other load affects both."""
    parse_counts(__doc__)
    floor_program, program = printing_floor(), frozen()
    with tempfile.TemporaryDirectory() as state_dir:
        printed_ms(floor_program), initialized_ms(program, state_dir)
        pairs = [(printed_ms(floor_program), initialized_ms(program, state_dir)) for _ in range(RUNS)]
        warmings = [warming(program, state_dir) for _ in range(RUNS // 3)]
    floor, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
    loaded = [run.loaded_ms for run in warmings]
    slowest = [run.slowest_ping_ms for run in warmings]
    row("start, prints a line (floor)", floor, f"median of {RUNS}")
    row("start, `initialize` answered", ours, f"{ours / floor:.2f} times the floor (target 1.5)")
    row("loaded after the answer", statistics.median(loaded), f"at most {max(loaded):.1f} (target 500)")
    row("slowest ping while loading", statistics.median(slowest), f"at most {max(slowest):.1f} (target 25)")


if __name__ == "__main__":
    main()
