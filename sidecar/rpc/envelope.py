"""Bytes → envelopes, with JSON-RPC 2.0's checks before any method is looked up; responses and exceptions → bytes.

This is the one place where an exception becomes a JSON-RPC error object.
"""

import errno
import threading
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, NamedTuple

from sidecar.core import json_text
from sidecar.core.errors import (
    InternalError,
    InvalidParams,
    InvalidRequest,
    ParseError,
    SidecarError,
    TooLarge,
    out_of_memory,
    sentence_about,
)
from sidecar.rpc.framing import MAX_MESSAGE_BYTES, Refused

RequestId = str | int | float | None

MAX_BATCH = 256

MAX_DEPTH = 200
"""Maximum nesting of arrays and objects; orjson writes 254 levels, and stored values are nested inside others."""

_ORJSON_DEPTH = 254
_EXACT = 2**53
"""A larger fractional number cannot be returned as an id exactly as the client wrote it; a whole one can."""


class Request(NamedTuple):
    """A call that expects a response under `id`."""

    id: RequestId
    method: str
    params: Any


class Notice(NamedTuple):
    """A notification: it gets no response."""

    method: str
    params: Any


class Invalid(NamedTuple):
    """A message that is answered with an error; `id` is None if none could be read."""

    id: RequestId
    error: SidecarError


class Batch(NamedTuple):
    """A non-empty array of envelopes, answered by one array."""

    items: tuple["Request | Notice | Invalid", ...]


Envelope = Request | Notice | Invalid


def parse(message: bytes) -> Envelope | Batch | None:
    """Parse one message; None for a response, because this side sends no requests."""
    try:
        value = json_text.loads(message)
    except (ValueError, RecursionError) as error:
        reason = str(error).split(": ")[0]
        return Invalid(
            None, ParseError(f"The message is not JSON: {reason}.", hint="Send one JSON-RPC message in UTF-8.")
        )
    except MemoryError:
        return Invalid(None, out_of_memory())
    if message.count(b"[") + message.count(b"{") > MAX_DEPTH and _is_too_deep(value):
        return Invalid(None, ParseError(f"The message is nested deeper than {MAX_DEPTH} levels."))
    if not isinstance(value, list):
        return _envelope(value)
    if not value:
        return Invalid(None, InvalidRequest("The batch is empty."))
    if len(value) > MAX_BATCH:
        return Invalid(None, InvalidRequest(f"The batch has {len(value)} messages; the maximum is {MAX_BATCH}."))
    items = tuple(item for item in map(_envelope, value) if item is not None)
    return Batch(items) if items else None


def _is_too_deep(value: object) -> bool:
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH):
        value = [value]
    try:
        json_text.dumps(value)
    except TypeError:
        return True
    return False


def _envelope(value: object) -> Envelope | None:
    if not isinstance(value, dict):
        return Invalid(None, InvalidRequest("A JSON-RPC message must be an object."))
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, (str, int, float, type(None))):
        return Invalid(None, InvalidRequest("`id` must be a string, a number or null."))
    if isinstance(request_id, float) and abs(request_id) > _EXACT:
        return Invalid(None, InvalidRequest("`id` is a number that cannot be returned exactly.", hint="Use a string."))
    if "method" not in value and ("result" in value or "error" in value):
        return None
    problem = _problem(value)
    if problem:
        return Invalid(request_id, InvalidRequest(problem))
    params = value.get("params", {})
    if "id" not in value:
        return Notice(value["method"], params)
    return Request(request_id, value["method"], params)


def _problem(value: dict[str, Any]) -> str | None:
    if value.get("jsonrpc") != "2.0":
        return '`jsonrpc` must be "2.0".'
    if not isinstance(value.get("method"), str):
        return "`method` must be a string."
    if not isinstance(value.get("params", {}), (dict, list)):
        return "`params` must be an object or an array."
    return None


Body = dict[str, Any]

_ROOM_FOR_ERRORS = 256 * 1024
"""Bytes of a batch response that are reserved for the errors of members that no longer fit."""


def response(request_id: RequestId, body: Body, limit_bytes: int = MAX_MESSAGE_BYTES) -> bytes:
    """Return the response with `body`, or with an error if that is too large or cannot be written as JSON."""
    try:
        payload = json_text.dumps({"jsonrpc": "2.0", "id": request_id, **body})
    except TypeError:
        problem: SidecarError = InternalError("The response cannot be written as JSON.")
    except MemoryError:
        problem = out_of_memory()
    else:
        if len(payload) <= limit_bytes:
            return payload
        problem = _too_large("The response")
    return json_text.dumps({"jsonrpc": "2.0", "id": request_id, "error": error_object(problem)})


class BatchResponse:
    """Collects a batch's responses and sends them as one array with the last one."""

    def __init__(self, expected: int, send: Callable[[bytes], None]) -> None:
        self.answered_ids: set[RequestId] = set()
        """Ids of answered members: they stay taken until the array is sent."""
        self._expected = expected
        self._send = send
        self._lock = threading.Lock()
        self._responses: list[bytes] = []
        self._bytes = 0

    def add(self, request_id: RequestId, body: Body) -> None:
        """Add one member's response."""
        with self._lock:
            member = response(request_id, body, MAX_MESSAGE_BYTES - _ROOM_FOR_ERRORS - self._bytes)
            self._responses.append(member)
            self._bytes += len(member) + 1
            if len(self._responses) < self._expected:
                return
        self._send(b"[" + b",".join(self._responses) + b"]")


def refusal(refused: Refused) -> SidecarError:
    """Return the error for bytes that are not a message."""
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


def error_object(error: SidecarError) -> dict[str, Any]:
    """Return `{code, message, data: {kind, hint?, …}}`."""
    data: dict[str, object] = {"kind": error.kind, **error.data}
    if error.hint:
        data["hint"] = error.hint
    return {"code": error.code, "message": error.message, "data": data}


def as_sidecar_error(error: BaseException, new_incident_id: Callable[[], str]) -> SidecarError:
    """Return the exception as one of ours; an unexpected one becomes an `InternalError`, a lack of memory a `Busy`.

    Either has an incident id, under which the log has its place.
    """
    if isinstance(error, SidecarError):
        return error
    incident_id = new_incident_id()
    if _is_out_of_memory(error):
        busy = out_of_memory()
        busy.data["incidentId"] = incident_id
        return busy
    return InternalError(
        f"An unexpected error occurred (incident {incident_id}).",
        hint="The log contains the details under this incident id.",
        data={"incidentId": incident_id},
    )


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether the system refused memory: for an object, a process, or the stack of a thread."""
    is_thread_refused = isinstance(error, RuntimeError) and str(error) == "can't start new thread"
    return isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM or is_thread_refused


def invalid_params(error: Any, method: str, members: Iterable[str]) -> InvalidParams:
    """Turn a pydantic ValidationError into sentences and a list of `{path, problem}`, without the values."""
    from sidecar.core.wire_types import param_problems  # loads pydantic, which a handshake does without

    problems = param_problems(error, members)
    return InvalidParams(
        sentence_about(problems, error.error_count()),
        hint=f"METHODS.md lists the params of {method}.",
        data={"errors": [{"path": path, "problem": problem} for path, problem in problems]},
    )


def frames_of(error: BaseException) -> list[str]:
    """Return a traceback as `file:line function`, without messages and values, which may contain user text."""
    import traceback  # rarely needed and slow to import

    return [
        f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
