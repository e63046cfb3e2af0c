"""Read and write JSON with orjson, or with the standard library until orjson is loaded.

`import orjson` also loads inspect, dataclasses and uuid and takes longer than the rest of `initialize`. The standard
parser accepts only what both parsers read alike; anything unusual goes to orjson.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from sidecar.core.lazy_regex import lazy_regex

_PLAIN_BYTES = 64 * 1024
_PLAIN_NESTED = 100
_PLAIN_DIGITS = 15

_ESCAPE = lazy_regex(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape: a whole surrogate pair, half of one (group 1), or any other."""

_orjson: Any = None


def load() -> Any:
    """Load orjson and use it from now on."""
    global _orjson  # noqa: PLW0603  (a module loaded late is a global)
    import orjson

    _orjson = orjson
    return orjson


def loads(text: bytes) -> Any:
    """Parse strict UTF-8 JSON. Raise ValueError if it is malformed, RecursionError if it is nested too deeply.

    JavaScript programs cut strings inside characters and then write half a surrogate pair. It is read as U+FFFD, since
    the rest of the message is intact.
    """
    if _orjson is None:
        try:
            return _plain(text)
        except (ValueError, RecursionError):
            pass  # orjson reports the error
    parse = (_orjson or load()).loads
    try:
        return parse(text)
    except ValueError:
        repaired = _ESCAPE.sub(lambda match: b"\\ufffd" if match[1] else match[0], text)
        if repaired == text:
            raise
    return parse(repaired)


def dumps(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Serialize a value as compact UTF-8 JSON; `default` converts unsupported values, which else raise TypeError."""
    if _orjson is None:
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default)
            return text.encode()
        except (TypeError, ValueError, RecursionError):
            pass
    return bytes((_orjson or load()).dumps(value, default=default))


def _plain(text: bytes) -> Any:
    nested = text.count(b"[") + text.count(b"{")
    if len(text) > _PLAIN_BYTES or nested > _PLAIN_NESTED or b"\\u" in text:
        raise ValueError("large, deep, or with escapes that may be half a surrogate pair")
    return json.loads(text.decode(), parse_int=_small_int, parse_float=_refuse, parse_constant=_refuse)


def _small_int(digits: str) -> int:
    return int(digits) if len(digits) <= _PLAIN_DIGITS and digits != "-0" else _refuse(digits)


def _refuse(number: str) -> NoReturn:
    raise ValueError(number)
