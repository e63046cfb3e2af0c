"""Control sequences are removed from text, whatever the chunks."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.agent import AnsiStripper
from tests.support.cases import together
from tests.support.depth import examples
from tests.support.growth import takes_linear_time

PIECES = st.sampled_from(
    [
        "\x1b",
        "\x1b[",
        "\x1b]",
        "[",
        "]",
        "0",
        ";",
        "31",
        "m",
        "\\",
        "\x07",
        "\n",
        "P",
        "(",
        "B",
        "^",
        " ",
        "a",
        "é",
        "1" * 70,
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


def stripped(*pieces: str) -> str:
    ansi = AnsiStripper()
    return "".join(ansi.strip(piece) for piece in pieces)


@given(TEXTS, st.lists(st.integers(0, 9), max_size=20))
def test_result_does_not_depend_on_the_chunks(text: str, lengths: list[int]) -> None:
    pieces, rest = [], text
    for length in lengths:
        pieces.append(rest[:length])
        rest = rest[length:]
    assert stripped(*pieces, rest) == stripped(text) == stripped(*text)


@given(TEXTS)
def test_control_sequences_are_removed_completely(text: str) -> None:
    assert "\x1b" not in stripped(text)


@together(
    ("text", "visible"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[?25l\x1b[2K\rdone", "\rdone"),
        ("\x1b]0;the title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Btext", "text"),
        ("\x1bPq#0;2\x1b\\text", "text"),
        ("never closed \x1b]0;title\nnext line", "never closed \nnext line"),
        ("<pro\x1b[0mmise>", "<promise>"),
        ("plain", "plain"),
    ],
)
def test_visible_text_remains(text: str, visible: str) -> None:
    assert stripped(text) == visible


@together("unit", ["\x1b]\x07", "\x1b]", "\x1b[", "\x1b", "\x1b[31m", "\x1b[1", "\x1b]\x1b", "\x1bP;\n"])
def test_hostile_text_takes_linear_time_and_memory(unit: str) -> None:
    piece = (unit * 65_536)[:65_536]

    def strip(count: int) -> None:
        ansi = AnsiStripper()
        for _ in range(count):
            ansi.strip(piece)
            assert len(ansi._rest) < 100

    assert takes_linear_time(lambda count: partial(strip, count), examples(4, 2))
