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
def test_texts_are_complete_or_omitted_within_the_limit(texts: list[str]) -> None:
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


def test_text_that_does_not_fit_is_skipped_for_the_next() -> None:
    output = context_output("SessionStart", ["first", "x" * MAX_CHARACTERS, "last"])
    assert output == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "first\nlast"}}


def test_output_of_exactly_the_maximum_is_printed_and_a_longer_one_is_not() -> None:
    empty = context_output("UserPromptSubmit", ["x"])
    assert empty is not None
    room = MAX_CHARACTERS - characters(empty) + 1
    whole = context_output("UserPromptSubmit", ["x" * room])
    assert whole is not None
    assert characters(whole) == MAX_CHARACTERS
    assert context_output("UserPromptSubmit", ["x" * (room + 1)]) is None
