"""A small JSON-RPC client: starts the sidecar as 1Code does, one line a message, one answer awaited at a time."""

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
    """The sidecar answered with an error, or not at all."""


class Client:
    """A running sidecar after its handshake."""

    def __init__(self, command: list[str], state_dir: Path, log_dir: Path) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._ids = 0
        pipe = subprocess.PIPE
        # The settings are those of the session, whatever the user has set for the real one.
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
        self.request("settings/get", {})  # 1Code starts it seconds before the first prompt: all is loaded by then

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Sends a request and gives its result; raises RequestFailed."""
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
        """Sends a notification, which has no answer."""
        self._send({"method": method, "params": params})

    def close(self) -> int:
        """Ends the sidecar as the standard asks, and gives its exit status."""
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
            raise RequestFailed("The sidecar does not read any more.") from error

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")
