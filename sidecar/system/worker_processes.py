"""Worker processes: this program again, started with the name of the work, exchanging lines over its pipes.

A worker ends when its stdin does, so none outlives the process that started it. It runs at low priority.
`multiprocessing` is not used: the frozen program lacks its hooks.
"""

import importlib.util
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from sidecar.system.environment import NO_WINDOW, child_environment
from sidecar.system.safe_open import write_all

MAX_WORKERS = 8
POWER_SUPPLIES = Path("/sys/class/power_supply")
NICE = 10

_SOURCES = str(Path(__file__).resolve().parents[2])
_BELOW_NORMAL = 0x00004000 if sys.platform == "win32" else 0
_CHUNK_BYTES = 64 * 1024


class WorkerExited(Exception):
    """The worker ended before it had answered."""


def worker_count(*, uses_every_core: bool = False) -> int:
    """Return how many workers run at once: at most one per core, or one core less; one on battery power."""
    if sys.platform == "linux":
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    if cores > 1 and is_on_battery():
        return 1
    return max(1, min(MAX_WORKERS, cores if uses_every_core else cores - 1))


def is_on_battery() -> bool:
    """Whether the machine runs on battery power; False if that is unknown."""
    try:
        if sys.platform == "win32":
            import ctypes

            status = (ctypes.c_ubyte * 12)()  # SYSTEM_POWER_STATUS, which begins with ACLineStatus
            return bool(ctypes.windll.kernel32.GetSystemPowerStatus(status)) and status[0] == 0
        if sys.platform == "darwin":
            command = ["/usr/bin/pmset", "-g", "batt"]
            return b"'Battery Power'" in subprocess.run(command, capture_output=True, timeout=2, check=False).stdout
        states = [path.read_text().strip() for path in POWER_SUPPLIES.glob("BAT*/status")]
        return "Discharging" in states
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return False


def worker_command(work: str) -> list[str]:
    """Return the command that starts this program as a worker.

    `-P`: otherwise Python looks for modules in the current folder first, which may be anybody's repository.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, work]
    return [sys.executable, "-P", "-m", "sidecar", work]


class Worker:
    """The parent's end of one worker. Used by one thread; any thread may call `kill`."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the process; raise OSError if that fails."""
        extra = {} if getattr(sys, "frozen", False) else {"PYTHONPATH": _python_path()}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(extra),
            creationflags=NO_WINDOW | _BELOW_NORMAL,
        )
        self.pid = self._process.pid

    def request(self, line: bytes) -> Iterator[bytes]:
        """Send a line and yield the answer's lines up to an empty one; raise WorkerExited."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line + b"\n")
            stdin.flush()
            while (answer := stdout.readline()) != b"\n":
                if not answer.endswith(b"\n"):
                    raise WorkerExited
                yield answer
        except (OSError, ValueError) as error:
            raise WorkerExited from error

    def kill(self) -> None:
        """Kill the process immediately."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> int:
        """Kill the process, wait for it and return its exit status."""
        self.kill()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return status


def skip_public_face(package: str, *inner: str) -> None:
    """Let single modules of a package, and of packages in it, be imported without the names that they re-export.

    These import the whole slice, pydantic included: two thirds of a worker's start, for nothing that it needs.
    """
    for name in (package, *(f"{package}.{part}" for part in inner)):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)


def serve_lines(read_fd: int, write_fd: int, answer: Callable[[bytes], Iterator[bytes]]) -> NoReturn:
    """Run the worker's end: answer each line with lines and an empty one; exit when the input ends.

    A separate thread reads the input, so that its end is noticed during work.
    """
    _lower_priority()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(read_fd, requests), name="input", daemon=True).start()
    while True:
        for line in answer(requests.get()):
            _write(write_fd, line + b"\n")
        _write(write_fd, b"\n")


def _read_requests(fd: int, requests: "queue.SimpleQueue[bytes]") -> None:
    incomplete = b""
    while chunk := _read_chunk(fd):
        *lines, incomplete = (incomplete + chunk).split(b"\n")
        for line in lines:
            requests.put(line)
    os._exit(0)


def _read_chunk(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK_BYTES)
    except OSError:
        return b""


def _write(fd: int, payload: bytes) -> None:
    try:
        write_all(fd, payload)
    except OSError:
        os._exit(0)  # the reader is gone


def _lower_priority() -> None:
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(NICE)


def _python_path() -> str:
    current = child_environment().get("PYTHONPATH")
    return os.pathsep.join((_SOURCES, current)) if current else _SOURCES
