"""Files split into regions: definitions, windows of long ones, code between them, sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.codebase.search.regions import WINDOW_LINES, Region, split_regions
from sidecar.codebase.summary.summarize import summarize

CART = '''"""The cart."""

import decimal

RATE = 3


# Never negative.
@final
class Cart:
    """Lines and totals."""

    currency = "EUR"

    def total(self):
        return sum(self.prices)

    # The owner's code.
    @cached
    def discount(self, code):
        return self.codes[code]


def unrelated():
    return "total"
'''


def regions(text: str, path: str = "src/cart.py") -> list[Region]:
    return list(split_regions(text.rstrip("\n").split("\n"), summarize(path, text.encode())))


def texts(text: str, path: str = "src/cart.py") -> dict[str, str]:
    lines = text.split("\n")
    return {region.name: "\n".join(lines[n - 1] for n in region.numbers).strip() for region in regions(text, path)}


def test_a_definition_is_a_region_with_its_decorators_and_comment() -> None:
    assert texts(CART)["Cart.discount"].startswith("# The owner's code.\n    @cached\n    def discount")
    assert texts(CART)["unrelated"] == 'def unrelated():\n    return "total"'


@pytest.mark.parametrize(
    ("path", "decorator", "definition"),
    [
        ("src/users.py", '@router.patch(\n    "/{id}",\n    response_model=User,\n)', "def update(id):\n    return id"),
        ("src/user.ts", '@Component({\n  selector: "user",\n})', "export class User {\n  name = 1;\n}"),
        ("src/user.rs", "#[derive(\n    Clone,\n)]", "pub struct User {\n    id: u8,\n}"),
    ],
)
def test_a_decorator_of_several_lines_belongs_to_its_definition(path: str, decorator: str, definition: str) -> None:
    text = f"{decorator}\n{definition}"
    assert [(region.first, region.last) for region in regions(text, path)] == [(1, text.count("\n") + 1)]


def test_a_warning_above_a_definition_is_shown_with_it_however_long_its_comment() -> None:
    story = "".join(f"# The story goes on, part {number}.\n" for number in range(12))
    warned = texts(
        f"x = 1\n\n{story}# WARNING: never call it twice,\n# the till would open.\n@once\ndef pay():\n    go()\n"
    )
    assert warned["pay"].startswith("# WARNING: never call it twice,\n# the till would open.\n@once\ndef pay():")
    block = "/*\n   Do not reorder:\n   the printer depends on it.\n*/\nfunction print() {\n  go()\n}\n"
    assert texts(f"const a = 1\n\n{block}", "src/print.js")["print"] == block.strip()


def test_the_head_and_fields_of_a_type_are_a_region() -> None:
    assert texts(CART)["Cart"].startswith("# Never negative.\n@final\nclass Cart:")
    assert 'currency = "EUR"' in texts(CART)["Cart"]
    assert "def total" not in texts(CART)["Cart"]


def test_imports_and_constants_are_code_between_definitions() -> None:
    top = regions(CART)[0]
    assert (top.first, top.name, top.is_definition) == (1, "", False)


def test_a_long_definition_is_split_between_statements() -> None:
    body = "".join(f"    if step_{number}:\n        run({number})\n" for number in range(60))
    parts = [region for region in regions(f"def walk():\n{body}") if region.name == "walk"]
    assert len(parts) == -(-121 // WINDOW_LINES)
    lines = f"def walk():\n{body}".split("\n")
    assert all(lines[part.first - 1].startswith("    if ") for part in parts[1:])
    assert [part.head for part in parts] == [0, 1, 1, 1]


def test_a_later_window_belongs_to_the_whole_signature_of_its_definition() -> None:
    body = "".join(f"    run({number})\n" for number in range(2 * WINDOW_LINES))
    signature = "def walk(\n    cart: Cart,\n    steps: dict[str, tuple[int, int]],\n) -> int:\n"
    later = [region for region in regions(signature + body) if region.window]
    assert later
    assert {(region.head, region.head_last) for region in later} == {(1, 4)}
    endless = "def walk(\n" + "".join(f"    step_{number},\n" for number in range(40)) + "):\n" + body
    assert {(region.head, region.head_last) for region in regions(endless) if region.window} == {(1, 1)}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/Cart.java", "interface Cart {\n  int total(\n      int rate);\n}\n"),
        ("src/Cart.php", "<?php\ninterface Cart\n{\n    public function total(int $rate): int;\n}\n"),
        ("src/cart.ts", "abstract class Cart {\n  abstract total(rate: number): number;\n}\n"),
    ],
)
def test_a_function_without_a_body_is_a_declaration(path: str, text: str) -> None:
    assert [region.is_declaration for region in regions(text, path) if region.is_definition] == [True]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/Cart.java", "class Cart {\n  int total(int rate) {\n    return rate;\n  }\n}\n"),
        ("src/Cart.kt", "class Cart {\n  fun total(rate: Int) =\n    rate\n}\n"),
        ("src/cart.py", CART),
        ("src/cart.rb", "def total(rate)\n  rate\nend\n"),
    ],
)
def test_a_function_with_a_body_is_not_a_declaration(path: str, text: str) -> None:
    assert not any(region.is_declaration for region in regions(text, path))


def test_the_rest_of_a_long_docstring_is_a_region_of_its_own() -> None:
    docs = "".join(f"    Word {number}.\n" for number in range(30))
    text = f'def walk():\n    """Walks.\n\n{docs}    """\n    return go()\n'
    prose = [region for region in regions(text) if region.is_prose]
    code = next(region for region in regions(text) if not region.is_prose)
    assert prose
    assert all(region.head == 1 for region in prose)
    assert code.numbers == [1, 2, 35]


def test_a_licence_is_prose_apart_from_the_code_below_it() -> None:
    for licence in (
        "# Copyright 2016 Ada\n#\n# Licensed under the Apache License\n",
        "#!/usr/bin/env python\n# Copyright 2016 Ada\n# All rights reserved.\n# See LICENSE.\n",
    ):
        first, second, *_ = regions(licence + "\nimport decimal\n\n\ndef total():\n    return 0\n")
        assert (first.first, first.is_prose, first.is_imports) == (1, True, False)
        assert (second.first, second.is_imports) == (licence.count("\n") + 2, True)
    block = "/*\n * Copyright Ada\n * SPDX-License-Identifier: MIT\n */\n"
    first, second, *_ = regions(block + "package till;\n\nclass Cart {}\n", "src/Cart.java")
    assert ((first.last, first.is_prose), second.first) == ((4, True), 5)
    assert not regions("# The cart.\n# Its lines.\n# Its total.\n\nRATE = 3\n")[0].is_prose


def test_a_window_in_the_middle_of_a_statement_goes_on() -> None:
    text = "def long(cart):\n" + "".join(f"    cart.add({number})\n" for number in range(3 * WINDOW_LINES))
    assert [region.goes_on for region in regions(text)] == [True, True, True, False]
    assert not any(region.goes_on for region in regions(CART))


def test_each_test_of_a_suite_is_a_region() -> None:
    suite = (
        "import { add } from './cart'\n\ndescribe('cart', () => {\n  const cart = []\n\n"
        "  it('adds a line', () => {\n    expect(add(cart)).toBe(1)\n  })\n\n"
        "  describe('when full', () => {\n    function fill() {\n      return cart\n    }\n"
        "    it('refuses', () => {\n      expect(add(fill())).toBe(0)\n    })\n  })\n})\n"
    )
    named = texts(suite, "cart.test.js")
    assert named["adds a line"].strip().startswith("it('adds a line'")
    assert named["refuses"].strip().startswith("it('refuses'")
    assert not any("adds a line" in text and "refuses" in text for text in named.values())


def test_sections_of_markdown_and_keys_of_configuration_are_regions() -> None:
    assert texts("# Shop\n\nCarts.\n\n## Mail\n\nSends.\n", "README.md")["Mail"] == "## Mail\n\nSends."
    assert texts("[tool]\na = 1\n\n[build]\nb = 2\n", "x.toml") != {}


def test_the_tests_in_a_file_of_rust_are_tests() -> None:
    code = (
        "pub fn pay() -> u32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n"
        "    #[test]\n    fn pays() {\n        assert_eq!(pay(), 1);\n    }\n}\n"
    )
    assert [(region.first, region.is_test) for region in regions(code, "till.rs")] == [(1, False), (5, True), (9, True)]


def test_lines_that_only_open_a_type_are_a_frame() -> None:
    opening = "namespace Till.Tests;\n\n[TestClass]\npublic class CartTest\n{\n"
    code = f"{opening}    [TestMethod]\n    public void Pays()\n    {{\n    }}\n}}\n"
    assert regions(code, "CartTest.cs")[0].is_frame
    assert not any(region.is_frame for region in regions(CART))
    rust = "struct Cart;\n\nimpl Cart {\n    pub fn pay(&self) -> u32 {\n        1\n    }\n}\n"
    assert [region.name for region in regions(rust, "cart.rs") if region.is_frame] == ["Cart"]
    swift = "public extension Cart {\n    func pay() -> Int {\n        return 1\n    }\n}\n"
    assert regions(swift, "Cart.swift")[0].is_frame
    assert regions(swift.replace("extension", "enum"), "Cart.swift")[0].is_frame
    fields = "export class Cart {\n  total = 0\n  pay() {\n    return 1\n  }\n}\n"
    assert not any(region.is_frame for region in regions(fields, "cart.ts"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (
            "using System;\n\npublic class Till\n{\n    public int Pay()\n    {\n        return 1;\n    }\n}\n",
            "Till.cs",
        ),
        ("class Till\n  RATE = 1\n\n  def pay\n    1\n  end\nend\n", "till.rb"),
        ("<div>\n  <p>Pay</p>\n</div>\n", "till.html"),
    ],
)
def test_lines_that_only_close_something_are_no_region(text: str, path: str) -> None:
    lines = text.split("\n")
    for region in regions(text, path):
        assert any(lines[number - 1].strip(" }") not in ("", "end", "</div>") for number in region.numbers)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("export class Door {\n  open() {\n    return 1;\n  }\n\n  close() {\n    return 2;\n  }\n}\n", "door.js"),
        ("module Till\n  class Cart\n    def pay\n      1\n    end\n  end\n\nend\n\ndef go\n  2\nend\n", "till.rb"),
        ("namespace till {\nint pay()\n{\n  return 1;\n}\n\n}\n\nint go()\n{\n  return 2;\n}\n", "till.cc"),
    ],
)
def test_lines_that_close_what_is_around_a_definition_belong_to_it(text: str, path: str) -> None:
    numbers = sorted(number for region in regions(text, path) for number in region.numbers)
    assert numbers == list(range(1, text.count("\n") + 1))


def test_long_imports_are_split_between_statements() -> None:
    for count in range(8, 16):
        names = "".join(f"    Name{number},\n" for number in range(count))
        text = "".join(f"from package_{number} import (\n{names})\n" for number in range(8))
        lines = text.split("\n")
        assert all(lines[region.first - 1].startswith("from ") for region in regions(text))


@given(st.lists(st.sampled_from(["", "def a():", "    def b():", "    x = 1", "class C:", "# c", "}", '    """'])))
def test_no_line_belongs_to_two_regions_and_every_filled_line_belongs_to_one(lines: list[str]) -> None:
    text = "\n".join(lines)
    numbers = [number for region in regions(text) for number in region.numbers]
    filled = {number for number, line in enumerate(text.rstrip("\n").split("\n"), 1) if line.strip(" }")}
    assert len(numbers) == len(set(numbers))
    assert filled <= set(numbers)
