"""Bytes → envelopes, with JSON-RPC 2.0's checks before any method is looked up; responses and exceptions → bytes.

This is the one place where an exception becomes a JSON-RPC error object.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from sidecar.core import json_text
from sidecar.core.errors import (
    MISSING,
    PARAMS,
    UNKNOWN,
    InternalError,
    InvalidParams,
    InvalidRequest,
    ParseError,
    SidecarError,
    TooLarge,
    loggable_name,
    nested_form,
    sentence_about,
)
from sidecar.core.lazy_regex import lazy_regex
from sidecar.rpc.framing import MAX_MESSAGE_BYTES, Refused

RequestId = str | int | float | None

MAX_BATCH = 256

MAX_DEPTH = 200
"""Maximum nesting of arrays and objects; orjson writes 254 levels, and stored values are nested inside others."""

_ORJSON_DEPTH = 254
_EXACT = 2**53
"""A larger number cannot be returned as an id exactly as the client wrote it."""


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


MAX_FIELD_ERRORS = 20


def error_object(error: SidecarError) -> dict[str, Any]:
    """Return `{code, message, data: {kind, hint?, …}}`."""
    data: dict[str, object] = {"kind": error.kind, **error.data}
    if error.hint:
        data["hint"] = error.hint
    return {"code": error.code, "message": error.message, "data": data}


def as_sidecar_error(error: BaseException, new_incident_id: Callable[[], str]) -> SidecarError:
    """Return the exception as one of ours; an unexpected one becomes an `InternalError` with an incident id."""
    if isinstance(error, SidecarError):
        return error
    incident_id = new_incident_id()
    return InternalError(
        f"Unexpected error (incident {incident_id}).",
        hint="The log contains the details under this incident id.",
        data={"incidentId": incident_id},
    )


def invalid_params(error: Any, method: str, members: Iterable[str]) -> InvalidParams:
    """Turn a pydantic ValidationError into sentences and a list of `{path, problem}`, without the values."""
    errors = error.errors(include_url=False, include_input=False)
    problems = [(_path(item["loc"]), _problem_of(item, members)) for item in errors[:MAX_FIELD_ERRORS]]
    return InvalidParams(
        sentence_about(problems, len(errors)),
        hint=f"METHODS.md lists the params of {method}.",
        data={"errors": [{"path": path, "problem": problem} for path, problem in problems]},
    )


def _path(steps: tuple[str | int, ...]) -> str:
    return ".".join(str(step) if isinstance(step, int) else loggable_name(step) for step in steps) or PARAMS


def _problem_of(item: Mapping[str, Any], members: Iterable[str]) -> str:
    """Return what is wrong as words that follow the path, such as "must be a whole number"."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "extra_forbidden" and "." in str(item["loc"][-1]):
        return UNKNOWN + nested_form(str(item["loc"][-1]))
    if kind == "extra_forbidden" and len(item["loc"]) == 1:
        import difflib  # rarely needed

        similar = difflib.get_close_matches(str(item["loc"][0]), list(members), 1, 0.75)
        return f"{UNKNOWN}; did you mean `{similar[0]}`" if similar else UNKNOWN
    if kind == "literal_error":
        return f"must be one of {', '.join(_QUOTED.findall(context['expected']))}"
    if kind in _SHORT and context["min_length"] == 1:
        return "must not be empty"
    if kind in _PROBLEMS:
        return _PROBLEMS[kind].format(
            **{name: value for name, value in context.items() if isinstance(value, int | float)}
        )
    problem: str = item["msg"]
    for prefix in ("Value error, ", "Input ", "String ", "List "):
        problem = problem.removeprefix(prefix)
    return problem.replace("should ", "must ", 1)


_QUOTED = lazy_regex(r"'([^']*)'")
_SHORT = ("string_too_short", "too_short")
_PROBLEMS = {
    "missing": MISSING,
    "extra_forbidden": UNKNOWN,
    "union_tag_invalid": "has an unknown kind",  # pydantic's own message contains the value
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
}
"""Problems by pydantic's type of error."""


def frames_of(error: BaseException) -> list[str]:
    """Return a traceback as `file:line function`, without messages and values, which may contain user text."""
    import traceback  # rarely needed and slow to import

    return [
        f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
