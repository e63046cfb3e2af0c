"""What a long prompt points at: title, prose, stack frames, calls."""

import pytest

from sidecar.codebase.search.query_evidence import Frame, parts_of, pointing_words, read_evidence
from sidecar.packs import search_query

ISSUE = (
    """Cart.total ignores the discount

When a cart has a discount, the total is wrong.

```
environment: linux
```

Traceback (most recent call last):
  File "/home/me/shop/src/cart.py", line 12, in total
    return self.sum(prices)
"""
    + "It happens with every cart, whoever owns it. " * 12
)


def test_a_long_prompt_is_searched_by_its_whole_text_its_title_and_its_prose() -> None:
    whole, title, prose = parts_of(ISSUE).searched
    assert whole == ISSUE
    assert title == "Cart.total ignores the discount"
    assert "environment" not in prose
    assert "the total is wrong" in prose
    assert len(parts_of("Fix the cart\n\nIt is wrong.").searched) == 1


def test_the_parts_of_a_stored_query_are_found_again() -> None:
    stored = search_query(ISSUE)
    assert len(parts_of(stored).searched) == 3
    assert read_evidence(stored).title[:3] == ("cart", "total", "discount")
    assert read_evidence(stored).frames == read_evidence(ISSUE).frames
    assert "\f" not in search_query("Fix the cart")


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('File "src/cart.py", line 12, in total', Frame("src/cart.py", 12, "total")),
        ("    at Cart.total (/app/src/cart.js:12:5)", Frame("/app/src/cart.js", 12, "total")),
        ("src/cart.go:12 +0x1d", Frame("src/cart.go", 12, "")),
        ("tests/test_cart.py:12: AssertionError", Frame("tests/test_cart.py", 12, "")),
    ],
)
def test_stack_frames_of_several_languages_are_read(text: str, frame: Frame) -> None:
    assert read_evidence(text).frames == (frame,)
    assert read_evidence(" ".join(pointing_words(text))).frames == (frame,)


def test_names_and_call_chains_are_read() -> None:
    evidence = read_evidence("The sum is wrong after `Cart.total` calls apply(x) on my_cart")
    assert {"total", "apply", "mycart"} <= evidence.symbols
    assert ("cart", "total") in evidence.chains
