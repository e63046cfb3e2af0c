"""The programs that benchmarks compare, and the connection to them."""

import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import HERMETIC

ROOT = Path(__file__).resolve().parents[2]
NAME = "onecode-sidecar.exe" if sys.platform == "win32" else "onecode-sidecar"
FLOOR = "floor.exe" if sys.platform == "win32" else "floor"


def set_environment() -> None:
    """Measure with git's own defaults, and with compiled modules, which an installed program has."""
    os.environ.update(HERMETIC)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "sidecar", quiet=1)


def frozen() -> Path:
    """Return the frozen program, built if necessary."""
    subprocess.run([sys.executable, str(ROOT / "build" / "freeze.py")], check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".frozen" / "onecode-sidecar" / NAME


def printing_floor() -> Path:
    """Return a program that only prints one line, frozen with PyInstaller's defaults."""
    folder = ROOT / ".build" / f"floor-{sys.version_info.major}.{sys.version_info.minor}"
    program = folder / "dist" / "floor" / FLOOR
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "floor.py").write_text('print("ready")\n', encoding="utf-8")
        command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", "floor.py"]
        subprocess.run(command, cwd=folder, check=True)
    return program


def row(what: str, value: float, note: str, unit: str = "ms") -> None:
    """Print one figure."""
    print(f"{what:<36}{value:9.2f} {unit:<4} {note}")


def quiet_sidecar(state_dir: Path) -> MemorySidecar:
    """Return an in-process application whose log is not printed among the figures."""
    return MemorySidecar(state_dir, prints_log=False)


@contextmanager
def sidecar_on_clone(mirror: Path) -> Generator[tuple[MemorySidecar, Path]]:
    """Yield an active in-process application and a worktree of a repository, in which nothing is checked out yet."""
    with tempfile.TemporaryDirectory() as temporary:
        worktree = Path(temporary) / "worktree"
        clone = ("git", "clone", "-q", "--shared", "--no-checkout", str(mirror), str(worktree))
        subprocess.run(clone, check=True, capture_output=True)
        sidecar = quiet_sidecar(Path(temporary) / "state")
        try:
            sidecar.client.initialize(settings={"mode": "active"})
            yield sidecar, worktree
        finally:
            sidecar.close()
            shutil.rmtree(worktree, ignore_errors=True)


class Conversation:
    """A running program and its lines. It measures nothing itself."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self.started = time.perf_counter()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to, self._from = self.process.stdin, self.process.stdout

    def initialize(self, state_dir: str) -> None:
        """Do the handshake and return when it is answered."""
        client = {"name": "benchmark", "version": "1"}
        self.send("initialize", 0, {"protocolVersion": 1, "clientInfo": client, "stateDir": state_dir})
        assert b'"result"' in self.line()

    def send(self, method: str, request_id: int, params: Any = None) -> None:
        """Send one request."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()

    def line(self) -> bytes:
        """Wait for one line."""
        return self._from.readline()

    def since_start_ms(self) -> float:
        """Return the milliseconds since the program's start."""
        return (time.perf_counter() - self.started) * 1000

    def end(self) -> None:
        """Close the program's stdin and wait for its end."""
        self._to.close()
        self.process.wait(10)
        self._from.close()
