"""A small JSON-RPC client: starts the sidecar as 1Code does, with one message per line and one request at a time."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

ANSWER_SECONDS = 60.0
END_SECONDS = 5.0


class RequestFailed(Exception):
    """The sidecar returned an error, or did not answer."""


class Client:
    """A running, initialized sidecar."""

    def __init__(self, command: list[str], state_dir: Path, log_dir: Path) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._ids = 0
        pipe = subprocess.PIPE
        # The session uses its own settings, not the user's.
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ONECODE_")}
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=state_dir, env=clean
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.server: dict[str, Any] = self.request(
            "initialize",
            {
                "protocolVersion": 1,
                "clientInfo": {"name": "build/run.py", "version": "1"},
                "processId": os.getpid(),
                "stateDir": os.fspath(state_dir),
                "logDir": os.fspath(log_dir),
            },
        )
        self.request(
            "settings/get", {}
        )  # 1Code starts it seconds before the first prompt: everything is loaded by then

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and return its result. Raise RequestFailed."""
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        while True:
            try:
                line = self._lines.get(timeout=ANSWER_SECONDS)
            except queue.Empty:
                raise RequestFailed(f"{method} was not answered within {ANSWER_SECONDS:.0f} s.") from None
            if not line:
                raise RequestFailed(f"The sidecar ended with status {self._process.wait()} during {method}.")
            answer = json.loads(line)
            if answer.get("id") == self._ids:
                break
        if "error" in answer:
            raise RequestFailed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def close(self) -> int:
        """Shut the sidecar down as the protocol requires, and return its exit status."""
        if self._process.poll() is None:
            self.request("shutdown", {})
            self._send({"method": "exit"})
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(END_SECONDS)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise RequestFailed("The sidecar closed its input.") from error

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
