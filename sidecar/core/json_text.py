"""JSON text in and out: orjson's, and the standard library's until orjson is loaded.

`import orjson` loads inspect, dataclasses, uuid and more; it would take longer than all else that `initialize`
needs. The plain parser takes only what both read alike, and leaves everything unusual to orjson.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from sidecar.core.lazy_regex import regex

_PLAIN_BYTES = 64 * 1024
_PLAIN_NESTED = 100
_PLAIN_DIGITS = 15

_ESCAPE = regex(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape: a whole surrogate pair, half of one (group 1), or any other."""

_orjson: Any = None


def load() -> Any:
    """Loads orjson, which serves from then on."""
    global _orjson  # noqa: PLW0603  (a module loaded late is a global)
    import orjson

    _orjson = orjson
    return orjson


def loads(text: bytes) -> Any:
    """Reads strict UTF-8 JSON text; raises ValueError for anything else, RecursionError for what is too deep.

    Programs in JavaScript cut texts inside of characters and then write half a pair of surrogates: it is read as
    U+FFFD, because the rest of the message means what it says.
    """
    if _orjson is None:
        try:
            return _plain(text)
        except (ValueError, RecursionError):
            pass  # orjson has the word on what is wrong
    read = (_orjson or load()).loads
    try:
        return read(text)
    except ValueError:
        whole = _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], text)
        if whole == text:
            raise
    return read(whole)


def dumps(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Gives a value as compact UTF-8 JSON text; `default` turns what JSON cannot hold, or TypeError is raised."""
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
