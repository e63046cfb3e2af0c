"""A clipped text is at most as long as asked for and ends with an ellipsis."""

import gc
import tracemalloc
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clean_text import (
    clip,
    clip_at_word,
    count_noun,
    escape_markers,
    join_first,
    line_of_code,
    with_capital,
    with_full_stop,
    without_emphasis,
)
from sidecar.core.redact import MASK
from tests.support.cases import together
from tests.support.growth import takes_linear_time


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_clipped_text_fits_its_limit_and_ends_with_an_ellipsis(text: str, limit: int) -> None:
    for clipped in (clip(text, limit), clip_at_word(text, limit)):
        assert len(clipped) <= limit
        assert clipped == text if len(text) <= limit else clipped.endswith("…")


@together(
    ("text", "sentence"),
    [
        ("SQLite for the carts.", "SQLite for the carts."),
        ("SQLite for the carts", "SQLite for the carts."),
        ("购物车用 SQLite 保存", "购物车用 SQLite 保存。"),
        ("カートを保存する。", "カートを保存する。"),
        ("Done!", "Done!"),
        ("Why?", "Why?"),
        ("Why?!", "Why?!"),
        ("And so on…", "And so on…"),
        ("終わり！", "終わり！"),
        ("なぜ？", "なぜ？"),
        ('He said "Done!"', 'He said "Done!"'),
        ("Carts first (why?)", "Carts first (why?)"),
        ("「終わり。」", "「終わり。」"),
        ("Use SQLite (for the carts)", "Use SQLite (for the carts)."),
        ("Never call `empty?`", "Never call `empty?`."),
    ],
)
def test_a_sentence_ends_with_the_full_stop_of_its_script_or_its_own_mark(text: str, sentence: str) -> None:
    assert with_full_stop(text) == sentence


@together(
    ("text", "capitalized"),
    [
        ("round cents", "Round cents"),
        ("élan vital", "Élan vital"),
        ("в корзине", "В корзине"),
        ("", ""),
        ("`cart` first", "`cart` first"),
        ("src/cart.py first", "src/cart.py first"),
        ("camelCase names", "camelCase names"),
        ("http://x is gone", "http://x is gone"),
        ("git+ssh://host/repo is used", "git+ssh://host/repo is used"),
        ("s3://bucket holds it", "s3://bucket holds it"),
        ("ß is a letter", "ß is a letter"),
        ("ﬁnd the cart", "ﬁnd the cart"),
        ("note: cents", "Note: cents"),
    ],
)
def test_a_text_begins_with_a_capital_unless_it_begins_with_a_name(text: str, capitalized: str) -> None:
    assert with_capital(text) == capitalized


def test_a_text_is_clipped_between_words() -> None:
    assert clip("whole cents, always", 13) == "whole cents,…"
    assert clip_at_word("whole cents, always", 15) == "whole cents…"


@together(
    ("text", "plain"),
    [
        ("**Moved** to __init__.py. Use *only* cents.", "Moved to __init__.py. Use only cents."),
        ("**Never** log *a* token, __not once__, _not ever_.", "Never log a token, not once, not ever."),
        ("(**bold**), **bold:** and **two\nlines**", "(bold), bold: and two\nlines"),
        ("***both*** and **a *nested* word** and **nested *last***", "both and a nested word and nested last"),
        ("**Use `2**10` for `x`** always", "Use `2**10` for `x` always"),
        ("**Sizes of 2**10 bytes** and **all of src/** too**", "Sizes of 2**10 bytes and all of src/** too"),
        ("_**Warning**_ and __**read this**__", "_Warning_ and read this"),
        ("使用**粗体**文字。**주의**는", "使用粗体文字。주의는"),
        ("**É proibido** e **«citação»**", "É proibido e «citação»"),
    ],
)
def test_marks_of_emphasis_are_removed_in_pairs(text: str, plain: str) -> None:
    assert without_emphasis(text) == plain
    assert without_emphasis(plain).replace("_", "") == plain.replace("_", "")


@together(
    "text",
    [
        "Always use `2**10` for sizes.", "Never use `**kwargs` in public functions.", "Use `**kwargs` or `**options`.",
        "Never use **kwargs in public functions.", "Always write x**2, never pow(x, 2).", "x**2 + y**2 < r**2",
        "Pass *args and **kwargs, or *args alone.", "def f(*args, **kwargs) and g(**options)", "f(**a, **b)", "2 ** 10",
        "src/**/*.ts and src/**/*.js", "**/*.py, **/*.pyi", "dist/** and build/**", "*.py and *.js", "*test*.py",
        "a * b", "__init__.py, __main__ and __all__", "_private and _other", "`__a b__` and `*x*` and ``**`y`**``",
        "~~gone~~",
        "2*3 and 4*5", r"\**kept\**", "** spaced **", "an open **mark", "*", "**", "****", "snake_case and other_name",
        "**one paragraph\n\nanother**", "_id, name and_rev_", "/** comment **/",
    ],
)  # fmt: skip
def test_signs_of_code_and_paths_are_not_marks_of_emphasis(text: str) -> None:
    assert without_emphasis(text) == text


@together(
    "piece",
    [
        "**", "**a", "**a ", " **", "*", "*a", "* ", "`", "`a", "``", "**`a", "**`", "**`a` ", "_a", "__a ", "_a _",
        "/**", "a**b", "**a/**", "**/", "***", "***a ", "**a *b***", "**\n", "`**a\n", "字**",
    ],
)  # fmt: skip
def test_emphasis_is_removed_in_time_linear_in_the_length(piece: str) -> None:
    assert takes_linear_time(lambda length: partial(without_emphasis, piece * (length // len(piece))), 10_000)


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


def test_the_first_names_are_followed_by_the_number_of_the_others() -> None:
    assert join_first(["a", "b"], 2) == "a, b"
    assert join_first(["a", "b", "c"], 2) == "a, b and 1 more"
    assert join_first(["a", "b", "c"], 1, "file") == "a and 2 more files"


def test_a_line_of_code_keeps_its_tabs() -> None:
    assert line_of_code("\t\tx\t= 1 \n", 20) == "\t\tx\t= 1"
    assert line_of_code("//\tPOST(path)", 20) == "//\tPOST(path)"
    assert line_of_code("\t" + "y" * 20, 5) == "\tyyy…"


def test_a_secret_beside_a_tab_is_masked_as_beside_spaces() -> None:
    assert line_of_code("token:\t" + "hunter2" * 2, 80) == f"token:    {MASK}"


def test_checked_texts_take_a_limited_number_of_bytes() -> None:
    """A process whose packs had long items held 1,024 of them of any size."""
    escape_markers("compiles the patterns")
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(1_000):
            text = f"{number} " + "word " * 1_000
            assert escape_markers(text) is text
        assert tracemalloc.get_traced_memory()[0] < 1.5 * 2**20
        assert escape_markers("".join(["999 ", "word " * 1_000])) is text
    finally:
        tracemalloc.stop()
    assert escape_markers(f"{text}[continuity:end]") == f"{text}(continuity:end]"
