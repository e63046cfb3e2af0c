"""A sidecar in a process of its own, as 1Code starts it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from sidecar.rpc.framing import Framer, Framing, Refused, frame
from tests.support.client import Client
from tests.support.depth import is_thorough
from tests.support.inbox import PATIENCE_SECONDS, Inbox
from tests.support.memory_sidecar import empty_state
from tests.support.warm_process import start_python

ROOT = Path(__file__).resolve().parents[2]
SERVE = (sys.executable, "-m", "sidecar", "serve")
SERVE_WITH_ROWS = (sys.executable, "-m", "tests.support.serve_with_test_methods")
"""The same program with the methods of tests/support/misbehaving_methods.py added."""

DEAD_PID = 99_999_999
"""More than any system gives to a process."""

END_SECONDS = 20.0
"""Patience with a sidecar that must end: a busy machine takes a while, and what keeps one busy here takes a minute."""


class SidecarProcess:
    """A running sidecar. Its stdout goes to the inbox, its stderr is stored; `close` leaves nothing running."""

    def __init__(
        self,
        state_dir: Path,
        command: Sequence[str] = SERVE,
        environment: Mapping[str, str] | None = None,
        framing: Framing = Framing.LINES,
        *,
        cold: bool = False,
    ) -> None:
        """Starts with modules loaded and a new state file, or `cold`, as 1Code starts it."""
        if not cold and not is_thorough() and not state_dir.exists() and state_dir.parent.is_dir():
            shutil.copytree(empty_state(), state_dir)
        self.framing = framing
        self.inbox = Inbox()
        self.garbage: list[object] = []
        self._errors: list[bytes] = []
        self._errors_changed = threading.Condition()
        self.popen = (subprocess.Popen if cold else start_python)(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=state_dir.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        )
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self.stdin: IO[bytes] = self.popen.stdin
        self.stdout: IO[bytes] = self.popen.stdout
        self._threads = [
            threading.Thread(target=self._read_messages, args=(self.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self.popen.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self.client = Client(self.send, self.inbox, state_dir)

    def send(self, payload: bytes) -> None:
        """Write one message in this client's framing."""
        self.write(frame(payload, self.framing))

    def write(self, stream: bytes) -> None:
        """Write raw bytes."""
        self.stdin.write(stream)
        self.stdin.flush()

    def close_stdin(self) -> None:
        """End the stream to the sidecar."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the sidecar."""
        self.popen.send_signal(number)

    def wait(self, patience: float = END_SECONDS) -> int:
        """Wait for the end and return the exit status. Raise TimeoutExpired if it takes longer."""
        return self.popen.wait(patience)

    def stderr(self) -> bytes:
        """Return what was written to stderr; complete only after the end."""
        if self.popen.poll() is not None:
            self._threads[1].join(5)
        return b"".join(self._errors)

    def stderr_lines(self, content: bytes) -> list[bytes]:
        """Wait until a whole line on stderr contains some bytes, and return all such lines."""

        def matching_lines() -> list[bytes]:
            return [line for line in b"".join(self._errors).split(b"\n")[:-1] if content in line]

        with self._errors_changed:
            self._errors_changed.wait_for(matching_lines, PATIENCE_SECONDS)
            return matching_lines()

    def close(self) -> None:
        """End the process, by force if necessary, and close the streams."""
        self.close_stdin()
        try:
            self.popen.wait(5)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        for thread in self._threads:
            thread.join(5)
        for stream in (self.popen.stdout, self.popen.stderr):
            if stream is not None:
                stream.close()

    def _read_messages(self, stream: IO[bytes]) -> None:
        framer = Framer()
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(stream.fileno(), 65_536):
                for message in framer.feed(chunk):
                    self._take(message)
        self.inbox.close()

    def _take(self, message: bytes | Refused) -> None:
        try:
            assert isinstance(message, bytes)
            self.inbox.put(message)
        except (AssertionError, ValueError):
            self.garbage.append(message)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(stream.fileno(), 65_536):
                with self._errors_changed:
                    self._errors.append(chunk)
                    self._errors_changed.notify_all()
