"""How long a user waits for the sidecar: start to answered handshake, then how it stays responsive while it loads.

    .venv/bin/python -m tests.benchmarks.startup

Targets: at most 1.5 times a frozen program that only prints a line; all else loaded within 500 ms after the
answer, and no ping meanwhile takes 25 ms.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.programs import Conversation, frozen, printing_floor, row

RUNS = 30
WATCHED_MS = 1_000
PAUSE_SECONDS = 0.002


class Warming(NamedTuple):
    """One start, watched until everything is loaded."""

    loaded_ms: float
    slowest_ping_ms: float


def printed_ms(program: Path) -> float:
    """Times the floor: start to its line."""
    running = Conversation([program])
    running.line()
    took_ms = running.since_start_ms()
    running.end()
    return took_ms


def initialized_ms(program: Path, state_dir: str) -> float:
    """Times the sidecar: start to the answer of `initialize`."""
    running = Conversation([program, "serve"])
    running.initialize(state_dir)
    took_ms = running.since_start_ms()
    running.end()
    return took_ms


def warming(program: Path, state_dir: str) -> Warming:
    """Asks for the settings, which waits for all methods, and meanwhile pings 2 ms after each answer."""
    running = Conversation([program, "serve"])
    running.initialize(state_dir)
    began = time.perf_counter()
    running.send("settings/get", 1)
    loaded_ms, pings = 0.0, []
    while (time.perf_counter() - began) * 1000 < WATCHED_MS:
        sent = time.perf_counter()
        running.send("ping", 2)
        while json.loads(running.line())["id"] != 2:
            loaded_ms = (time.perf_counter() - began) * 1000
        pings.append((time.perf_counter() - sent) * 1000)
        time.sleep(PAUSE_SECONDS)
    running.end()
    return Warming(loaded_ms, max(pings))


def main() -> None:
    """Measures both programs in turns, so that what else the machine does hits both."""
    floor_program, program = printing_floor(), frozen()
    with tempfile.TemporaryDirectory() as state_dir:
        printed_ms(floor_program), initialized_ms(program, state_dir)
        pairs = [(printed_ms(floor_program), initialized_ms(program, state_dir)) for _ in range(RUNS)]
        warmings = [warming(program, state_dir) for _ in range(RUNS // 3)]
    floor, ours = (statistics.median(times) for times in zip(*pairs, strict=True))
    loaded = [one.loaded_ms for one in warmings]
    slowest = [one.slowest_ping_ms for one in warmings]
    row("start, prints a line (floor)", floor, f"median of {RUNS}")
    row("start, `initialize` answered", ours, f"{ours / floor:.2f} times the floor (target 1.5)")
    row("loaded after the answer", statistics.median(loaded), f"at most {max(loaded):.1f} (target 500)")
    row("slowest ping while loading", statistics.median(slowest), f"at most {max(slowest):.1f} (target 25)")


if __name__ == "__main__":
    main()
