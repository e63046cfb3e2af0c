"""Memory of the sidecar: resident size after everything is loaded, and its growth over many turns.

    .venv/bin/python -m tests.benchmarks.memory
    .venv/bin/python -m tests.benchmarks.memory --turns 30000 [--files 400] [--seed 1]

Idle: at most 80 MB, printed beside an idle Python. With --turns a process from source plays conversations in one
repository, with edits, commits, searches and memories; after turn 3,000 it grows by at most 5 MB.
"""

import argparse
import itertools
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.programs import Conversation, frozen, row, set_environment
from tests.benchmarks.synthetic import synthetic
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository

RUNS = 5
SETTLE_SECONDS = 1.0
WARM_TURNS, MAX_GROWTH_MB = 3_000, 5.0
CHATS, TURNS_OF_A_CHAT = 8, 30
EDITED_LINES = 200
"""Number of lines that an edited file has at most."""


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


class Player:
    """Plays conversations in one repository; the same seed plays the same."""

    def __init__(self, client: Any, repository: Repository, seed: int) -> None:
        self.client, self.repository = client, repository
        self.random = random.Random(seed)
        self.files = [path for path in sorted(repository.path.rglob("*.py")) if ".git" not in path.parts]
        self.texts = {path: path.read_text(encoding="utf-8").split("\n")[:EDITED_LINES] for path in self.files}
        """Each edit starts from a file's first text: otherwise the repository would grow, and its index with it."""
        self.words = sorted({word for path in self.files for word in path.stem.split("_")})
        self.numbers = itertools.count(1)

    def turn(self) -> None:
        """Play one turn of one of the current chats: pre-run, an edit, post-run; at times a search or a memory."""
        number = next(self.numbers)
        chat = f"chat-{number % CHATS}-{number // (CHATS * TURNS_OF_A_CHAT)}"
        path, provider = self.random.choice(self.files), "codex" if number % 2 else "claude"
        session = {"id": f"s-{chat}", "willResume": True, "isFork": False}
        prompt = f"Correct {' '.join(self.random.sample(self.words, 4))} in {path.relative_to(self.repository.path)}"
        common = {
            "runId": f"run-{number}", "subChatId": chat, "provider": provider, "mode": "agent",
            "cwd": str(self.repository.path), "prompt": prompt,
        }  # fmt: skip
        pack = self.client.request("continuity/preRun", {**common, "session": session, "deadlineMs": 20_000})
        parts = [self._edit(path, number)] if self.random.random() < 0.7 else []
        text = f"I changed {path.name}. We keep {self.random.choice(self.words)} because it is number {number}."
        moments = {"startedAt": "2026-03-01T09:30:00.000Z", "finishedAt": "2026-03-01T09:31:00.000Z"}
        self.client.request(
            "continuity/postRun",
            {
                **common, **moments, "deliveryToken": pack["deliveryToken"], "outcome": "completed",
                "session": {"before": session["id"], "after": session["id"]},
                "assistant": {"text": text, "parts": parts},
            },
        )  # fmt: skip
        here = {"cwd": str(self.repository.path)}
        if number % 10 == 0:
            query = " ".join(self.random.sample(self.words, 3))
            self.client.request("codebase/search", {**here, "query": query})
            self.client.request("memory/search", {**here, "query": query})
        if number % 100 == 0:
            self.client.request("memory/add", {**here, "text": f"Number {number} is {self.random.randrange(10**9)}."})
        if number % 25 == 0:
            self.repository.git("commit", "--quiet", "--all", "--message", f"Change {path.stem}", "--allow-empty")

    def _edit(self, path: Path, number: int) -> dict[str, Any]:
        lines = list(self.texts[path])
        lines[self.random.randrange(3, len(lines))] = f"changed_{self.random.choice(self.words)} = {number}"
        path.write_text("\n".join(lines), encoding="utf-8")
        call = {"type": "tool-Write", "toolCallId": f"call-{number}", "state": "result"}
        return {**call, "input": {"file_path": str(path)}, "output": {}}


def play(turns: int, files: int, seed: int) -> bool:
    """Play many turns in one process, print its size, and return whether it grew too much."""
    set_environment()
    with tempfile.TemporaryDirectory(prefix="memory-") as folder:
        repository = synthetic(Path(folder), files, seed)
        process = SidecarProcess(Path(folder) / "state", cold=True)
        process.client.initialize(settings={"mode": "active"})
        player = Player(process.client, repository, seed)
        warm: list[float] = []
        for number in range(1, turns + 1):
            player.turn()
            if number % 500 == 0:
                size = resident_mb(process.popen.pid)
                warm += [size] if number >= WARM_TURNS else []
                row(f"after {number} turns", size, "", "MB")
        process.close()
    growth = max(warm, default=0.0) - warm[0] if warm else 0.0
    row(f"growth after turn {WARM_TURNS}", growth, f"target {MAX_GROWTH_MB} MB", "MB")
    return growth > MAX_GROWTH_MB


def main() -> int:
    """Measure several processes, one after another; with --turns, one process over many turns."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.turns:
        return play(options.turns, options.files, options.seed)
    program = frozen()
    with tempfile.TemporaryDirectory() as state_dir:
        sizes = [idle_mb(program, state_dir) for _ in range(RUNS)]
    at_handshake, idle = (statistics.median(column) for column in zip(*sizes, strict=True))
    bare = statistics.median(bare_mb() for _ in range(RUNS))
    row("a Python that waits (floor)", bare, f"median of {RUNS}", "MB")
    row("sidecar, handshake answered", at_handshake, "", "MB")
    row("sidecar, idle, all loaded", idle, f"{idle / bare:.1f} times the floor (target 80 MB)", "MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
