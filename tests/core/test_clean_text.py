"""A clipped text is at most as long as asked for and ends with an ellipsis."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clean_text import clip, clip_at_word, count_noun, line_of_code
from tests.support.cases import together


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_clipped_text_fits_its_limit_and_ends_with_an_ellipsis(text: str, limit: int) -> None:
    for clipped in (clip(text, limit), clip_at_word(text, limit)):
        assert len(clipped) <= limit
        assert clipped == text if len(text) <= limit else clipped.endswith("…")


def test_a_text_is_clipped_between_words() -> None:
    assert clip("whole cents, always", 13) == "whole cents,…"
    assert clip_at_word("whole cents, always", 15) == "whole cents…"


@together(
    ("number", "noun", "text"),
    [
        (0, "file", "0 files"),
        (1, "file", "1 file"),
        (1, "memory", "1 memory"),
        (2, "HOT memory", "2 HOT memories"),
        (12_345, "day", "12,345 days"),
    ],
)
def test_a_number_is_written_with_its_noun(number: int, noun: str, text: str) -> None:
    assert count_noun(number, noun) == text


def test_a_line_of_code_keeps_the_tabs_of_its_indentation() -> None:
    assert line_of_code("\t\tx\t= 1 \n", 20) == "\t\tx    = 1"
    assert line_of_code("\t" + "y" * 20, 5) == "\tyyy…"
