"""A sidecar in this process, for commands that call its methods: everything but the streams."""

import queue
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from sidecar.app import App, random_id
from sidecar.call import Process
from sidecar.cli.output import CommandFailed, hint_of_command_line, terminal_safe
from sidecar.core.clock import Clock, SystemClock
from sidecar.method import Catalog
from sidecar.system.environment import environment
from sidecar.system.log import Log

ANSWER_SECONDS = 120.0
POLL_SECONDS = 0.2


class RequestFailed(CommandFailed):
    """The sidecar answered with an error, or not at all. As text it also names the method."""

    def __init__(self, method: str, message: str, data: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.data = data or {}
        kind, hint = str(self.data.get("kind", "noAnswer")), hint_of_command_line(str(self.data.get("hint", "")))
        super().__init__(message, kind=kind, hint=hint)

    def __str__(self) -> str:
        """Return the method and the message."""
        return f"{self.method}: {self.message}"


class InProcess:
    """An initialized application and its client, which sends one request at a time."""

    def __init__(
        self,
        state_dir: Path,
        clock: Clock,
        settings: dict[str, Any],
        new_id: Callable[[], str],
        variables: Mapping[str, str],
        notices: Callable[[str, Any], None] | None = None,
        load_catalog: Callable[[], Catalog] | None = None,
    ) -> None:
        """Open the state folder; `variables` is the environment for settings.

        `notices` receives each notification's method and params, on any thread. `load_catalog` returns the methods;
        the default is all of them.
        """
        self._notices = notices
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._request_count = 0
        log = Log(clock, to_stderr=False)
        self.app = App(
            clock,
            new_id,
            self._receive,
            variables,
            self._ended,
            enter=lambda _folder: None,
            load_catalog=load_catalog,
            log=log,
        )
        handshake = {"protocolVersion": 1, "clientInfo": {"name": "onecode-sidecar", "version": "1"}}
        folders = {"stateDir": str(state_dir), "logDir": str(state_dir / "log")}
        try:
            opened = self.request("initialize", {**handshake, **folders, "settings": settings})
            self.warnings: list[str] = opened["state"]["warnings"]
            self.request("settings/get", {})  # answered once everything is loaded
        except BaseException:
            self.close()
            raise

    @property
    def process(self) -> Process:
        """The slices' process object."""
        assert self.app.process is not None
        return self.app.process

    def request(self, method: str, params: dict[str, Any], patience: float | None = ANSWER_SECONDS) -> Any:
        """Return a method's result; raise RequestFailed. With `patience` None it waits without limit."""
        self._request_count += 1
        try:
            self._send({"id": self._request_count, "method": method, "params": params})
        except TypeError as error:  # of orjson, for bytes of an argument or path that Python could not decode
            problem = {"kind": "invalidParams", "hint": "Use UTF-8 names, and a locale such as C.UTF-8."}
            raise RequestFailed(method, "An argument or a path is not UTF-8 text.", problem) from error
        try:
            answer = self._answers.get(timeout=patience) if patience is not None else self._next_answer()
        except queue.Empty:
            raise RequestFailed(method, f"There was no answer within {patience:.0f} s.") from None
        if "error" in answer:
            raise RequestFailed(method, answer["error"]["message"], answer["error"].get("data"))
        return answer["result"]

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification, and wait until it is processed."""
        self._send({"method": method, "params": params})
        self.app.scheduler.drain(ANSWER_SECONDS * 1000)

    def close(self) -> None:
        """End the application, as the end of stdin would."""
        self.app.close()
        self.app.log.close()

    def _send(self, message: dict[str, Any]) -> None:
        self.app.connection.receive(orjson.dumps({"jsonrpc": "2.0", **message}))

    def _next_answer(self) -> Any:
        while True:  # in intervals, because on Windows a waiting thread receives no signals
            with suppress(queue.Empty):
                return self._answers.get(timeout=POLL_SECONDS)

    def _receive(self, payload: bytes) -> None:
        message = orjson.loads(payload)
        if "id" in message:
            self._answers.put(message)
        elif self._notices is not None:
            self._notices(message["method"], message["params"])

    def _ended(self, _status: int, reason: str) -> None:
        self._answers.put({"error": {"message": f"The sidecar ended: {reason}."}})


@contextmanager
def in_process(
    state_dir: Path, clock: Clock, settings: dict[str, Any], new_id: Callable[[], str] = random_id
) -> Generator[InProcess]:
    """Open a sidecar on a state folder of its own; the environment does not count."""
    with _open(InProcess(state_dir, clock, settings, new_id, {})) as opened:
        yield opened


@contextmanager
def on_users_state(
    state_dir: Path,
    *,
    variables: Mapping[str, str] | None = None,
    notices: Callable[[str, Any], None] | None = None,
    load_catalog: Callable[[], Catalog] | None = None,
) -> Generator[InProcess]:
    """Open a sidecar on the state that the app's own uses too, with the user's settings and environment.

    Settings that the app passes only to `initialize` are unknown here. `variables` override the environment's.
    Warnings, such as that a damaged state file was set aside, are printed on stderr.
    """
    own = {**environment(), **(variables or {})}
    with _open(InProcess(state_dir, SystemClock(), {}, random_id, own, notices, load_catalog)) as opened:
        opened.process.is_command_line = True
        for warning in opened.warnings:
            print(terminal_safe(f"warning: {warning}"), file=sys.stderr)
        yield opened


@contextmanager
def _open(opened: InProcess) -> Generator[InProcess]:
    try:
        yield opened
    finally:
        opened.close()
