"""The incremental search against a naive one over the whole text, for any text and any chunks."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.errors import InvalidParams
from sidecar.ralph.agent import PromiseSearch, collapse_whitespace
from tests.support.cases import together
from tests.support.growth import takes_linear_time

PROMISE = "<promise>COMPLETE</promise>"

PIECES = st.sampled_from(
    [
        "<promise>", "</promise>", "<promise", "promise>", "<", "/", ">", "COMPLETE", "COMP", "LETE", "complete", "ALL",
        "DONE", " ", "\n", "\t", "\r\n", "\u00a0", "\u2003", "\x1c", "x", "ß", "漢", "\ufffd", "\x00", PROMISE,
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=30).map("".join)
TOKENS = st.sampled_from(["COMPLETE", "ALL DONE", " COMPLETE\n", "x", "<promise>", "a.b*", "</promise>", "ALL \t DONE"])
LONG_PROMPT = f"Work on until all of it is done and checked, and then say exactly this: {PROMISE}"
PROMPTS = st.sampled_from(["", PROMISE, f"Say {PROMISE} at the end.", LONG_PROMPT])


def naively(token: str, text: str) -> bool:
    """Whether any closed tag contains the token, with white space collapsed on both sides."""
    opens = [found.end() for found in re.finditer("(?=<promise>)", text)]
    closes = [found.start() for found in re.finditer("(?=</promise>)", text)]
    token_words = token.split()
    return any(
        text[start + len("<promise>") : end].split() == token_words
        for start in opens
        for end in closes
        if end >= start + len("<promise>")
    )


def found(token: str, *pieces: str, prompt: str = "") -> bool:
    search = PromiseSearch(token, prompt)
    for piece in pieces:
        search.feed(piece)
    return search.found


def cut(text: str, lengths: list[int]) -> list[str]:
    pieces = []
    for length in lengths:
        pieces.append(text[:length])
        text = text[length:]
    return [*pieces, text]


@given(TOKENS, TEXTS, st.lists(st.integers(0, 9), max_size=20))
def test_search_equals_a_naive_search_whatever_the_chunks(token: str, text: str, lengths: list[int]) -> None:
    assert found(token, *cut(text, lengths)) == naively(token, text)


@given(TEXTS, PROMPTS, st.lists(st.integers(0, 9), max_size=20), st.integers(0, 3_000))
def test_echo_and_promise_are_distinguished_whatever_the_chunks(
    text: str, prompt: str, lengths: list[int], padding: int
) -> None:
    text = f"{prompt}\n{' ' * padding}{text}{'y' * padding}{prompt}"
    assert found("COMPLETE", *cut(text, lengths), prompt=prompt) == found("COMPLETE", text, prompt=prompt)
    assert found("COMPLETE", *text, prompt=prompt) == found("COMPLETE", text, prompt=prompt)


@given(TEXTS, st.lists(st.integers(0, 9), max_size=20))
def test_collapsing_pieces_equals_collapsing_the_text(text: str, lengths: list[int]) -> None:
    joined = ""
    for piece in cut(text, lengths):
        joined = collapse_whitespace(joined + piece)
    assert joined == collapse_whitespace(text)


@together(
    "text",
    [
        "<promise>COMPLETE</promise>",
        "<promise>\nCOMPLETE\n</promise>",
        "Done.<promise>\r\n\t COMPLETE</promise> Thanks.",
        "<promise>no</promise> <promise>COMPLETE</promise>",
        "<promise> <promise>COMPLETE</promise>",
    ],
)
def test_any_closed_tag_counts(text: str) -> None:
    assert found("COMPLETE", text)


@together(
    "text",
    [
        "COMPLETE",
        "<promise>COMPLETE",
        "<promise>complete</promise>",
        "<promise>IN COMPLETE</promise>",
        "<promise>COMP LETE</promise>",
        "<Promise>COMPLETE</Promise>",
        "<promise>COMPLETE</promise",
        "<promise>NOT YET COMPLETE</promise>",
    ],
)
def test_nothing_else_counts(text: str) -> None:
    assert not found("COMPLETE", text)


def test_white_space_is_collapsed_on_both_sides() -> None:
    assert found(" ALL\n DONE ", "<promise>ALL \t", "\n", "DONE</promise>")


def test_promise_needs_a_visible_character() -> None:
    with pytest.raises(InvalidParams, match="visible"):
        PromiseSearch(" \n")


def test_text_before_further_work_is_discarded() -> None:
    search = PromiseSearch("COMPLETE")
    search.feed(PROMISE)
    search.reset()
    assert not search.found
    search.feed("TE</promise>")
    assert not search.found
    search.feed(PROMISE)
    assert search.found


PROMPT = f"""# Iteration 3 of 25
When everything that was asked is done and checked, and only then, end your answer with this line:

    {PROMISE}

## Task
Fix the parser."""


@pytest.mark.parametrize(
    "echo",
    [
        PROMPT,
        PROMPT.replace("\n", "\r\n"),
        "\n".join(f"> {line}" for line in PROMPT.splitlines()),
        "\n".join(f"│ {line}" for line in PROMPT.splitlines()),
        "user\n" + PROMPT[30:].replace(" ", "\n "),
    ],
    ids=["as it is", "other line ends", "quoted", "in a box", "wrapped, without its beginning"],
)
def test_echo_of_our_prompt_is_not_a_promise_and_hides_none(echo: str) -> None:
    assert not found("COMPLETE", echo, prompt=PROMPT)
    assert found("COMPLETE", echo, f"\nThe parser is fixed.\n{PROMISE}", prompt=PROMPT)
    assert found("COMPLETE", f"The parser is fixed.\n{PROMISE}\n", echo, prompt=PROMPT)


@pytest.mark.parametrize(
    "answer", [PROMISE, f"\n{PROMISE}\n", f"This line:\n{PROMISE}", f"It is done.\n\n    {PROMISE}\n"]
)
def test_short_answer_is_not_an_echo(answer: str) -> None:
    assert found("COMPLETE", answer, prompt=PROMPT)


@together(
    "unit",
    [
        "<promise>",
        "<promise>COMPLETE",
        "<promise> ",
        "<",
        "</promise>",
        " ",
        "<promise>COMPLETE</promis ",
        "a",
        "\ufffd<",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    piece = (unit * 65_536)[:65_536]

    def feed(count: int) -> None:
        search = PromiseSearch("COMPLETE", PROMPT)
        for _ in range(count):
            search.feed(piece)
        assert not search.found

    assert takes_linear_time(lambda count: partial(feed, count), 8)


def test_text_before_the_final_message_is_excluded() -> None:
    promise = PromiseSearch("COMPLETE")
    promise.feed("<promise>COMP")
    promise.reset()
    promise.feed("LETE</promise>")
    assert not promise.found


def test_prompt_with_only_the_promise_is_an_echo_only_at_the_start() -> None:
    tag = "<promise>COMPLETE</promise>"
    echo, text = PromiseSearch("COMPLETE", tag), PromiseSearch("COMPLETE", tag)
    echo.feed(tag)
    text.feed("I work on it.")
    text.reset()
    text.feed(tag)
    assert (echo.found, text.found) == (False, True)


def test_echo_is_detected_at_full_reach_when_the_tag_is_cut() -> None:
    words = "abcdefghij" * 4
    prompt = f"{words} <promise>COMPLETE</promise>"
    quoted = "x" * 500 + "".join(f"{letter}###" for letter in words) + "<promise> COMPLETE </promise>"
    assert not found("COMPLETE", quoted[:-1], ">", prompt=prompt)
    assert found("COMPLETE", quoted[:-1].replace("a", "z"), ">", prompt=prompt)
