"""The few lines of the best files that match most of the prompt."""

from sidecar.codebase.summary.summarize import summarize
from sidecar.packs import MAX_LINES, PASSAGE_CHARACTERS, PASSAGE_LINES, Passage, passage_of

CART = '''"""The cart."""

import decimal


class Cart:
    def total(self):
        return sum(self.prices)

    def apply_discount(self, code):
        # the cart's owner
        if code is None:
            return
        rate = self.codes[code]
        self.total_discount += rate * self.total()
        log(rate)


def unrelated():
    return "total"
'''


def passage(text: str, *terms: str, path: str = "src/cart.py") -> Passage:
    return passage_of(text, summarize(path, text.encode()), terms)


def test_a_passage_comes_from_the_matching_definition() -> None:
    assert passage(CART, "apply", "discount", "rate", "total") == (
        (10, "    def apply_discount(self, code):"),
        (11, "        # the cart's owner"),
        (12, "        if code is None:"),
        (13, "            return"),
    )


def test_without_a_matching_definition_the_densest_lines_are_shown() -> None:
    text = "\n".join(["nothing"] * 60 + ["a discount", "", "the total of it"] + ["total"] * 60)
    assert passage(text, "discount", "total", path="notes.txt")[:2] == ((61, "a discount"), (63, "the total of it"))


def test_scattered_words_yield_no_passage() -> None:
    text = "discount\n" + "\n" * 20 + "total\n"
    assert passage(text, "discount", "total", path="notes.txt") == ()
    assert passage(CART, "discount") == ()
    assert passage("", "discount", "total") == ()


def test_a_passage_is_short_wherever_it_is_in_a_huge_file() -> None:
    text = "\n".join(f"line {number}" for number in range(30_000)) + "\nwalrus discount\n"
    found = passage(text, "walrus", "discount", path="data.txt")
    assert found == ((30_001, "walrus discount"),)
    crowded = passage("walrus discount " + "x" * 400 + "\n" * 3 + "discount\r\n" * MAX_LINES, "walrus", "discount")
    assert len(crowded) <= PASSAGE_LINES
    assert all(len(line) <= PASSAGE_CHARACTERS and "\r" not in line for _, line in crowded)


def test_no_secret_is_among_the_lines() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nrotate discount\n-----END PRIVATE KEY-----\n"
    text = f"{key}token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'  # rotate discount\n"
    assert "ghp_abc" not in str(passage(text, "rotate", "discount"))
    assert "MIIEv" not in str(passage(text, "rotate", "discount"))
