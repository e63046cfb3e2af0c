"""A sidecar in this process, for commands that run its methods: everything but the streams."""

import queue
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from sidecar.app import App
from sidecar.call import Process
from sidecar.catalog import Rows
from sidecar.cli.errors import CommandFailed
from sidecar.cli.ids import random_id
from sidecar.core.clock import Clock, SystemClock
from sidecar.system.environment import environment
from sidecar.system.log import Log

ANSWER_SECONDS = 120.0
TURN_SECONDS = 0.2


class RequestFailed(CommandFailed):
    """The sidecar answered with an error, or not at all; as text it names the method too."""

    def __init__(self, method: str, message: str, data: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.data = data or {}
        kind, hint = str(self.data.get("kind", "noAnswer")), str(self.data.get("hint", ""))
        super().__init__(message, kind=kind, hint=hint)

    def __str__(self) -> str:
        """Gives the method and what went wrong."""
        return f"{self.method}: {self.message}"


class InProcess:
    """An application after its handshake, and the client that speaks to it, one request at a time."""

    def __init__(
        self,
        state_dir: Path,
        clock: Clock,
        settings: dict[str, Any],
        new_id: Callable[[], str],
        variables: Mapping[str, str],
        notices: Callable[[str, Any], None] | None = None,
        rows: Callable[[], Rows] | None = None,
    ) -> None:
        """Opens the state folder; `variables` are the environment whose settings count.

        `notices` is called with each notification's method and params, from whatever thread sends it. `rows` gives the
        methods that are loaded: all unless given.
        """
        self._notices = notices
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._asked = 0
        log = Log(clock, to_stderr=False)
        self.app = App(
            clock, new_id, self._take, variables, self._ended, enter=lambda _folder: None, rows=rows, log=log
        )
        said = {"protocolVersion": 1, "clientInfo": {"name": "onecode-sidecar", "version": "1"}}
        folders = {"stateDir": str(state_dir), "logDir": str(state_dir / "log")}
        try:
            self.request("initialize", {**said, **folders, "settings": settings})
            self.request("settings/get", {})  # is answered once everything is loaded
        except BaseException:
            self.close()
            raise

    @property
    def process(self) -> Process:
        """What the slices use."""
        assert self.app.process is not None
        return self.app.process

    def request(self, method: str, params: dict[str, Any], patience: float | None = ANSWER_SECONDS) -> Any:
        """Gives a method's result, however long it takes where `patience` is None; raises RequestFailed."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        try:
            answer = self._answers.get(timeout=patience) if patience is not None else self._next_answer()
        except queue.Empty:
            raise RequestFailed(method, f"It was not answered within {patience:.0f} s.") from None
        if "error" in answer:
            raise RequestFailed(method, answer["error"]["message"], answer["error"].get("data"))
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

    def _next_answer(self) -> Any:
        while True:  # in turns, because on Windows no signal is taken while a thread waits
            with suppress(queue.Empty):
                return self._answers.get(timeout=TURN_SECONDS)

    def _take(self, payload: bytes) -> None:
        message = orjson.loads(payload)
        if "id" in message:
            self._answers.put(message)
        elif self._notices is not None:
            self._notices(message["method"], message["params"])

    def _ended(self, _status: int, reason: str) -> None:
        self._answers.put({"error": {"message": f"the sidecar ended, because {reason}"}})


@contextmanager
def in_process(
    state_dir: Path, clock: Clock, settings: dict[str, Any], new_id: Callable[[], str] = random_id
) -> Iterator[InProcess]:
    """Open a sidecar on a state folder of its own; the environment does not count."""
    with _open(InProcess(state_dir, clock, settings, new_id, {})) as opened:
        yield opened


@contextmanager
def on_users_state(
    state_dir: Path,
    *,
    variables: Mapping[str, str] | None = None,
    notices: Callable[[str, Any], None] | None = None,
    rows: Callable[[], Rows] | None = None,
) -> Iterator[InProcess]:
    """Opens a sidecar on the state that the app's own works on too, with the user's settings and environment.

    What the app sets by `initialize` alone is not known here. `variables` win over the environment's.
    """
    own = {**environment(), **(variables or {})}
    with _open(InProcess(state_dir, SystemClock(), {}, random_id, own, notices, rows)) as opened:
        opened.process.is_command_line = True
        yield opened


@contextmanager
def _open(opened: InProcess) -> Iterator[InProcess]:
    try:
        yield opened
    finally:
        opened.close()
