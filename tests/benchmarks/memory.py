"""Memory of the idle sidecar: resident size after everything is loaded.

    .venv/bin/python -m tests.benchmarks.memory

Target: at most 80 MB, printed beside an idle Python.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.programs import Conversation, frozen, row

RUNS = 5
SETTLE_SECONDS = 1.0


def resident_mb(pid: int) -> float:
    """Return a process's resident size in MB (10^6 bytes), including shared libraries."""
    if sys.platform == "linux":
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
        kib = next(line.split()[1] for line in lines if line.startswith("VmRSS:"))
    elif sys.platform == "win32":
        table = subprocess.check_output(["tasklist", "/fi", f"pid eq {pid}", "/fo", "csv", "/nh"], text=True)
        kib = "".join(char for char in table.split('","')[4] if char.isdigit())
    else:
        kib = subprocess.check_output(["ps", "-o", "rss=", "-p", str(pid)], text=True).strip()
    return int(kib) * 1024 / 1e6


def idle_mb(program: Path, state_dir: str) -> tuple[float, float]:
    """Return the resident size right after the handshake, and idle after everything is loaded."""
    running = Conversation([program, "serve"])
    running.initialize(state_dir)
    at_handshake = resident_mb(running.process.pid)
    running.send("settings/get", 1)
    running.line()
    time.sleep(SETTLE_SECONDS)
    idle = resident_mb(running.process.pid)
    running.end()
    return at_handshake, idle


def bare_mb() -> float:
    """Return the resident size of an idle Python."""
    waiting = [sys.executable, "-I", "-S", "-c", "print(1, flush=True); input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        size = resident_mb(process.pid)
        process.communicate(b"\n")
    return size


def main() -> None:
    """Measure several processes, one after another."""
    program = frozen()
    with tempfile.TemporaryDirectory() as state_dir:
        sizes = [idle_mb(program, state_dir) for _ in range(RUNS)]
    at_handshake, idle = (statistics.median(column) for column in zip(*sizes, strict=True))
    bare = statistics.median(bare_mb() for _ in range(RUNS))
    row("a Python that waits (floor)", bare, f"median of {RUNS}", "MB")
    row("sidecar, handshake answered", at_handshake, "", "MB")
    row("sidecar, idle, all loaded", idle, f"{idle / bare:.1f} times the floor (target 80 MB)", "MB")


if __name__ == "__main__":
    main()
