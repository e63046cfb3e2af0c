"""When a loop goes round in circles."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph.outcome import Circle, alike, is_stuck, turns_the_prompt, words_of
from sidecar.ralph.outcome import after_stuck as after

SAME = "I ran the tests at 12:{0}: {0} passed, nothing is left to do."


def test_outputs_that_differ_only_in_numbers_are_similar() -> None:
    assert alike(words_of(SAME.format(3)), words_of(SAME.format(41)))
    assert not alike(words_of(SAME), words_of("The form is wired to the endpoint now."))
    assert alike(words_of(""), words_of("…  42\n"))


def test_change_or_different_words_end_the_stall() -> None:
    circle = Circle()
    for number in range(3):
        circle = after(circle, SAME.format(number), changed=False)
    assert circle.times == 3
    assert after(circle, "I found quite another cause in the parser.", changed=False).times == 1
    assert after(circle, SAME.format(9), changed=True).times == 0


@given(st.integers(0, 12), st.integers(0, 12))
def test_prompt_changes_before_the_loop_ends_as_stuck(stuck_after: int, times: int) -> None:
    circle = Circle(times, frozenset())
    if is_stuck(circle, stuck_after):
        assert times >= 2
        assert turns_the_prompt(Circle(times - 1, frozenset()), stuck_after)
    if stuck_after == 0:
        assert not turns_the_prompt(circle, 0)


@given(st.text(max_size=300))
def test_any_output_is_similar_to_itself(text: str) -> None:
    assert alike(words_of(text), words_of(text))
