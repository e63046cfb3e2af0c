"""A hook's output fits into what Claude Code and Codex CLI show as a whole."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sidecar.integrations.agent_hooks import (
    MAX_CHARACTERS,
    MAX_CONTEXT_BYTES,
    character_count,
    context_output,
    serialize_output,
)

TEXTS = st.lists(
    st.builds(
        lambda piece, times: piece * times, st.sampled_from(["word ", '"\n', "💶", "é", "\\"]), st.integers(0, 4_000)
    ),
    max_size=6,
)


@given(TEXTS)
def test_texts_are_complete_or_omitted_within_the_limit(texts: list[str]) -> None:
    output = context_output("UserPromptSubmit", texts)
    if output is None:
        longest = MAX_CHARACTERS - 200
        assert all(
            not text or character_count({"x": text}) > longest or len(text.encode()) > MAX_CONTEXT_BYTES
            for text in texts
        )
        return
    text = serialize_output(output)
    assert len(text.encode("utf-16-le")) // 2 == character_count(output) <= MAX_CHARACTERS
    text = json.loads(text)["hookSpecificOutput"]["additionalContext"]
    assert len(text.encode()) <= MAX_CONTEXT_BYTES
    included = [part for part in texts if part and part in text]
    assert included
    assert len(text) <= sum(map(len, texts)) + len(texts)


def test_text_that_does_not_fit_is_skipped_for_the_next() -> None:
    output = context_output("SessionStart", ["first", "x" * MAX_CHARACTERS, "last"])
    assert output == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "first\nlast"}}


def test_output_of_exactly_the_maximum_is_printed_and_a_longer_one_is_not() -> None:
    empty = context_output("UserPromptSubmit", ["x"])
    assert empty is not None
    room = MAX_CHARACTERS - character_count(empty) + 1
    complete = context_output("UserPromptSubmit", ["x" * room])
    assert complete is not None
    assert character_count(complete) == MAX_CHARACTERS
    assert context_output("UserPromptSubmit", ["x" * (room + 1)]) is None
