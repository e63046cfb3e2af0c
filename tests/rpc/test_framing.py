"""Bytes are split into messages independent of their chunks."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc import MAX_HEADER_BYTES, Framer, Framing, Refused, frame
from tests.support.cases import together
from tests.support.depth import examples

SMALL = 48
"""A limit that random streams reach."""

PIECES = st.sampled_from(
    [
        b"Content-Length: 5\r\n\r\nhello",
        b"content-length:2\n\n{}",
        b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
        b"Content-Length: 60\r\n\r\n" + b"x" * 60,
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Type: none\r\n\r\n",
        b"Content-Len",
        b"\xef\xbb\xbf",
        b"\xef\xbb",
        b"{}\n",
        b'{"a":1}\r\n',
        b"\r\n",
        b"\n\n",
        b" \t ",
        b"\r",
        b"y" * 47 + b"\r\n",
        b"y" * 48 + b"\r\n",
        b"y" * 49 + b"\n",
        b"z" * 200,
        b"H" * (MAX_HEADER_BYTES + 10),
    ]
)
STREAMS = st.lists(PIECES | st.binary(max_size=12), max_size=12).map(b"".join)


def all_of(chunks: list[bytes], limit: int = SMALL) -> tuple[list[bytes | Refused], Framing | None]:
    framer = Framer(limit)
    found = [message for chunk in chunks for message in framer.feed(chunk)]
    return [*found, *framer.end()], framer.framing


def cut(stream: bytes, sizes: list[int]) -> list[bytes]:
    chunks, start = [], 0
    for size in sizes:
        chunks.append(stream[start : start + size])
        start += size
    return [*chunks, stream[start:]]


@settings(max_examples=examples(100, 12))
@given(STREAMS, st.lists(st.integers(1, 40), max_size=60))
def test_messages_do_not_depend_on_how_the_stream_is_chunked(stream: bytes, sizes: list[int]) -> None:
    whole = all_of([stream])
    assert all_of(cut(stream, sizes)) == whole
    assert all_of([stream[at : at + 1] for at in range(len(stream))]) == whole


@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), min_size=1, max_size=8),
    st.sampled_from(Framing),
    st.lists(st.integers(1, 30), max_size=80),
)
def test_framed_messages_are_read_back_unchanged(
    values: list[dict[str, str]], framing: Framing, sizes: list[int]
) -> None:
    payloads = [orjson.dumps(value) for value in values]
    stream = b"".join(frame(payload, framing) for payload in payloads)
    assert all_of(cut(stream, sizes), limit=10_000) == (payloads, framing)


@given(st.binary(max_size=400), st.sampled_from([b"", b"{}\n", b"Content-Length: 2\r\n\r\n{}"]))
def test_buffer_holds_at_most_one_message_and_one_chunk(noise: bytes, beginning: bytes) -> None:
    framer = Framer(SMALL)
    for at in range(0, len(stream := beginning + noise * 60), 64):
        list(framer.feed(stream[at : at + 64]))
        assert len(framer._buffer) <= MAX_HEADER_BYTES + 4 + 64


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_line_at_the_limit_is_accepted_and_a_longer_one_refused(line_end: bytes) -> None:
    stream = b"y" * SMALL + line_end + b"y" * (SMALL + 1) + line_end + b"{}" + line_end
    assert all_of([stream])[0] == [b"y" * SMALL, Refused.TOO_LARGE, b"{}"]


def test_message_behind_the_end_of_a_long_line_is_read_without_more_bytes() -> None:
    framer = Framer(SMALL)
    assert list(framer.feed(b"y" * (SMALL + 1))) == [Refused.TOO_LARGE]
    assert list(framer.feed(b"y\n{}\n")) == [b"{}"]


def test_body_over_the_limit_is_refused_and_the_next_message_is_read() -> None:
    stream = frame(b"x" * 1000, Framing.CONTENT_LENGTH) + frame(b"{}", Framing.CONTENT_LENGTH)
    assert all_of([stream])[0] == [Refused.TOO_LARGE, b"{}"]


@together(
    "bad",
    [
        b"Content-Length: five\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 123456789012345\r\n\r\n",
        b"Content-Type: text/plain\r\n\r\n",
        b"Content-Length: 5\r\nX: " + b"x" * MAX_HEADER_BYTES,
    ],
)
def test_reading_continues_at_the_next_valid_header(bad: bytes) -> None:
    messages, _ = all_of([bad + b'{"some":"body"}' + frame(b"{}", Framing.CONTENT_LENGTH)])
    assert messages == [Refused.BAD_HEADER, b"{}"]


def test_blank_lines_and_a_byte_order_mark_are_skipped() -> None:
    assert all_of([b"\xef\xbb\xbf" + b"\r\n" * 200 + b"{}\n\n \n[]\n"])[0] == [b"{}", b"[]"]


def test_blank_lines_between_headers_are_skipped() -> None:
    message = frame(b"{}", Framing.CONTENT_LENGTH)
    assert all_of([b"\r\n\r\n" + message + b"\r\n" + message + b"\r\n\r\n" + message])[0] == [b"{}"] * 3


def test_last_line_needs_no_newline_but_a_body_must_be_complete() -> None:
    assert all_of([b"{}\n[]"])[0] == [b"{}", b"[]"]
    assert all_of([b'Content-Length: 40\r\n\r\n{"method":"exit"}'])[0] == [Refused.CUT_OFF]
    assert all_of([b"Content-Length: 2\r\n\r\n{}Content-Le"])[0] == [b"{}", Refused.CUT_OFF]


@pytest.mark.parametrize(
    "start", [b"content-LENGTH: 2\r\n\r\n{}", b"\n\n  Content-Type: x\r\nContent-Length: 2\r\n\r\n{}"]
)
def test_content_length_is_recognized_in_any_case_and_after_blanks(start: bytes) -> None:
    assert all_of([start]) == ([b"{}"], Framing.CONTENT_LENGTH)
