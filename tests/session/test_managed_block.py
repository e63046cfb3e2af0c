"""Whatever bytes a file has, all that is outside the block stays, and comes back whole."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecar.session import (
    ACTIVE_TEXT,
    INACTIVE_TEXT,
    AmbiguousBlock,
    block_state,
    user_content,
    with_block,
    without_block,
)
from tests.support.cases import together

DEV = ACTIVE_TEXT.format(agent="dev")
ARCHITECT = ACTIVE_TEXT.format(agent="architect")
LEFT = INACTIVE_TEXT.format(agent="dev")
TEXTS = st.sampled_from([DEV, ARCHITECT, LEFT])

PIECES = [
    *(b"\n", b"\r\n", b"\r", b"---\n", b"---\r\n", b"---", b"...\n", b"a: b\n", b"\xef\xbb\xbf", b"```\n", b"<!-- "),
    *(b"text", b"# Title\n", b"\xff\xfe", b"\x00", b"  ", b"-->\n", "não\n".encode(), b"Status: INACTIVE\n"),
    *(b"<!-- chati:session-lock -->\n", b"say <!-- chati:session-lock:begin --> here\n"),
]
CONTENTS = st.one_of(st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join))
BLOCK = with_block(b"", DEV)
BEGIN, END = BLOCK.splitlines(keepends=True)[0], BLOCK.splitlines(keepends=True)[-1]
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@given(CONTENTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_any_sequence_of_blocks_preserves_every_byte_outside(content: bytes, texts: list[str]) -> None:
    assume(not content.startswith(UTF_16))
    written = content
    for text in texts:
        written = with_block(written, text)
        assert user_content(written) == content
        assert block_state(written) == ("inactive" if text == LEFT else "active")
        assert with_block(written, text) == written, "twice is once"
    assert without_block(written) == content


@given(CONTENTS, CONTENTS)
def test_the_users_text_around_the_block_is_preserved(before: bytes, after: bytes) -> None:
    above = before + b"\n" if before else b""  # a marker glued to other text is none any more
    assume(not above.startswith(UTF_16))
    assume(block_state(above + BLOCK + after) == "active")  # in a code fence of the user's it is a quotation
    written = with_block(above + BLOCK + after, ARCHITECT)

    assert user_content(written) == above + after
    assert without_block(written) == above + after


@given(CONTENTS, CONTENTS, CONTENTS, st.lists(st.sampled_from([BEGIN, END, BLOCK]), min_size=2, max_size=2))
def test_a_repair_removes_only_our_lines(first: bytes, second: bytes, third: bytes, pieces: list[bytes]) -> None:
    # A line of the user's stands at either side, so that no empty line touches a stray marker.
    parts = [b"a\n" + part + b"\nz\n" for part in (first, second, third)]
    assume(pieces != [BEGIN, END])
    assume(b"```" not in b"".join(parts))  # a code fence of the user's makes quotations of them

    content = parts[0] + pieces[0] + parts[1] + pieces[1] + parts[2]

    assert without_block(content, repair=True) == b"".join(parts)
    assert block_state(with_block(content, DEV, repair=True)) == "active"


@together(
    ("content", "state", "sentence"),
    [
        (b"# A\n" + BEGIN + b"mine\n", "damaged", "without its counterpart"),
        (b"# A\n" + END, "damaged", "without its counterpart"),
        (BLOCK + BEGIN, "damaged", "without its counterpart"),
        (BEGIN + BLOCK, "damaged", "without its counterpart"),
        (BLOCK + b"text\n" + BLOCK, "several", "2 session lock blocks"),
    ],
)
def test_anything_but_exactly_one_block_is_refused(content: bytes, state: str, sentence: str) -> None:
    assert block_state(content) == state
    with pytest.raises(AmbiguousBlock, match=sentence):
        with_block(content, LEFT)
    with pytest.raises(AmbiguousBlock, match=sentence):
        without_block(content)


def test_a_half_deleted_block_is_repaired_without_losing_user_lines() -> None:
    lines = BLOCK.splitlines(keepends=True)

    assert without_block(b"# Shop\n" + b"".join(lines[:6]) + b"- my rule\n", repair=True) == b"# Shop\n- my rule\n"
    assert without_block(b"- my rule\n" + b"".join(lines[5:]) + b"end\n", repair=True) == b"- my rule\nend\n"


def test_text_in_utf_16_is_refused() -> None:
    with pytest.raises(AmbiguousBlock, match="UTF-16"):
        with_block("# Shop\n".encode("utf-16"), DEV)


def test_the_block_uses_the_files_line_ends_and_follows_bom_and_front_matter() -> None:
    assert b"\n" not in with_block(b"# A\r\n", DEV).replace(b"\r\n", b"")
    assert with_block(b"\xef\xbb\xbf# A", DEV) == b"\xef\xbb\xbf" + BLOCK + b"# A"
    assert with_block(b"---\na: b\n---\n# A", DEV) == b"---\na: b\n---\n" + BLOCK + b"# A"


def test_the_active_block_has_the_six_rules_and_the_agent() -> None:
    lines = with_block(b"", DEV).decode().splitlines()

    assert lines[1] == "## Session Lock — ACTIVE"
    assert [line[:2] for line in lines if line[:1].isdigit()] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert "2. Route ALL user messages through the current agent: `dev`" in lines


@pytest.mark.parametrize(
    "quoted",
    [
        b"```md\n" + BLOCK + b"```\n",
        b"~~~~\n```\n" + BLOCK.replace(b"dev", b"...") + b"~~~\n~~~~\n",
        b"  ```\r\n" + BEGIN + b"mine\r\n" + END + b"  ```\r\n",
        b"```\n" + END + b"```\n",
    ],
)
def test_a_block_in_a_code_fence_is_not_touched(quoted: bytes) -> None:
    content = b"# How the lock looks\n" + quoted + b"text"
    assert block_state(content) == "none"
    written = with_block(content, DEV)
    assert (block_state(written), user_content(written)) == ("active", content)
    assert without_block(with_block(written, LEFT), repair=True) == content


@pytest.mark.parametrize("above", [b"```\nnever closed\n", b"```py\n", b"``` a ` b\n"])
def test_an_unclosed_fence_does_not_hide_a_block(above: bytes) -> None:
    assert block_state(above + BLOCK + b"```not a closing one\n") == "active"
