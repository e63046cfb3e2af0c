"""Detection of a stalled loop."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.loop_policy import Stall, are_similar, is_stuck, must_change_prompt, output_words
from sidecar.ralph.loop_policy import update_stall as after

SAME = "I ran the tests at 12:{0}: {0} passed, nothing is left to do."


def test_outputs_that_differ_only_in_numbers_are_similar() -> None:
    assert are_similar(output_words(SAME.format(3)), output_words(SAME.format(41)))
    assert not are_similar(output_words(SAME), output_words("The form is wired to the endpoint now."))
    assert are_similar(output_words(""), output_words("…  42\n"))


def test_change_or_different_words_end_the_stall() -> None:
    stall = Stall()
    for number in range(3):
        stall = after(stall, SAME.format(number), changed=False)
    assert stall.times == 3
    assert after(stall, "I found quite another cause in the parser.", changed=False).times == 1
    assert after(stall, SAME.format(9), changed=True).times == 0


@given(st.integers(0, 12), st.integers(0, 12))
def test_prompt_changes_before_the_loop_ends_as_stuck(stuck_after: int, times: int) -> None:
    stall = Stall(times, frozenset())
    if is_stuck(stall, stuck_after):
        assert times >= 2
        assert must_change_prompt(Stall(times - 1, frozenset()), stuck_after)
    if stuck_after == 0:
        assert not must_change_prompt(stall, 0)


@given(st.text(max_size=300))
def test_any_output_is_similar_to_itself(text: str) -> None:
    assert are_similar(output_words(text), output_words(text))
