"""From an answer's body to the bytes of a response, single or in a batch; never larger than a message may be."""

import threading
from collections.abc import Callable
from typing import Any

from sidecar.core import json_text
from sidecar.core.errors import InternalError, InvalidRequest, ParseError, SidecarError, TooLarge
from sidecar.rpc.envelope import RequestId
from sidecar.rpc.framing import MAX_MESSAGE_BYTES, Refused
from sidecar.rpc.wire_errors import error_object

Body = dict[str, Any]

_ROOM_FOR_ERRORS = 256 * 1024
"""What a batch keeps free, so that the answers that no longer fit can still say so."""


def response(request_id: RequestId, body: Body, limit_bytes: int = MAX_MESSAGE_BYTES) -> bytes:
    """Gives the response with `body`, or with an error where that is too large or cannot be written as JSON."""
    try:
        payload = json_text.dumps({"jsonrpc": "2.0", "id": request_id, **body})
    except TypeError:
        problem: SidecarError = InternalError("The answer cannot be written as JSON.")
    else:
        if len(payload) <= limit_bytes:
            return payload
        problem = _too_large("The answer")
    return json_text.dumps({"jsonrpc": "2.0", "id": request_id, "error": error_object(problem)})


class Gathered:
    """Collects a batch's answers and sends them as one array when the last one is there."""

    def __init__(self, awaited: int, send: Callable[[bytes], None]) -> None:
        self._awaited = awaited
        self._send = send
        self._lock = threading.Lock()
        self._answers: list[bytes] = []
        self._bytes = 0

    def slot(self, request_id: RequestId) -> Callable[[Body], None]:
        """Gives the function that takes one member's answer."""
        return lambda body: self._add(request_id, body)

    def _add(self, request_id: RequestId, body: Body) -> None:
        with self._lock:
            answer = response(request_id, body, MAX_MESSAGE_BYTES - _ROOM_FOR_ERRORS - self._bytes)
            self._answers.append(answer)
            self._bytes += len(answer) + 1
            if len(self._answers) < self._awaited:
                return
        self._send(b"[" + b",".join(self._answers) + b"]")


def refusal(refused: Refused) -> SidecarError:
    """Says what was wrong with bytes that are no message."""
    match refused:
        case Refused.TOO_LARGE:
            return _too_large("The message")
        case Refused.CUT_OFF:
            return ParseError("The stream ended within a message.")
        case Refused.BAD_HEADER:
            return InvalidRequest(
                "The header has no usable Content-Length.", hint="Send `Content-Length: N`, an empty line, N bytes."
            )


def _too_large(what: str) -> TooLarge:
    return TooLarge(
        f"{what} is larger than {MAX_MESSAGE_BYTES // 2**20} MiB.",
        hint="Send less at once.",
        data={"limitBytes": MAX_MESSAGE_BYTES},
    )
