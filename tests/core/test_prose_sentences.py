"""The informative part of an agent's last message."""

from collections.abc import Callable, Iterator
from itertools import product

from sidecar.capture.devlog_draft import devlog as draft_devlog
from sidecar.capture.devlog_draft import is_due
from sidecar.core.prose_sentences import (
    first_informative_paragraph,
    first_sentence,
    sentences,
    split_at_full_stops,
    split_sentences,
    up_to_full_stop,
)
from sidecar.language.closing_message import AccountStatement, WorkAccount
from sidecar.runs.model import FileChange
from tests.support.cases import together
from tests.support.growth import takes_linear_time

INFORMATIVE = "Rounding now happens on the discount, not on the price."


@together(
    "text",
    [
        INFORMATIVE,
        f"I'll summarise:\n\n{INFORMATIVE}",
        f"Here's a summary of the changes:\n\n{INFORMATIVE}",
        f"## Summary\n\n{INFORMATIVE}",
        f"## Summary\n{INFORMATIVE}",
        f"**Summary**\n\n{INFORMATIVE}",
        f"Done!\n\n{INFORMATIVE}",
        f"Perfect! {INFORMATIVE}",
        f"All done. {INFORMATIVE}",
        f"```py\nprint('a b c d e f')\n```\n\n{INFORMATIVE}",
        f"> quoted words of the user that tell nothing\n\n{INFORMATIVE}",
        f"| a | b |\n|---|---|\n| a long cell of a table | b |\n\n{INFORMATIVE}",
        f"Would you like me to go on with the other modules too?\n\n{INFORMATIVE}",
        f"{INFORMATIVE}\n\nLet me know if anything else is wrong.",
        f"Changes:\n{INFORMATIVE}",
        f"---\n\n{INFORMATIVE}",
    ],
)
def test_the_first_informative_paragraph_is_the_conclusion(text: str) -> None:
    assert first_informative_paragraph(text, 700) == INFORMATIVE


def test_a_list_is_returned_without_its_lead_in() -> None:
    text = "I've made the following changes:\n\n- Rounds on the discount\n- Checks for odd cents in the cart\n"
    assert first_informative_paragraph(text, 700) == "- Rounds on the discount\n- Checks for odd cents in the cart"


def test_without_an_informative_paragraph_the_first_words_are_used() -> None:
    assert first_informative_paragraph("Fixed the typo.", 700) == "Fixed the typo."
    assert first_informative_paragraph("```\ncode\n```", 700) == ""


def test_a_secret_is_masked_before_clipping() -> None:
    key = "sk-live-" + "4eC39HqLyjWDarjtT1zdp7dc" * 2
    paragraph = first_informative_paragraph(f"The key that the shop uses for its payments was {key} all along.", 70)
    assert "sk-live-4" not in paragraph
    assert len(paragraph) <= 70


@together(
    ("text", "sentence"),
    [
        ("Rounds cents. Then sums.", "Rounds cents."),
        ("Takes units, e.g. cents, or `amounts`. Sums them.", "Takes units, e.g. cents, or `amounts`."),
        ("Prices vs. costs! Both.", "Prices vs. costs!"),
        ("端数を丸める。合計する。", "端数を丸める。"),
        ("version 1.2 of it", "version 1.2 of it"),
    ],
)
def test_a_full_stop_ends_a_text_and_an_abbreviation_does_not(text: str, sentence: str) -> None:
    assert up_to_full_stop(text) == sentence
    assert first_sentence(text, 100) == sentence.rstrip(".!。")
    assert "".join(split_at_full_stops(text)).replace(" ", "") == text.replace(" ", "")


def test_sentences_lose_marks_of_emphasis_but_not_signs_of_names() -> None:
    assert list(sentences("**Moved** `a` to __init__.py. Use *only* cents.")) == [
        "Moved `a` to __init__.py.", "Use only cents.",
    ]  # fmt: skip


def test_sentences_end_at_full_stops_and_items_and_not_at_abbreviations() -> None:
    text = "# Head\n\nFirst, e.g. Carts are done. Then `a.b` came!\n\n- One item\n- Another item. It has two.\n"
    assert list(sentences(text)) == [
        "First, e.g. Carts are done.", "Then `a.b` came!", "One item", "Another item.", "It has two.",
    ]  # fmt: skip


@together(
    ("line", "expected"),
    [
        ("A. " * 33_334 + "End. Next.", ["A. " * 33_334 + "End.", "Next."]),
        ("x etc. Y" * 12_500 + ". Z", ["x etc. Y" * 12_500 + ". Z"]),
        ("Mr. Ada  \n  paid, cf. \n B. Then left.", ["Mr. Ada", "paid, cf. B. Then left."]),
        ("Done now. " * 10_000, ["Done now."] * 10_000),
        ("It took 2.1 s. J. Doe saw 5 m. Still open.", ["It took 2.1 s.", "J. Doe saw 5 m.", "Still open."]),
    ],
)
def test_a_long_line_is_split_at_sentences_and_not_at_abbreviations(line: str, expected: list[str]) -> None:
    """A line of abbreviations took time that grew with the square of its length: a minute for 40,000 characters."""
    assert list(split_sentences(line)) == expected


@together("split, piece", product((split_sentences, split_at_full_stops), ("A. ", "x etc. Y", "A! ", "。", "\n ")))
def test_sentences_take_time_linear_in_the_length(split: Callable[[str], Iterator[str]], piece: str) -> None:
    assert takes_linear_time(lambda length: lambda: list(split(piece * (length // len(piece)))), 10_000)


def test_an_entry_holds_the_events_between_the_account_and_the_files() -> None:
    draft = draft_devlog(
        "Fix it",
        [FileChange(path="a.py", added=1, removed=0)],
        WorkAccount((AccountStatement("cause", "It was rounded.", 1.0), AccountStatement("cause", "Twice.", 1.0))),
        ["pytest: passing"],
        2,
        ["Fixed: `t` (pytest)."],
    )
    assert draft.body == (
        "# Fix it\n\n**Cause:**\n\n- It was rounded.\n- Twice.\n\n**Evidence:** pytest: passing\n\n"
        "Fixed: `t` (pytest).\n\nChanged over 2 runs:\n\n- `a.py` +1 −0\n"
    )


def test_generated_files_do_not_make_an_entry_due() -> None:
    assert is_due([FileChange(path="a.py", added=100, removed=20)], 120, 8)
    assert not is_due(
        [FileChange(path="a.py", added=1, removed=0), FileChange(path="package-lock.json", added=5_000, removed=4_000)],
        120,
        8,
    )
    assert not is_due([FileChange(path=f"gen/{number}_pb2.py", added=1, removed=0) for number in range(9)], 120, 8)


@together(
    "lead_in",
    [
        "I’ll read the service first.", "Now let me look at the cart.", "Exploring the cart and the invoices.",
        "Voy a leer el servicio de finanzas.", "Ahora vamos a recompilar la aplicación.", "Vou ler o arquivo primeiro.",
        "Je vais numéroter les scripts.", "Ich werde zuerst die Tests lesen.", "Ik ga eerst de tests lezen.",
        "Сейчас посмотрю на корзину.", "让我先看一下代码。", "我先从外部网络验证一下。", "まず設定を確認します。",
    ],
)  # fmt: skip
def test_an_announcement_is_no_conclusion(lead_in: str) -> None:
    found = "The discount was rounded before the sum, so odd cents were lost."
    assert first_informative_paragraph(f"{lead_in}\n\n{found}", 700) == found
