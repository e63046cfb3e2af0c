"""Bytes → envelopes: what JSON-RPC 2.0 asks of a message before any method is looked up. Pure."""

from typing import Any, NamedTuple

from sidecar.core import json_text
from sidecar.core.errors import InvalidRequest, ParseError, SidecarError

RequestId = str | int | float | None

MAX_BATCH = 256

MAX_DEPTH = 200
"""How deep arrays and objects may be nested; orjson writes 254 levels, and stored values stand inside others."""

_ORJSON_DEPTH = 254
_EXACT = 2**53
"""Beyond it a number is not what the client wrote any more, so it cannot come back as an id."""


class Request(NamedTuple):
    """A call that wants an answer under `id`."""

    id: RequestId
    method: str
    params: Any


class Notice(NamedTuple):
    """A notification: no answer, whatever happens."""

    method: str
    params: Any


class Invalid(NamedTuple):
    """Something that has to be answered with an error; `id` is None where none could be read."""

    id: RequestId
    error: SidecarError


class Batch(NamedTuple):
    """A non-empty array of envelopes, answered by one array."""

    items: tuple["Request | Notice | Invalid", ...]


Envelope = Request | Notice | Invalid


def parse(message: bytes) -> Envelope | Batch | None:
    """Reads one message; None for a response, of which this side awaits none."""
    try:
        value = json_text.loads(message)
    except (ValueError, RecursionError) as error:
        reason = str(error).split(": ")[0]
        return Invalid(
            None, ParseError(f"The message is not JSON: {reason}.", hint="Send one JSON-RPC message in UTF-8.")
        )
    if _is_too_deep(message, value):
        return Invalid(None, ParseError(f"The message is nested deeper than {MAX_DEPTH} levels."))
    if not isinstance(value, list):
        return _envelope(value)
    if not value:
        return Invalid(None, InvalidRequest("The batch is empty."))
    if len(value) > MAX_BATCH:
        return Invalid(None, InvalidRequest(f"The batch holds {len(value)} messages; at most {MAX_BATCH} are taken."))
    items = tuple(item for item in map(_envelope, value) if item is not None)
    return Batch(items) if items else None


def _is_too_deep(message: bytes, value: object) -> bool:
    if message.count(b"[") + message.count(b"{") <= MAX_DEPTH:
        return False
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH):
        value = [value]
    try:
        json_text.dumps(value)
    except TypeError:
        return True
    return False


def _envelope(value: object) -> Envelope | None:
    if not isinstance(value, dict):
        return Invalid(None, InvalidRequest("A JSON-RPC message is an object."))
    request_id = value.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, (str, int, float, type(None))):
        return Invalid(None, InvalidRequest("`id` is a string, a number or null."))
    if isinstance(request_id, float) and abs(request_id) > _EXACT:
        return Invalid(None, InvalidRequest("`id` is a number that cannot be repeated exactly.", hint="Use a string."))
    if "method" not in value and ("result" in value or "error" in value):
        return None
    wrong = _what_is_wrong(value)
    if wrong:
        return Invalid(request_id, InvalidRequest(wrong))
    params = value.get("params", {})
    if "id" not in value:
        return Notice(value["method"], params)
    return Request(request_id, value["method"], params)


def _what_is_wrong(value: dict[str, Any]) -> str | None:
    if value.get("jsonrpc") != "2.0":
        return '`jsonrpc` is "2.0".'
    if not isinstance(value.get("method"), str):
        return "`method` is a string."
    if not isinstance(value.get("params", {}), (dict, list)):
        return "`params` is an object or an array."
    return None
