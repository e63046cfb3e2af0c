"""JSON-RPC client for tests, over anything that accepts messages: an in-memory sidecar or a process."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from tests.support.inbox import PATIENCE_SECONDS, Inbox, Message
from tests.support.rpc_failures import RpcFailure


class Client:
    """Sends requests and notifications, and waits for responses by id."""

    def __init__(self, send: Callable[[bytes], None], inbox: Inbox, state_dir: Path) -> None:
        self.send = send
        self.inbox = inbox
        self.state_dir = state_dir
        self._ids = itertools.count(1)

    def start(self, method: str, params: Any = None, **envelope: Any) -> int:
        """Send a request and return its id without waiting."""
        request_id: int = envelope.pop("id", None) or next(self._ids)
        self.post({"jsonrpc": "2.0", "id": request_id, "method": method, **_with(params), **envelope})
        return request_id

    def post(self, message: Any) -> None:
        """Send any JSON value as one message."""
        self.send(orjson.dumps(message))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.post({"jsonrpc": "2.0", "method": method, **_with(params)})

    def cancel(self, request_id: object) -> None:
        """Request the cancellation of a request."""
        self.notify("$/cancelRequest", {"id": request_id})

    def answer(self, request_id: object, patience: float = PATIENCE_SECONDS) -> Message:
        """Wait for the response with an id and return it whole."""
        return self.inbox.wait_for_response(request_id, patience)

    def result(self, request_id: object, patience: float = PATIENCE_SECONDS) -> Any:
        """Wait for a result. Raise RpcFailure for an error."""
        answer = self.answer(request_id, patience)
        if "error" in answer:
            raise RpcFailure(answer["error"])
        return answer["result"]

    def request(self, method: str, params: Any = None, patience: float = PATIENCE_SECONDS) -> Any:
        """Send a request and return its result. Raise RpcFailure for an error."""
        return self.result(self.start(method, params), patience)

    def error(self, method: str, params: Any = None) -> RpcFailure:
        """Send a request that must fail and return its error."""
        try:
            result = self.request(method, params)
        except RpcFailure as failure:
            return failure
        raise AssertionError(f"{method} succeeded: {result!r:.200}")

    def initialize(self, **changes: Any) -> Any:
        """Do the handshake and wait until the methods are loaded; `changes` replace its params."""
        result = self.request("initialize", {**self.handshake(), **changes})
        self.request("settings/get", {})
        return result

    def handshake(self) -> dict[str, Any]:
        """Return the params of a valid `initialize`."""
        return {
            "protocolVersion": 1,
            "clientInfo": {"name": "test", "version": "1"},
            "stateDir": str(self.state_dir),
            "capabilities": {},
        }

    def wait_until_read(self) -> None:
        """Wait until everything sent before has been read (the stream is ordered)."""
        self.answer(self.start("ping"))

    def wait_for_notification(self, method: str) -> Any:
        """Wait for the first notification of a method and return its params."""
        return self.inbox.wait_for(lambda message: isinstance(message, dict) and message.get("method") == method)[
            "params"
        ]


def _with(params: Any) -> dict[str, Any]:
    return {} if params is None else {"params": params}
