"""Tests of the grammars: definitions, invariants, imports, references and purpose of each language."""

import gc
import tracemalloc
from typing import NamedTuple

import pytest

from sidecar.codebase import Summary, summarize
from sidecar.codebase.summary import LANGUAGES, language_of
from tests.codebase.summary.samples import SOURCES


class Expected(NamedTuple):
    """Expected content of a sample's summary."""

    language: str
    purpose: str
    definitions: list[str]
    """Line and last line, `+` or `-` for public or not, kind, container and name, signature."""
    invariants: list[str]
    imports: list[str]
    references: set[str]
    """A subset of the references."""


EXPECTED = {
    "shop/cart.py": Expected(
        "Python",
        "Adds up the items of a cart, tax included.",
        [
            "16-16 +variable LIMIT: LIMIT = 3",
            '17-17 +variable Key: Key = TypeVar("Key", bound=Item)',
            '18-18 +variable Mode: Mode = Literal["open", "closed"]',
            "21-33 +class Cart: class Cart(Base)",
            "25-30 +function Cart.total: def total(self) -> int",
            "32-33 -function Cart._reset: def _reset(self)",
            "36-44 +function add: async def add(items: list[Item], *, limit: int = LIMIT) -> int",
            "40-40 -function add.inner: def inner()",
        ],
        [
            '17 Key = TypeVar("Key", bound=Item)',
            '18 Mode = Literal["open", "closed"]',
            "22 Totals must never be negative.",
            "26 The tax is always added last.",
            '28 if not self.items: raise EmptyCart("nothing in it")',
            '29 assert self.tax >= 0, "tax"',
            "42 if len(items) > limit: raise ValueError(limit)",
            "44 unless len(items) > limit: raise TypeError",
        ],
        [
            "__future__.annotations",
            "os.path",
            "json",
            "..money.Tax",
            ".items.Item",
            ".items.Price",
            ".store",
            "shop.rules",
        ],
        {"TypeVar", "Base", "EmptyCart", "Item"},
    ),
    "src/cart.ts": Expected(
        "TypeScript",
        "Adds up the items of a cart.",
        [
            "10-10 -variable fs: const fs = require('node:fs')",
            "13-13 +type Mode: export type Mode = 'open' | 'closed'",
            "14-14 +interface Priced: export interface Priced { price: number; total(): number }",
            "14-14 +method Priced.total: total(): number",
            "15-15 +enum Kind: export enum Kind { Small = 'small', Large = 'large' }",
            "17-29 +class Cart: export default class Cart<T extends Item> extends Base implements Priced",
            "19-19 +method Cart.constructor: constructor(readonly tax: Tax)",
            "20-26 +method Cart.total: async total(limit: number): Promise<number>",
            "27-27 -method Cart.reset: private reset()",
            "28-28 -method Cart.#hidden: #hidden()",
            "30-30 +function add: export const add = async (item: Item): Promise<void>",
            "31-31 -function local: function local()",
            "31-31 -function local.inner: function inner()",
            "33-33 +variable secret: const secret = 1",
        ],
        [
            "13 type Mode = 'open' | 'closed'",
            "22 if limit < 0: throw new RangeError('limit')",
            "30 console.assert(item.price > 0)",
            "32 Callers must hold the lock.",
        ],
        ["./items", "../money", "./rules", "node:fs", "./sum"],
        {"Tax", "Base", "Item", "RangeError"},
    ),
    "src/App.tsx": Expected(
        "TSX",
        "Defines App",
        ["2-5 +function App: export function App({ title }: { title: string }): JSX.Element"],
        [],
        ["react"],
        {"Header", "Layout", "Element", "useState"},
    ),
    "lib/cart.js": Expected(
        "JavaScript",
        "Defines Cart, add, empty",
        [
            "3-8 +class Cart: class Cart",
            "4-7 +method Cart.total: total(items)",
            "9-9 -function helper: function helper()",
            "10-10 +function add: exports.add = function (item)",
            "16-16 +function empty: Cart.prototype.empty = function ()",
            "17-17 -function _sweep: Cart._sweep = function ()",
            "18-18 -function nobody: helper.nobody = function ()",
            "19-19 -test Cart: describe('Cart')",
            '19-19 -test adds up: it("adds up")',
        ],
        ["5 if !items: throw new TypeError('items')"],
        ["./items"],
        {"sum", "TypeError", "Item"},
    ),
    "cart/cart.go": Expected(
        "Go",
        "Package cart adds up items.",
        [
            "9-9 +constant Limit: const Limit = 3",
            '11-11 -variable errEmpty: var errEmpty = errors.New("empty")',
            "14-17 +struct Cart: type Cart struct { Items []Item tax int }",
            "19-21 +interface Priced: type Priced interface { Price() int }",
            "20-20 +method Priced.Price: Price() int",
            "23-23 +type Mode: type Mode string",
            "25-33 +method Cart.Total: func (c *Cart) Total(limit int) (int, error)",
            "36-36 +function New: func New[T any](items []T) *Cart",
            "38-38 -function helper: func helper()",
        ],
        [
            '27 if limit < 0: return 0, fmt.Errorf("limit %d", limit)',
            '30 if c == nil: panic("no cart")',
            "35 New must be called once.",
        ],
        ["fmt", "example.com/shop/money"],
        {"Errorf", "panic", "Sum", "Item"},
    ),
    "src/cart.rs": Expected(
        "Rust",
        "Adds up the items of a cart.",
        [
            "5-5 -module inner: mod inner",
            "5-5 +function inner.deep: pub fn deep()",
            "9-11 +struct Cart: pub struct Cart<T> { pub items: Vec<T>, }",
            "12-12 +enum Kind: pub enum Kind { Small, Large(u8) }",
            "13-13 +trait Priced: pub trait Priced",
            "13-13 +function Priced.price: fn price(&self) -> u32",
            "15-17 +impl Cart: impl<T: Into<u8>> Priced for Cart<T> where T: Clone",
            "16-16 +function Cart.price: fn price(&self) -> u32",
            "18-28 +impl Cart: impl<T> Cart<T>",
            "19-26 +function Cart.new: pub fn new(items: Vec<T>) -> Result<Self, Error>",
            "27-27 -function Cart.hidden: fn hidden(&self)",
            "29-29 +constant LIMIT: pub(crate) const LIMIT: u8 = 3",
            "30-30 +macro cart: macro_rules! cart { () => {}; }",
            "32-0 +struct Pinned: pub struct Pinned { x: u8 }",
            "35-38 -module tests: mod tests",
            "37-37 -function tests.adds: fn adds()",
        ],
        [
            "21 if items.is_empty(): return Err(Error::Empty)",
            '23 assert!(items.len() < 10, "too many")',
            "24 SAFETY: the pointer is never null.",
            '25 items.first().expect("has one")',
            '27 panic!("never")',
        ],
        ["crate::money", "crate::money::Tax", "crate::money::rules", "std::collections::HashMap", "self::items"],
        {"Clone", "Err", "Into", "Error"},
    ),
    "src/Cart.java": Expected(
        "Java",
        "Cart: Adds up the items of a cart.",
        [
            "12-32 +class Cart: public final class Cart<T> extends Base implements Priced",
            "13-13 +constant Cart.LIMIT: public static final int LIMIT = 3",
            "16-18 +constructor Cart.Cart: public Cart(List<Item> items)",
            "21-27 +method Cart.total: public int total(int limit) throws EmptyCart",
            "29-29 -method Cart.reset: private void reset()",
            "31-31 +enum Cart.Kind: enum Kind { SMALL, LARGE }",
            "34-34 +interface Priced: interface Priced",
            "34-34 +method Priced.price: int price()",
        ],
        ['23 if limit < 0: throw new IllegalArgumentException("limit")', "25 Preconditions.checkArgument(limit < 10)"],
        ["java.util.List", "shop.money.Tax.rate", "shop.rules"],
        {"Base", "EmptyCart", "IllegalArgumentException", "Item"},
    ),
    "src/cart.c": Expected(
        "C",
        "Adds up the items of a cart.",
        [
            "4-4 +macro LIMIT: #define LIMIT 3",
            "5-5 +macro ADD: #define ADD(a, b) ((a) + (b))",
            "7-7 +type cart_t: typedef struct cart { int tax; } cart_t",
            "7-7 +struct cart: struct cart { int tax; }",
            "8-8 +enum kind: enum kind { SMALL, LARGE }",
            "10-10 +declaration cart_total: int cart_total(struct cart *c, int limit)",
            "12-18 -function cart_items: static int *cart_items(cart_t *c)",
        ],
        ["14 assert(c != NULL)", "16 if c->tax < 0: abort()"],
        ["stdio.h", "money/tax.h"],
        {"abort", "items_of"},
    ),
    "src/cart.cpp": Expected(
        "C++",
        "Adds up the items of a cart.",
        [
            "5-19 +namespace shop: namespace shop",
            "7-15 +class shop.Cart: template <typename T> class Cart : public Base",
            "9-9 +declaration shop.Cart.Cart: explicit Cart(std::vector<Item> items)",
            "10-14 +function shop.Cart.total: int total(int limit) const",
            "16-16 +enum shop.Kind: enum class Kind { Small, Large }",
            "17-17 +method shop.Basket.total: int Basket::total() const",
            "18-18 -function shop.helper: static int helper()",
        ],
        ['11 if limit < 0: throw std::invalid_argument("limit")', "12 static_assert(sizeof(int) == 4)"],
        ["vector", "cart.hpp"],
        {"sum", "invalid_argument", "Base", "Item"},
    ),
    "src/Cart.cs": Expected(
        "C#",
        "Cart: Adds up the items of a cart.",
        [
            "9-20 +class Cart: public sealed class Cart<T> : Base where T : class",
            "12-12 +property Cart.Tax: public int Tax { get; set; }",
            "13-18 +method Cart.Total: public async Task<int> Total(int limit)",
            "19-19 -method Cart.Reset: void Reset()",
            "21-21 +interface IPriced: public interface IPriced",
            "21-21 +method IPriced.Price: int Price()",
            "22-22 +enum Kind: enum Kind { Small, Large }",
        ],
        [
            "9 where T : class",
            '15 if limit < 0: throw new ArgumentException("limit")',
            "16 ArgumentNullException.ThrowIfNull(limit)",
        ],
        ["System.Text", "Shop.Money.Tax", "Shop.Rules"],
        {"ArgumentException", "Base", "Bar", "Sum"},
    ),
    "lib/cart.rb": Expected(
        "Ruby",
        "Adds up the items of a cart.",
        [
            "7-28 +module Shop: module Shop",
            "8-27 +class Shop.Cart: class Cart < Base",
            "9-9 +constant Shop.Cart.LIMIT: LIMIT = 3",
            "10-10 +property Shop.Cart.tax: attr_reader :tax",
            "13-16 +method Shop.Cart.open: def self.open(items)",
            "18-22 +method Shop.Cart.empty?: def empty?",
            "26-26 -method Shop.Cart.reset: def reset; end",
        ],
        [
            "11 validates :tax, presence: true",
            '14 if items.nil?: raise ArgumentError, "items"',
            '20 unless ready: raise NotReady.new("later")',
        ],
        ["json", "./money/tax"],
        {"Base", "NotReady", "ArgumentError", "attr_reader"},
    ),
    "src/Cart.php": Expected(
        "PHP",
        "Adds up the items of a cart.",
        [
            "9-23 +class Cart: abstract class Cart extends Base implements Priced",
            "11-11 +constant Cart.LIMIT: const LIMIT = 3",
            "13-20 +method Cart.total: public static function total(int $limit): int",
            "22-22 -method Cart.reset: private function reset()",
            "25-25 +enum Kind: enum Kind: string { case Small = 'small'; }",
            "27-27 +function add: function add(Item $item)",
        ],
        ["16 if $limit < 0: throw new InvalidArgumentException('limit')", "18 assert($limit < 10)"],
        ["Shop\\Money\\Tax", "Shop\\Rules\\Limit", "Shop\\Rules\\Rounding", "./helpers.php"],
        {"Base", "InvalidArgumentException", "Item", "Priced"},
    ),
    "bin/cart.sh": Expected(
        "Shell",
        "Adds up the items of a cart.",
        ["7-7 +variable LIMIT: LIMIT=3", "9-16 +function total: total()", "18-18 -function _reset: function _reset"],
        [
            "3 set -euo pipefail",
            "10 ${1:?which cart}",
            '13 if [ -z "$cart" ]: exit 2',
            "19 unless [[ -d $DIR ]]: exit 1",
        ],
        ["./lib/money.sh", "$DIR/rules.sh"],
        {"sum_of"},
    ),
    "src/Cart.kt": Expected(
        "Kotlin",
        "Cart: Adds up the items of a cart.",
        [
            "8-16 +class Cart: data class Cart(val items: List<Thing>) : Base()",
            "9-13 +function Cart.total: fun total(limit: Int): Int",
            "15-15 -function Cart.reset: private fun reset()",
            "18-20 +class Priced: interface Priced",
            "19-19 +function Priced.price: fun price(): Int",
            "22-24 +object Carts: object Carts",
            "23-23 +property Carts.all: val all = mutableListOf<Cart>()",
            "26-26 +function total: fun List<Cart>.total(): Int",
            "28-28 +type Sum: typealias Sum = Int",
        ],
        ["10 require(limit >= 0)", '11 if items.isEmpty(): throw EmptyCart("nothing")'],
        ["shop.money.Tax", "shop.rules", "shop.items.Item"],
        {"EmptyCart", "Base", "Thing", "List"},
    ),
    "Sources/Cart.swift": Expected(
        "Swift",
        "Adds up the items of a cart.",
        [
            "5-19 +class Cart: public struct Cart: Priced",
            "6-6 +property Cart.items: public let items: [Item]",
            "8-11 +constructor Cart.init: public init(items: [Item])",
            "13-16 +function Cart.total: func total(limit: Int) throws -> Int",
            "18-18 -function Cart.reset: private func reset()",
            "21-23 +protocol Priced: protocol Priced",
            "22-22 +method Priced.price: func price() -> Int",
            "25-27 +class Cart: extension Cart",
            "26-26 +function Cart.describe: func describe() -> String",
            "29-29 +type Sum: typealias Sum = Int",
        ],
        ['9 precondition(!items.isEmpty, "empty")', "14 unless limit > 0: throw CartError.limit"],
        ["Foundation", "Money.Tax"],
        {"sum", "Item", "precondition"},
    ),
}


@pytest.mark.parametrize("path", SOURCES)
def test_a_summary_contains_definitions_invariants_imports_and_references(path: str) -> None:
    summary, expected = summarize(path, SOURCES[path].encode()), EXPECTED[path]
    assert [_shown(summary, number) for number in range(len(summary.definitions))] == expected.definitions
    assert [f"{item.line} {item.text}" for item in summary.invariants] == expected.invariants
    assert list(summary.imports) == expected.imports
    assert expected.references <= set(summary.references)
    assert (summary.language, summary.purpose, summary.analysis) == (expected.language, expected.purpose, "syntax")


def _shown(summary: Summary, number: int) -> str:
    item = summary.definitions[number]
    name = f"{item.container}.{item.name}" if item.container else item.name
    return f"{item.line}-{item.end_line} {'+' if item.public else '-'}{item.kind} {name}: {item.signature}"


def test_every_language_with_a_grammar_has_a_sample() -> None:
    with_grammar = {language.name for language in LANGUAGES if language.grammar and not language.scripts}
    assert with_grammar == {language.name for path in SOURCES if (language := language_of(path))}


def test_an_unfinished_edit_hides_no_definitions() -> None:
    text = "def first():\n    return (1\n\nclass Cart:\n    def total(self:\n        pass\n\ndef last():\n    pass\n"
    names = {item.name for item in summarize("a.py", text.encode()).definitions}
    assert {"first", "Cart", "total", "last"} <= names


def test_scripts_are_recognised_by_their_first_line_and_headers_by_their_text() -> None:
    assert summarize("bin/run", b"#!/usr/bin/env bash\nmain() { :; }\n").language == "Shell"
    assert summarize("bin/run", b"#!/usr/bin/python3.11 -u\nx = 1\n").language == "Python"
    assert summarize("a.h", b"namespace shop {\nclass Cart {};\n}\n").language == "C++"
    assert summarize("a.h", b"struct cart { int a; };\n").language == "C"
    assert summarize("docker/Dockerfile.dev", b"FROM x AS build\n").language == "Dockerfile"
    assert summarize("notes", b"hello\n").language == "text"


def test_assertions_in_tests_are_not_invariants() -> None:
    text = b"def test_total():\n    # The total must be one.\n    assert total() == 1\n"
    assert [item.text for item in summarize("tests/test_cart.py", text).invariants] == ["The total must be one."]
    assert len(summarize("cart.py", text).invariants) == 2


def test_a_licence_contains_no_invariant_and_no_purpose() -> None:
    text = b"# Copyright Ada\n# Redistributions must retain the above copyright notice.\n\nimport x\n"
    summary = summarize("a.py", text)
    assert (summary.invariants, summary.purpose) == ((), "")


def test_secrets_are_masked_in_every_field() -> None:
    key = "ghp_" + "a1B2" * 9
    pem = "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----"
    for head in ("", f'KEY = """{pem}"""\n'):
        body = f'    # must never show {key}\n    assert token != "{key}"\n'
        text = f'{head}TOKEN = "{key}"\n\ndef call(token="{key}"):\n{body}'
        summary = summarize("a.py", text.encode())
        assert key not in repr(summary)
        assert "MIIabc" not in repr(summary)
        assert [item.name for item in summary.definitions][-2:] == ["TOKEN", "call"]
        assert summary.definitions[-1].line == text.split("\ndef", maxsplit=1)[0].count("\n") + 2


@pytest.mark.parametrize("text", ["[" * 500_000, "a<\n" * 100_000, "(" * 400 + "\n", "x=[\n" * 20_000, "@a\n" * 50_000])
@pytest.mark.parametrize("path", ["a.py", "a.cs", "a.ts", "a.php"])
def test_an_unparsable_text_falls_back_to_patterns(path: str, text: str) -> None:
    summary = summarize(path, (("<?php\n" if path == "a.php" else "") + text).encode())
    assert summary.analysis in ("syntax", "patterns", "minified")
    assert summary.bytes >= len(text)


def test_a_long_text_with_an_error_still_has_its_definitions() -> None:
    text = 'Key = TypeVar("Key")\n\n\n' + "def f(x):\n    return x\n\n\n" * 500 + "def g(:\n"
    summary = summarize("a.py", text.encode())
    assert summary.definitions[0].name == "Key"
    assert summary.invariants[0].text == 'Key = TypeVar("Key")'


@pytest.mark.parametrize("end", ["", "def g(:\n"])
def test_a_parsed_text_does_not_stay_in_memory(end: str) -> None:
    def text(number: int) -> bytes:
        return f"# {number}\n".encode() + b"def f(x):\n    return x\n\n\n" * 400 + end.encode()

    summarize("a.py", text(0))
    tracemalloc.start()
    for number in range(8):
        summarize("a.py", text(number))
    gc.collect()
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert allocated < 4 * len(text(0))
