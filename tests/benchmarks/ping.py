"""Round trip of `ping` as 1Code sees it, from Node, against a Python that only echoes its input.

    .venv/bin/python -m tests.benchmarks.ping

Target: at most twice the echo.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.arguments import parse_counts
from tests.benchmarks.programs import frozen, row

RUNS = 5
ROUNDS = 3_000
DRIVER = Path(__file__).with_name("ping.mjs")
ECHO = "import os\nwhile chunk := os.read(0, 65536): os.write(1, chunk)"


def round_trip_us(command: Sequence[str | Path], state_dir: str) -> float:
    """Return the median round trip in microseconds."""
    node = shutil.which("node")
    assert node is not None, "this benchmark needs Node"
    arguments = [node, str(DRIVER), str(ROUNDS), state_dir, *map(str, command)]
    times: list[float] = json.loads(subprocess.check_output(arguments, timeout=120))
    return statistics.median(times)


def main() -> None:
    """Measure in turns, so that other load affects all programs alike."""
    parse_counts(__doc__)
    commands: dict[str, Sequence[str | Path]] = {
        "echo in Python (floor)": [sys.executable, "-I", "-S", "-c", ECHO],
        "ping, frozen": [frozen(), "serve"],
        "ping, from source": [sys.executable, "-m", "sidecar", "serve"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as state_dir:
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(round_trip_us(command, state_dir))
    floor, *sidecar_medians = (statistics.median(medians) for medians in times.values())
    row(next(iter(commands)), floor, f"median of {RUNS} x {ROUNDS} round trips from Node", "us")
    for name, medians in zip(list(commands)[1:], sidecar_medians, strict=True):
        row(name, medians, f"{medians / floor:.2f} times the floor (target 2)", "us")


if __name__ == "__main__":
    main()
