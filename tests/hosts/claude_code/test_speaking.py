"""What a hook prints fits into what Claude Code takes whole."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sidecar.integrations.claude_code.hooks import MAX_CHARACTERS, characters, context_output, printed

TEXTS = st.lists(
    st.builds(
        lambda piece, times: piece * times, st.sampled_from(["word ", '"\n', "💶", "é", "\\"]), st.integers(0, 4_000)
    ),
    max_size=6,
)


@given(TEXTS)
def test_texts_are_whole_or_left_out_and_the_output_stays_within_the_limit(texts: list[str]) -> None:
    output = context_output("UserPromptSubmit", texts)
    if output is None:
        assert all(not text or characters({"x": text}) > MAX_CHARACTERS - 200 for text in texts)
        return
    text = printed(output)
    assert len(text.encode("utf-16-le")) // 2 == characters(output) <= MAX_CHARACTERS
    said = json.loads(text)["hookSpecificOutput"]["additionalContext"]
    kept = [one for one in texts if one and one in said]
    assert kept
    assert len(said) <= sum(map(len, texts)) + len(texts)


def test_a_text_that_does_not_fit_leaves_its_room_to_the_next() -> None:
    output = context_output("SessionStart", ["first", "x" * MAX_CHARACTERS, "last"])
    assert output == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "first\nlast"}}


def test_an_output_of_exactly_the_most_characters_is_given_and_one_more_is_not() -> None:
    empty = context_output("UserPromptSubmit", ["x"])
    assert empty is not None
    room = MAX_CHARACTERS - characters(empty) + 1
    whole = context_output("UserPromptSubmit", ["x" * room])
    assert whole is not None
    assert characters(whole) == MAX_CHARACTERS
    assert context_output("UserPromptSubmit", ["x" * (room + 1)]) is None
