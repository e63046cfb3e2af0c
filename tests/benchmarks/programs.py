"""The programs that benchmarks compare, and how they are spoken to."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.memory import MemorySidecar

ROOT = Path(__file__).resolve().parents[2]
NAME = "onecode-sidecar.exe" if sys.platform == "win32" else "onecode-sidecar"
FLOOR = "floor.exe" if sys.platform == "win32" else "floor"


def frozen() -> Path:
    """Gives the frozen program, built if need be."""
    subprocess.run([sys.executable, str(ROOT / "build" / "freeze.py")], check=True, stdout=subprocess.DEVNULL)
    return ROOT / ".frozen" / "onecode-sidecar" / NAME


def printing_floor() -> Path:
    """Gives a program that prints one line and nothing else, frozen with PyInstaller's defaults."""
    folder = ROOT / ".build" / f"floor-{sys.version_info.major}.{sys.version_info.minor}"
    program = folder / "dist" / "floor" / FLOOR
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "floor.py").write_text('print("ready")\n', encoding="utf-8")
        command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", "floor.py"]
        subprocess.run(command, cwd=folder, check=True)
    return program


def row(what: str, value: float, said: str, unit: str = "ms") -> None:
    """Prints one measured figure."""
    print(f"{what:<36}{value:9.2f} {unit:<4} {said}")


def quiet_sidecar(state_dir: Path) -> MemorySidecar:
    """Makes an application in this process whose log is not printed among the figures."""
    return MemorySidecar(state_dir, prints_log=False)


class Conversation:
    """A running program and its lines; measures nothing itself."""

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
        """Does the handshake and returns when it is answered."""
        client = {"name": "benchmark", "version": "1"}
        self.send("initialize", 0, {"protocolVersion": 1, "clientInfo": client, "stateDir": state_dir})
        assert b'"result"' in self.line()

    def send(self, method: str, request_id: int, params: Any = None) -> None:
        """Sends one request."""
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()

    def line(self) -> bytes:
        """Waits for one line."""
        return self._from.readline()

    def since_start_ms(self) -> float:
        """Gives the milliseconds since the program was started."""
        return (time.perf_counter() - self.started) * 1000

    def end(self) -> None:
        """Closes the program's stdin and waits for its end."""
        self._to.close()
        self.process.wait(10)
        self._from.close()
