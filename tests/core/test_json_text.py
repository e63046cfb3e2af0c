"""Until orjson is loaded a plain parser serves; it must never read or write anything differently."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core import json_text
from tests.support.cases import together

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)

ODD = [
    b"",
    b"nul",
    b"NaN",
    b"-Infinity",
    b"[1e400]",
    b"-0",
    b"01",
    b"1.0",
    b"123456789012345678901234567890",
    b'"\\ud83d\\ude00"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"a\tb"',
    b'{"a":1,"a":2}',
    b"[1,]",
    b"{} x",
    b"\xef\xbb\xbf{}",
    b" \t\r\n{} ",
    b"\x0b{}",
    b"\xc2\xa0{}",
    b"'a'",
    b"[" * 90 + b"]" * 90,
    b"[" * 2000,
    "\u00e9".encode("utf-16"),
]


@pytest.fixture(autouse=True)
def before_orjson_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "_orjson", None)
    monkeypatch.setattr(json_text, "load", lambda: orjson)


def outcome(read: Any, text: bytes) -> Any:
    try:
        value = read(text)
    except (ValueError, RecursionError):
        return "refused"
    return value, repr(value) if len(text) < 500 else None


@together("text", ODD)
def test_unusual_texts_are_read_or_rejected_as_by_orjson(text: bytes) -> None:
    assert outcome(json_text.loads, text) == outcome(orjson.loads, text)


@together(
    ("text", "value"),
    [
        (b'"\\ud83d"', "\ufffd"),
        (b'"a\\uDE00b"', "a\ufffdb"),
        (b'"\\ud83d\\ude00 \\ud83d"', "\U0001f600 \ufffd"),
        (b'"\\ude00\\ud83d"', "\ufffd\ufffd"),
        (b'"\\ud83d\\ud83d\\ude00"', "\ufffd\U0001f600"),
        (b'{"\\ud83d": "\\\\ud83d"}', {"\ufffd": "\\ud83d"}),
    ],
)
def test_half_a_surrogate_pair_is_read_as_a_replacement_character(text: bytes, value: Any) -> None:
    assert json_text.loads(text) == value


def test_any_text_is_read_as_by_orjson(monkeypatch: pytest.MonkeyPatch) -> None:
    @given(
        st.binary(max_size=30)
        | VALUES.map(orjson.dumps)
        | st.text('[]{}:,"\\u0d8e1.-+ \n', max_size=14).map(str.encode)
    )
    def law(text: bytes) -> None:
        monkeypatch.setattr(json_text, "_orjson", None)
        expected = outcome(orjson.loads, text)
        assert outcome(json_text.loads, text) == expected or (expected == "refused" and b"\\u" in text)

    law()


def test_any_value_survives_a_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    @given(VALUES)
    def law(value: Any) -> None:
        monkeypatch.setattr(json_text, "_orjson", None)
        assert orjson.loads(json_text.dumps(value)) == orjson.loads(orjson.dumps(value))

    law()


def test_an_unsupported_value_goes_to_default_or_raises() -> None:
    for value in ("\ud800", {1, 2}, object()):
        with pytest.raises(TypeError):
            json_text.dumps({"x": value})
    assert json_text.dumps({"x": {1}}, default=len) == b'{"x":1}'
