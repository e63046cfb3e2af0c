"""Languages without a grammar: where definitions end, what is private, imports; components and notebooks."""

import json
from collections.abc import Mapping
from functools import partial

import pytest

from sidecar.codebase import Summary, summarize
from sidecar.codebase.search.regions import Region, split_regions
from sidecar.codebase.summary import LANGUAGES
from sidecar.codebase.summary.pattern_languages import notebook_text
from tests.support.cases import together
from tests.support.depth import sample
from tests.support.growth import Work, takes_linear_time

ELIXIR = """defmodule Shop.Cart do
  @doc \"\"\"
  Sums all items.

      def example(cart)
  \"\"\"
  def total([]), do: 0

  def total(cart) do
    add(cart)
  rescue
    _ -> 0
  end

  defp add(cart) do
    Enum.sum(cart)
  end
end
"""
DART = """abstract class Cart extends Till {
  Cart(this.items);

  final List<Item> items;

  /// The sum.
  @override
  Future<int> total(Tax tax) async {
    print('adds');
    return compute(
      items,
    );
  }

  int get count => items.length;

  void _clear() {
    items.clear();
  }
}

void main() {
  test('adds', () {
    expect(1, 1);
  });
}
"""
SCALA = """object Cart {
  def total(
      items: List[Item]
  ): Int = {
    val sum = items.sum
    sum
  }

  private def tax = 3
}
"""
LUA = """local M = {}

M.total = function(items)
  local add = function(x)
    return x
  end
  return add(items)
end

local function tax(x)
  return x
end

return M
"""
HASKELL = """total :: Cart -> Int
total [] = 0
total cart =
  sum cart

-- | The tax.
tax :: Int
tax = 3
"""
SQL = """create table cart (
  id int
);

create function total() returns int as $$
begin
  select 1;
end;
$$ language plpgsql;

with items as (
  select 1
)
select * from items;
"""
DBT = """{% macro total(model) %}
select sum(price)
from {{ ref('cart') }}
{% endmacro %}
"""
ZIG = """pub const Cart = struct {
    pub fn total(self: Cart) u32 {
        return self.sum;
    }
    fn add(self: Cart) void {
        _ = self;
    }
};
"""
R = """#' Sums a cart.
total <- function(
  items,
  tax = 0
) {
  apply(items, function(x) {
    x
  })
}

Cart <- R6Class("Cart",
  public = list(
    add = function(item) {
      item
    }
  )
)
"""


def summary_of(path: str, text: str) -> Summary:
    return summarize(path, text.encode())


def regions(path: str, text: str) -> list[Region]:
    return list(split_regions(text.rstrip("\n").split("\n"), summary_of(path, text)))


@together(
    ("path", "text", "spans"),
    [
        (
            "a.ex",
            ELIXIR,
            {"Shop.Cart": (1, 18), "Shop.Cart.total": (7, 13), "Shop.Cart.add": (15, 17)},
        ),
        (
            "a.dart",
            DART,
            {
                "Cart": (1, 20),
                "Cart.Cart": (2, 2),
                "Cart.total": (8, 13),
                "Cart.count": (15, 15),
                "Cart._clear": (17, 19),
                "main": (22, 26),
            },
        ),
        ("a.scala", SCALA, {"Cart": (1, 10), "Cart.total": (2, 7), "Cart.tax": (9, 9)}),
        ("a.lua", LUA, {"M.total": (3, 8), "M.total.add": (4, 6), "tax": (10, 12)}),
        ("a.hs", HASKELL, {"total": (1, 4), "tax": (7, 8)}),
        ("a.sql", SQL, {"cart": (1, 3), "total": (5, 9), "items": (11, 13)}),
        ("a.sql", DBT, {"total": (1, 4)}),
        ("a.zig", ZIG, {"Cart": (1, 8), "Cart.total": (2, 4), "Cart.add": (5, 7)}),
        ("a.R", R, {"total": (2, 9), "Cart": (11, 17), "Cart.add": (13, 15)}),
    ],
)
def test_a_definition_ends_with_its_block(path: str, text: str, spans: dict[str, tuple[int, int]]) -> None:
    found = {
        f"{each.container}.{each.name}" if each.container else each.name: (each.line, each.end_line)
        for each in summary_of(path, text).definitions
    }
    assert found == spans


def test_what_a_language_keeps_to_a_file_is_private() -> None:
    texts = {"a.ex": ELIXIR, "a.dart": DART, "a.scala": SCALA, "a.lua": LUA, "a.zig": ZIG}
    private = {
        path: [each.name for each in summary_of(path, text).definitions if not each.public]
        for path, text in texts.items()
    }
    assert private == {
        "a.ex": ["add"], "a.dart": ["_clear"], "a.scala": ["tax"], "a.lua": ["add", "tax"], "a.zig": ["add"],
    }  # fmt: skip


def test_a_comment_is_shown_with_the_definition_below_it_not_with_the_one_above() -> None:
    lines = HASKELL.rstrip("\n").split("\n")
    tax = next(region for region in regions("a.hs", HASKELL) if region.name == "tax")
    assert lines[tax.first - 1] == "-- | The tax."


def test_clauses_of_a_function_are_one_region() -> None:
    text = "".join(f"  def rate({number}), do: {number}\n" for number in range(5))
    found = [region for region in regions("a.ex", f"defmodule Tax do\n{text}end\n") if region.name == "Tax.rate"]
    assert [(region.first, region.last) for region in found] == [(2, 7)]


def test_a_long_text_above_a_definition_is_prose() -> None:
    text = '  ## Sums\n\n  @doc """\n' + "  All about it.\n" * 9 + '  """\n  def total(x) do\n    x\n  end\n'
    found = regions("a.ex", f"defmodule Cart do\n  use Till\n\n{text}end\n")
    assert [region.name for region in found if region.is_definition] == ["Cart.total"]
    assert any(region.is_prose and (region.first, region.last) >= (4, 10) for region in found)


@together(
    ("path", "text", "imports"),
    [
        (
            "a.dart",
            "import 'package:shop/cart.dart' show Cart;\npart 'tax.g.dart';\n",
            ("package:shop/cart.dart", "tax.g.dart"),
        ),
        ("a.ex", "  alias Shop.{Cart, Tax}\n  use Till\n", ("Shop.Cart", "Shop.Tax", "Till")),
        ("a.scala", "import shop.cart.{Cart, Tax}\nimport till._\n", ("shop.cart.Cart", "shop.cart.Tax", "till._")),
        ("a.lua", "local cart = require('shop.cart')\nrequire \"tax\"\n", ("shop.cart", "tax")),
        ("a.zig", 'const cart = @import("cart.zig");\n', ("cart.zig",)),
        ("a.sol", 'import {\n    Cart\n} from "./Cart.sol";\nimport "./Tax.sol";\n', ("./Cart.sol", "./Tax.sol")),
        ("a.hs", "import qualified Shop.Cart as C\nimport Tax (rate)\n", ("Shop.Cart", "Tax")),
        ("a.jl", 'include("cart.jl")\n', ("cart.jl",)),
        ("main.tf", 'module "cart" {\n  source = "./modules/cart"\n}\n', ("./modules/cart",)),
        ("a.sql", "select * from {{ ref('stg_cart') }}\n", ("stg_cart",)),
        ("a.clj", "(ns shop.core\n  (:require [shop.cart :as cart]))\n", ("shop.cart",)),
        ("a.pm", "use Shop::Cart;\nuse Mojo::Base 'Shop::Till';\n", ("Shop::Cart", "Mojo::Base", "Shop::Till")),
        ("a.gd", 'const Cart = preload("res://shop/cart.gd")\n', ("shop/cart.gd",)),
        ("a.scss", "@use 'cart';\n", ("cart",)),
        ("a.proto", 'import "shop/cart.proto";\n', ("shop/cart.proto",)),
    ],
)
def test_imports_are_found_without_a_grammar(path: str, text: str, imports: tuple[str, ...]) -> None:
    assert set(summary_of(path, text).imports) == set(imports)


VUE = """<script setup lang="ts">
import Item from './Item.vue'

const props = defineProps<{ items: string[] }>()

function total(): number {
  return props.items.length
}
</script>

<template>
  <Item @click="total()">
    function inTheText() {}
  </Item>
</template>

<style scoped>
.cart {
  color: red;
}
</style>
"""
ASTRO = """---
import Cart from './Cart.astro';
const total = () => {
  return 1;
};
---

<Cart>
  {total()}
</Cart>
"""


def test_the_script_of_a_component_is_parsed_and_its_markup_is_a_part_of_its_own() -> None:
    summary = summary_of("a.vue", VUE)
    assert summary.analysis == "syntax"
    assert summary.imports == ("./Item.vue",)
    found = {each.name: (each.kind, each.line, each.end_line) for each in summary.definitions}
    assert found == {
        "props": ("variable", 4, 4), "total": ("function", 6, 8),
        "template": ("markup", 11, 15), "style": ("markup", 17, 21),
    }  # fmt: skip
    assert summary.purpose == "Defines total, props"
    lines = {region.name: (region.first, region.last) for region in regions("a.vue", VUE) if region.is_definition}
    assert lines == {"total": (6, 8), "template": (9, 16), "style": (17, 21)}


def test_what_is_between_dashes_at_the_top_of_a_component_is_its_script() -> None:
    summary = summary_of("a.astro", ASTRO)
    assert summary.imports == ("./Cart.astro",)
    assert [(each.name, each.line, each.end_line) for each in summary.definitions] == [
        ("total", 3, 5), ("template", 8, 10),
    ]  # fmt: skip


def test_a_script_tag_may_have_several_lines() -> None:
    text = '<script\n  lang="ts"\n>\n  export let pelican = 1\n</script>\n\n<p>{pelican}</p>\n'
    assert [each.name for each in summary_of("a.svelte", text).definitions] == ["pelican", "template"]


def notebook(*cells: Mapping[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4}, indent=1)


TEXT = {"cell_type": "markdown", "metadata": {}, "source": ["# Sums\n", "\n", "Adds up all carts of a day.\n"]}
CODE = {
    "cell_type": "code",
    "execution_count": 3,
    "metadata": {},
    "outputs": [{"data": {"image/png": "aWNl" * 900, "text/plain": ["pelican"]}, "output_type": "display_data"}],
    "source": ["#| export\n", "import shop.cart\n", "def total(cart):\n", "    return sum(cart)"],
}


def test_the_cells_of_a_notebook_are_its_regions_notebook_text() -> None:
    text = notebook(TEXT, CODE)
    summary = summary_of("a.ipynb", text)
    assert (summary.purpose, summary.imports) == ("Adds up all carts of a day.", ("shop.cart",))
    assert [each.name for each in summary.definitions] == ["Sums", "total"]
    lines = notebook_text(text).split("\n")
    shown = ["\n".join(lines[n - 1] for n in region.numbers) for region in regions("a.ipynb", text)]
    assert shown == [
        "# %% [markdown]\n# Sums\n\nAdds up all carts of a day.",
        "# %%\n#| export\nimport shop.cart\ndef total(cart):\n    return sum(cart)",
    ]
    raw = text.split("\n")
    assert all(json.dumps(line)[1:-1] in raw[at] for at, line in enumerate(lines) if line[:4] != "# %%")
    terms = {term for chunk in summary.chunks for term in chunk}
    assert "cart" in terms
    assert "pelican" not in terms


def test_the_source_of_a_cell_may_be_one_string() -> None:
    summary = summary_of("a.ipynb", notebook({**CODE, "source": "import shop.till"}, TEXT))
    assert [(each.name, each.line == each.end_line) for each in summary.definitions] == [
        ("import shop.till", True), ("Sums", False),
    ]  # fmt: skip


def test_a_source_may_share_its_lines_with_the_brackets() -> None:
    text = notebook(CODE, TEXT).replace('[\n    "#| export', '["#| export').replace('sum(cart)"\n   ]', 'sum(cart)"]')
    assert [each.name for each in summary_of("a.ipynb", text).definitions] == ["total", "Sums"]
    assert [line for line in notebook_text(text).split("\n") if line] == [
        "# %% #| export", "import shop.cart", "def total(cart):", "    return sum(cart)",
        "# %% [markdown]", "# Sums", "Adds up all carts of a day.",
    ]  # fmt: skip


def test_text_of_cells_is_read_again_as_it_is() -> None:
    assert notebook_text(notebook_text(notebook(TEXT, CODE))) == notebook_text(notebook(TEXT, CODE))


def test_outputs_end_where_they_end_whatever_ends_the_lines() -> None:
    text = notebook(CODE, TEXT)
    without = notebook_text(text.replace("\n", "\r\n"))
    assert without == notebook_text(text)
    assert "Adds up all carts" in without


def test_a_cell_that_only_instructs_tools_is_a_region_too() -> None:
    instruction = {**CODE, "source": ["#| hide\n", "%matplotlib inline"]}
    assert [each.name for each in summary_of("a.ipynb", notebook(TEXT, instruction)).definitions] == ["Sums", "hide"]


@pytest.mark.parametrize("text", ['{"cells": [], "metadata": {}}\n', "{}\n", "no JSON\n"])
def test_a_notebook_without_cells_is_summarized(text: str) -> None:
    assert summarize("empty.ipynb", text.encode()).definitions == ()


def test_a_notebook_is_read_however_large_its_outputs_are() -> None:
    picture = {**CODE, "outputs": [{"data": {"image/png": "aWNl" * 200_000}, "output_type": "display_data"}]}
    summary = summary_of("a.ipynb", notebook(picture, TEXT))
    assert [each.name for each in summary.definitions] == ["total", "Sums"]


HEADS = ("", "import ", "[a", "use ", "(", "@import(", "from ", "source = ", "{% include ", "}", "\n")
BODIES = (" ", "a", "a.", "a::", "\n", "{", "'", '"', "[a", "(", "ref(", "import ", "../")


def test_every_pattern_of_an_import_takes_linear_time() -> None:
    patterns = {pattern.pattern: pattern for language in sample(LANGUAGES, 12) for pattern in language.imports}

    def work_of(name: str, head: str, body: str, size: int) -> Work:
        return partial(_count, name, head + body * (size // len(body)))

    def _count(name: str, text: str) -> int:
        return sum(1 for _ in patterns[name].finditer(text))

    slow = [
        (name, head, body)
        for name in patterns
        for head in HEADS
        for body in BODIES
        if not takes_linear_time(partial(work_of, name, head, body), 6_000, quick_seconds=0.01)
    ]
    assert slow == []
