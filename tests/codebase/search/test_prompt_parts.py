"""What a long prompt points at: title, prose, stack frames, calls."""

import pytest

from sidecar.codebase.search.prompt_parts import (
    INNERMOST_FRAMES,
    Frame,
    pointing_words,
    prompt_parts,
    prose_of,
    read_evidence,
    sole_name,
    without_outer_frames,
)
from sidecar.packs import search_query
from tests.support.cases import together

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
    whole, title, prose = prompt_parts(ISSUE).searched
    assert whole == ISSUE
    assert title == "Cart.total ignores the discount"
    assert "environment" not in prose
    assert "the total is wrong" in prose
    assert len(prompt_parts("Fix the cart\n\nIt is wrong.").searched) == 1


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("getUserName", "getusernam"),
        ("who calls get_user_name?", "getusernam"),
        ("where is `USER_NAME` defined", "usernam"),
        ("getUserName of the cart", ""),
        ("getUserName, setUserName", ""),
        ("Cart.total", ""),
        ("user_name.py", ""),
        ("name", ""),
        ("getUserName " * 40, ""),
    ],
)
def test_a_query_may_be_one_compound_name_with_words_about_names(query: str, name: str) -> None:
    assert sole_name(query) == name


def test_the_parts_of_a_stored_query_are_found_again() -> None:
    stored = search_query(ISSUE)
    assert len(prompt_parts(stored).searched) == 3
    assert read_evidence(stored).title[:3] == ("cart", "total", "discount")
    assert read_evidence(stored).frames == read_evidence(ISSUE).frames
    assert "\f" not in search_query("Fix the cart")


def test_a_question_above_or_below_a_fenced_block_is_searched_by_itself() -> None:
    question, code = "The voucher is redeemed twice", "```python\nfrom shop import Cart\n\nCart().total()\n```"
    for text in (f"{question}\n\n{code}\n", f"{code}\n\n{question}\n"):
        whole, title, prose = prompt_parts(text).searched
        assert "Cart" in whole
        assert title == prose.strip() == question
    assert prompt_parts(code).searched == (code,)


@together(
    ("text", "frame"),
    [
        ('File "src/cart.py", line 12, in total', Frame("src/cart.py", 12, "total")),
        ("    at Cart.total (/app/src/cart.js:12:5)", Frame("/app/src/cart.js", 12, "total")),
        ("src/cart.go:12 +0x1d", Frame("src/cart.go", 12, "")),
        ("tests/test_cart.py:12: AssertionError", Frame("tests/test_cart.py", 12, "")),
        ("/app/src/cart.c:12:5: error: expected ;", Frame("/app/src/cart.c", 12, "")),
        (" --> src/cart.rs:12:5", Frame("src/cart.rs", 12, "")),
        ("src/cart.ts(12,5): error TS2304: Cannot find name", Frame("src/cart.ts", 12, "")),
        ("src\\Cart.cs(12,5): error CS1002: ; expected", Frame("src/Cart.cs", 12, "")),
        ("    at total (C:\\Users\\A B\\src\\cart.js:12:5)", Frame("C:/Users/A B/src/cart.js", 12, "total")),
        ("    at total (file:///C:/Users/A%20B/cart.js:12:5)", Frame("C:/Users/A%20B/cart.js", 12, "total")),
        ("    at async file:///C:/Users/A%20B/cart.js:12:5", Frame("C:/Users/A%20B/cart.js", 12, "")),
        ("C:\\shop\\Cart.java:[12,5] cannot find symbol", Frame("C:/shop/Cart.java", 12, "")),
        ("At C:\\shop\\build.ps1:12 char:5", Frame("C:/shop/build.ps1", 12, "")),
        ("e: file:///app/src/Cart.kt:12:5 Unresolved reference", Frame("/app/src/Cart.kt", 12, "")),
        (" ❯ src/cart.test.ts:12:5", Frame("src/cart.test.ts", 12, "")),
        ("#0 /app/src/Cart.php(12): Shop\\Cart->total()", Frame("/app/src/Cart.php", 12, "total")),
        ("PHP Fatal error: no price in /app/src/Cart.php on line 12", Frame("/app/src/Cart.php", 12, "")),
        ("from app/models/cart.rb:12:in `total'", Frame("app/models/cart.rb", 12, "total")),
        ("(shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1", Frame("lib/shop/cart.ex", 12, "")),
        ("tests/test_cart.py:12: ", Frame("tests/test_cart.py", 12, "")),
        ("../../src/cart.c:12:5: warning: unused", Frame("src/cart.c", 12, "")),
    ],
)
def test_stack_frames_of_several_languages_are_read(text: str, frame: Frame) -> None:
    assert read_evidence(text).frames == (frame,)
    assert read_evidence(" ".join(pointing_words(text))).frames == (frame,)


def test_a_stack_trace_has_only_the_innermost_frames_in_installed_packages() -> None:
    package = "/srv/.venv/lib/python3.12/site-packages/till"
    outer = "".join(f'  File "{package}/cart.py", line {at}, in f{at}\n    total(\n    ^^^^^\n' for at in range(20))
    own = '  File "/srv/app/main.py", line 88, in fetch\n    r = get()\n'
    python = f"It crashed:\n\nTraceback:\n{own}{outer}ValueError: no price\n"
    shown = without_outer_frames(python)
    assert own in shown
    assert shown.count("total(") == shown.count("site-packages") == INNERMOST_FRAMES
    assert [frame.line for frame in read_evidence(shown).frames] == [19, 18, 17, 88]
    assert shown.endswith("ValueError: no price\n")
    calls = "".join(f"    at f{at} (/srv/node_modules/till/lib/cart.js:{at}:5)\n" for at in range(9))
    node = f"Error: no price\n{calls}    at fetch (/srv/app/main.js:88:5)\n"
    assert [frame.line for frame in read_evidence(without_outer_frames(node)).frames] == [0, 1, 2, 88]
    assert without_outer_frames(own) == own


def lines_of(text: str) -> list[int]:
    return [frame.line for frame in read_evidence(text).frames]


def test_the_innermost_frames_of_a_stack_trace_come_first() -> None:
    python = 'File "src/main.py", line 30, in run\nFile "src/cart.py", line 12, in total\nValueError: no price\n'
    pytest_report = "tests/test_cart.py:30: in test_total\n    total()\nsrc/cart.py:12: TypeError\n"
    node = "Error: no price\n    at total (/app/src/cart.js:12:5)\n    at run (/app/src/main.js:30:5)\n"
    for text in (python, pytest_report, node):
        assert lines_of(text) == [12, 30]


def test_the_frames_of_the_last_cause_come_first() -> None:
    java = (
        "Exception in thread main: no order\n\tat shop.Main.run(Main.java:30)\n"
        "Caused by: no cart\n\tat shop.Cart.total(Cart.java:20)\n"
        "Caused by: no price\n\tat shop.Price.of(Price.java:12)\n"
    )
    assert lines_of(java) == [12, 20, 30]


def test_the_first_places_of_a_long_list_of_errors_are_read_in_its_order() -> None:
    errors = "".join(f"src/cart_{at}.c:{at}:5: error: expected ;\n" for at in range(1, 90))
    assert lines_of(errors) == list(range(1, 61))


@together(
    ("path", "lines"),
    [
        ("/usr/lib/python3.11/logging/config.py", [12]),
        ("C:/Python311/Lib/logging/config.py", [12]),
        ("/usr/local/go/src/sort/sort.go", [12]),
        ("/rustc/90b35a6239c3/library/core/src/option.rs", [12]),
        ("/srv/.venv/lib/python3.11/site-packages/shop/config.py", [30, 12]),
        ("/home/me/go/src/shop/sort/sort.go", [30, 12]),
        ("lib/python/config.py", [30, 12]),
    ],
)
def test_places_in_a_standard_library_are_not_those_of_the_project(path: str, lines: list[int]) -> None:
    assert lines_of(f'File "src/cart.py", line 12, in total\nFile "{path}", line 30, in run\n') == lines


def test_a_place_named_with_and_without_its_function_is_one_frame() -> None:
    assert read_evidence("src/cart.py:12: in total\nsee src/cart.py:12\n").frames == (
        Frame("src/cart.py", 12, "total"),
    )


@together(
    ("place", "path", "lies_in"),
    [
        ("/home/me/shop/src/cart.py", "src/cart.py", True),
        ("cart.py", "src/cart.py", True),
        ("/srv/.venv/lib/python3.12/site-packages/shop/cart.py", "src/shop/cart.py", True),
        ("/srv/.venv/lib/python3.12/site-packages/shop/cart.py", "cart.py", True),
        ("src/my_cart.py", "cart.py", False),
        ("lib/cart.py", "src/cart.py", False),
    ],
)
def test_a_frame_lies_in_a_file_if_one_path_ends_with_the_other(place: str, path: str, lies_in: bool) -> None:
    assert Frame(place, 12, "").lies_in(path) is lies_in


@together(
    ("message", "name"),
    [
        ("src/cart.go:12:5: undefined: total", "total"),
        ("src/cart.go:12:5: c.discount undefined (type *shop.Cart has no field or method discount)", "discount"),
        ("src/cart.c:12:5: error: unknown type name ‘struct cart’", "cart"),
        ("src/Cart.java:12: error: cannot find symbol\n  symbol:   method total()\n", "total"),
        ("e: /app/src/Cart.kt:12:5 Unresolved reference: total", "total"),
    ],
)
def test_names_in_a_message_about_a_place_are_searched_for(message: str, name: str) -> None:
    assert f"{name}()" in pointing_words(message)


def test_quoted_names_in_prose_are_not_taken_for_those_of_a_message() -> None:
    assert pointing_words("What does ‘total’ mean, and why is it undefined: total?") == []


def test_names_and_call_chains_are_read() -> None:
    evidence = read_evidence("The sum is wrong after `Cart.total` calls apply(x) on my_cart")
    assert {"total", "apply", "mycart"} <= evidence.symbols
    assert ("cart", "total") in evidence.chains


DIFF = """What is wrong with this change?

diff --git a/src/cart.py b/src/cart.py
index 1111111..2222222 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -9,7 +9,7 @@ def total(self):
     prices = self.prices
-    return sum(prices)
+    return round(sum(prices))
"""


def test_places_of_a_diff_are_its_hunks() -> None:
    assert read_evidence(DIFF).frames == (Frame("src/cart.py", 12, "total"),)
    assert "prices" not in prose_of(DIFF)
    assert "What is wrong" in prose_of(DIFF)


def test_places_of_a_linters_list_belong_to_the_file_above_them() -> None:
    text = "Fix these:\n\n/app/src/cart.ts\n  12:5  error  'x' is not defined\n  20:1  warning  Unexpected console\n"
    assert read_evidence(text).frames == (Frame("/app/src/cart.ts", 12, ""), Frame("/app/src/cart.ts", 20, ""))

    next_lint = "./src/cart.ts\n12:5  Error: 'x' is not defined.  no-undef\n20:1  Warning: Unexpected console.\n"
    assert read_evidence(next_lint).frames == (Frame("src/cart.ts", 12, ""), Frame("src/cart.ts", 20, ""))
    assert lines_of("Log\n12:5  errors were found\n12:30 meeting\n") == []


TEMPLATE = """### Is there an existing issue for this?

- [x] I have searched the existing issues

<!-- Please describe what happens. -->
### Bug description

The voucher is redeemed twice

### Expected behavior

2026-04-26 13:22:40,202 | INFO | loading the catalogue
ERROR: worker died
- OS: Linux
Python version: 3.11

> quoted words of somebody
"""


def test_headings_checkboxes_and_logs_of_an_issue_are_no_prose() -> None:
    assert prompt_parts(TEMPLATE).title == "The voucher is redeemed twice"
    assert prose_of(TEMPLATE).split() == "The voucher is redeemed twice".split()


def test_headings_of_its_own_stay_in_a_text() -> None:
    text = "Logs are written twice\n\nThe description of a voucher is cut.\n## Versions of vouchers differ\n"
    assert prose_of(text).split() == text.split()
