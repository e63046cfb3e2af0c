"""A sidecar in this process, for commands that run its methods: everything but the streams."""

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from sidecar.app import App
from sidecar.call import Process
from sidecar.core.clock import Clock
from sidecar.system.log import Log

ANSWER_SECONDS = 120.0


class RequestFailed(Exception):
    """The sidecar answered with an error, or not at all; the message is its sentence."""


class InProcess:
    """An application after its handshake, and the client that speaks to it, one request at a time."""

    def __init__(self, state_dir: Path, clock: Clock, settings: dict[str, Any]) -> None:
        """Opens the state folder; the user's own settings and environment do not count."""
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked = self._made = 0
        self._lock = threading.Lock()
        log = Log(clock, to_stderr=False)
        self.app = App(clock, self._new_id, self._take, {}, self._ended, enter=lambda _folder: None, log=log)
        said = {"protocolVersion": 1, "clientInfo": {"name": "onecode-sidecar", "version": "1"}}
        folders = {"stateDir": str(state_dir), "logDir": str(state_dir / "log")}
        self.request("initialize", {**said, **folders, "settings": settings})
        self.request("settings/get", {})  # is answered once everything is loaded

    @property
    def process(self) -> Process:
        """What the slices use."""
        assert self.app.process is not None
        return self.app.process

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Gives a method's result; raises RequestFailed."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        try:
            answer = self._answers.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise RequestFailed(f"{method} was not answered within {ANSWER_SECONDS:.0f} s.") from None
        if "error" in answer:
            raise RequestFailed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Sends a notification, and waits until it has been worked through."""
        self._send({"method": method, "params": params})
        self.app.lanes.drain(ANSWER_SECONDS * 1000)

    def close(self) -> None:
        """Ends the application as the end of stdin would."""
        self.app.close()
        self.app.log.close()

    def _send(self, message: dict[str, Any]) -> None:
        self.app.connection.receive(orjson.dumps({"jsonrpc": "2.0", **message}))

    def _take(self, payload: bytes) -> None:
        message = orjson.loads(payload)
        if "id" in message:
            self._answers.put(message)

    def _ended(self, _status: int, reason: str) -> None:
        self._answers.put({"error": {"message": f"the sidecar ended, because {reason}"}})

    def _new_id(self) -> str:
        with self._lock:
            self._made += 1
            return f"{self._made:012x}".ljust(32, "0")


@contextmanager
def in_process(state_dir: Path, clock: Clock, settings: dict[str, Any]) -> Iterator[InProcess]:
    """Opens a sidecar for a while."""
    opened = InProcess(state_dir, clock, settings)
    try:
        yield opened
    finally:
        opened.close()
