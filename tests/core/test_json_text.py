"""The plain parser stands in for orjson until that is loaded; nobody may notice the difference."""

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sidecar.core import json_text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
PIECES = [
    b'{"id":1}',
    b'"\\ud800"',
    b"\xff",
    b"NaN",
    b"-0",
    b"1e400",
    b"1" * 30,
    b"[" * 300,
    b'"\x01"',
    b"\xef\xbb\xbf1",
]


@pytest.fixture(autouse=True)
def not_loaded() -> Iterator[None]:
    """Begins every test as a process begins, and leaves orjson in charge."""
    json_text._orjson = None
    yield
    json_text.load()


def read_by(parser: Any, text: bytes) -> Any:
    try:
        return repr(parser(text))
    except ValueError:
        return ValueError


@given(st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()) | st.sampled_from(PIECES))
@example(b'{"a":1,"a":2}')
@example(b"[1,]")
def test_any_text_is_read_as_orjson_reads_it(text: bytes) -> None:
    json_text._orjson = None
    assert read_by(json_text.loads, text) == read_by(orjson.loads, text)


@given(VALUES)
def test_any_value_is_written_as_orjson_writes_it(value: Any) -> None:
    json_text._orjson = None
    try:
        expected = orjson.dumps(value)
    except TypeError:
        with pytest.raises(TypeError):
            json_text.dumps(value)
        return
    assert orjson.loads(json_text.dumps(value)) == orjson.loads(expected)


def test_what_json_cannot_hold_is_turned_by_default() -> None:
    assert json_text.dumps({"path": 1j}, default=str) == b'{"path":"1j"}'
    json_text.load()
    assert json_text.dumps({"path": 1j}, default=str) == b'{"path":"1j"}'


def test_an_ordinary_message_does_not_load_orjson() -> None:
    message = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"1Code"}}}'
    assert json_text.dumps(json_text.loads(message)) == message
    assert json_text._orjson is None
