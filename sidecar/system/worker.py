"""Worker processes: this program once more, with the name of the work, spoken to in lines over its pipes.

A worker ends when its stdin does, so none outlives the process that started it, however that ended. It works at low
priority. `multiprocessing` is not used: the frozen program has none of its hooks.
"""

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from sidecar.system.environment import for_child

MAX_WORKERS = 8
NICE = 10

_SOURCES = str(Path(__file__).resolve().parents[2])
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0
_BELOW_NORMAL = 0x00004000 if sys.platform == "win32" else 0
_CHUNK_BYTES = 64 * 1024


class WorkerGone(Exception):
    """The worker ended before it had answered."""


def worker_count() -> int:
    """Says how many workers leave one core free; at least one."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(MAX_WORKERS, cores - 1))


def from_source() -> list[str]:
    """Gives the words that start this program where it is not frozen.

    `-P`: else Python looks for modules in the folder one stands in first, which may be anybody's repository.
    """
    return [sys.executable, "-P", "-m", "sidecar"]


def command_of(work: str) -> list[str]:
    """Gives the command that starts this program as a worker."""
    if getattr(sys, "frozen", False):
        return [sys.executable, work]
    return [*from_source(), work]


class Worker:
    """The parent's end of one worker. Used by one thread; `kill` may be called by any."""

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it; raises OSError where no process can be started."""
        extra = {} if getattr(sys, "frozen", False) else {"PYTHONPATH": _python_path()}
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=for_child(extra),
            creationflags=_NO_WINDOW | _BELOW_NORMAL,
        )
        self.pid = self._process.pid

    def ask(self, line: bytes) -> Iterator[bytes]:
        """Sends a line and yields the answer's lines up to an empty one; raises WorkerGone."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line + b"\n")
            stdin.flush()
            while (answer := stdout.readline()) != b"\n":
                if not answer.endswith(b"\n"):
                    raise WorkerGone
                yield answer
        except (OSError, ValueError) as error:
            raise WorkerGone from error

    def kill(self) -> None:
        """Ends it at once."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> int:
        """Ends it, waits for that, and gives its exit status."""
        self.kill()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return status


def serve_lines(read_fd: int, write_fd: int, answer: Callable[[bytes], Iterator[bytes]]) -> NoReturn:
    """The worker's end: answers each line with lines and an empty one, and ends the process with its input.

    A thread of its own waits for the input, so that the end is noticed also while work is done.
    """
    _lower_priority()
    asked: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(read_fd, asked), name="input", daemon=True).start()
    while True:
        for line in answer(asked.get()):
            _write(write_fd, line + b"\n")
        _write(write_fd, b"\n")


def _read(fd: int, asked: "queue.SimpleQueue[bytes]") -> None:
    rest = b""
    while chunk := _chunk(fd):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            asked.put(line)
    os._exit(0)


def _chunk(fd: int) -> bytes:
    try:
        return os.read(fd, _CHUNK_BYTES)
    except OSError:
        return b""


def _write(fd: int, payload: bytes) -> None:
    view = memoryview(payload)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError:
        os._exit(0)  # nobody reads any more


def _lower_priority() -> None:
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(NICE)


def _python_path() -> str:
    before = for_child().get("PYTHONPATH")
    return os.pathsep.join((_SOURCES, before)) if before else _SOURCES
