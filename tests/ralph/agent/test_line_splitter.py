"""Lines of a stream, and the pieces of one that is too long."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import LineSplitter

LIMIT = 8


def cut(stream: bytes, lengths: list[int]) -> list[tuple[bytes, bool]]:
    lines = LineSplitter(LIMIT)
    out: list[tuple[bytes, bool]] = []
    for length in lengths:
        out += lines.feed(stream[:length])
        stream = stream[length:]
    return [*out, *lines.feed(stream), *lines.close()]


@given(st.lists(st.sampled_from([b"a", b"\n", b"bc", b"defgh", b"\xff"]), max_size=30), st.lists(st.integers(0, 7)))
def test_no_byte_is_lost_and_short_lines_are_complete(parts: list[bytes], lengths: list[int]) -> None:
    stream = b"".join(parts)
    out = cut(stream, lengths)
    complete_lines = [line for line, is_complete in out if is_complete]
    assert [line for line in stream.split(b"\n") if 0 < len(line) <= LIMIT] == [line for line in complete_lines if line]
    text = b"".join(line + b"\n" * is_complete for line, is_complete in out)
    assert text.removesuffix(b"\n") == stream.removesuffix(b"\n")


def test_buffer_is_bounded() -> None:
    lines = LineSplitter(LIMIT)
    for _ in range(1_000):
        list(lines.feed(b"xxxxx"))
        assert lines._size <= LIMIT + 5
