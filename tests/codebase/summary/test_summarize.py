"""Tests of file summaries: definitions of every language, purpose, terms, bounded time."""

import codecs
import itertools
import json
from collections.abc import Callable
from functools import lru_cache, partial

import pytest

from sidecar.codebase import RankedFile, from_json, region_search, summarize, to_json
from sidecar.codebase.region_search import RegionQuery, RegionSearch, SearchedFile
from sidecar.codebase.search.prompt_parts import read_evidence
from sidecar.codebase.summary import (
    LANGUAGES,
    MAX_ANALYSED_BYTES,
    MAX_DEFINITIONS,
    find_definitions,
    language_of,
    model,
)
from sidecar.codebase.summary.model import MAX_CHUNKS
from sidecar.core.redact import redact_lines
from tests.support.cases import together
from tests.support.depth import sample
from tests.support.growth import Work, takes_linear_time

SAMPLES: dict[str, tuple[str, list[str]]] = {
    "a.py": (
        (
            "import os\n\nLIMIT: int = 3\nlower = 1\nclass Cart(Base):\n"
            "    async def total(self) -> int:\n        return 1\n"
            "\n"
            "def  add(\n    item: Item,\n) -> None:\n    if LIMIT == 3:\n        pass\n"
        ),
        ["LIMIT", "Cart", "total", "add"],
    ),
    "a.ts": (
        (
            "export default class Cart<T> extends Base {\n  private async total(items: Item[]): Promise<number> {\n"
            "    if (x) {\n    }\n    return fetch(a, () => {\n    })\n  }\n  get size() {\n  }\n}\n"
            "export const add = async (item: Item) => {\n}\nconst LIMIT = 3\nexport const NAME: string = 'x'\n"
            "export interface Item {\n}\nexport type Id = string\nexport function* walk() {}\nconst enum Kind { A }\n"
        ),
        ["Cart", "total", "size", "add", "NAME", "Item", "Id", "walk", "Kind"],
    ),
    "a.jsx": (
        "function App() {\n}\nconst Row = memo(() => 1)\nconst f = x => x\nlet g = function () {}\n",
        ["App", "f", "g"],
    ),
    "a.go": (
        (
            "package cart\n\nfunc (c *Cart) Total(items []Item) int {\n}\nfunc New() *Cart {\n}\n"
            "type Cart struct {\n}\n"
            "const Limit = 3\n"
        ),
        ["Total", "New", "Cart", "Limit"],
    ),
    "a.rs": (
        (
            "pub(crate) async fn total(x: u8) -> u8 {\n}\npub struct Cart<T> {\n}\n"
            "impl<T: Into<u8>> Add for Cart<T> where T: X {\n"
            "    pub const fn add(&self) {}\n}\nmacro_rules! cart {\n}\nimpl Cart {\n"
        ),
        ["total", "Cart", "Add for Cart<T>", "add", "cart", "Cart"],
    ),
    "A.java": (
        (
            "public final class Cart extends Base {\n    private static Map<String, List<Item>> total(int a) {\n"
            "        return foo(a);\n    }\n    public Cart(int a) {\n    }\n    int x = call(1);\n}\n"
            "interface Item {}\n"
        ),
        ["Cart", "total", "Cart", "Item"],
    ),
    "a.c": (
        (
            "#include <x.h>\n#define LIMIT 3\nstatic int *cart_total(struct cart *c, int n)\n{\n  return add(n);\n}\n"
            "format_t format(int x) {\n}\nint declared(int);\nstruct cart {\n};\nif (x) {\n"
        ),
        ["LIMIT", "cart_total", "format", "cart"],
    ),
    "a.cpp": (
        (
            "template <typename T>\nclass Cart : public Base {\n};\n"
            "std::vector<Item> shop::Cart::total(int n) const {\n}\n"
            "namespace shop {\n}\nenum class Kind { A };\nshop::Cart::~Cart() {\n"
        ),
        ["Cart", "shop::Cart::total", "shop", "Kind"],
    ),
    "a.cs": (
        (
            "public sealed class Cart : Base\n{\n    public async Task<int> Total(int a)\n    {\n"
            "        return Foo(a);\n"
            "    }\n    private int x = Bar(1);\n}\n"
        ),
        ["Cart", "Total"],
    ),
    "a.rb": (
        "module Shop\n  class Cart < Base\n    def self.total(x)\n    def empty?\n",
        ["Shop", "Cart", "self.total", "empty?"],
    ),
    "a.php": (
        "<?php\nfinal class Cart {\n  public static function total() {\n  function &ref() {\n",
        ["Cart", "total", "ref"],
    ),
    "a.sh": (
        "#!/bin/sh\ntotal() {\n}\nfunction add {\n}\nfunction rm-all() {\n}\necho x\n",
        ["total", "add", "rm-all"],
    ),
    "a.kt": (
        "data class Cart(val a: Int)\nsuspend fun <T> List<T>.total(): Int {\nenum class Kind { A }\nobject One\n",
        ["Cart", "List", "Kind", "One"],
    ),
    "a.swift": ("public struct Cart {\n  mutating func total() {\n}\nextension Cart: X {\n", ["Cart", "total", "Cart"]),
    "a.sql": (
        "CREATE TABLE IF NOT EXISTS cart (\n);\ncreate unique index cart_x on cart (x);\nselect 1;\n",
        ["cart", "cart_x"],
    ),
    "a.md": ("Intro.\n# Cart #\n```sh\n# not a heading\n```\n## The total\n##### deep\n", ["Cart", "The total"]),
    "a.toml": ("x = 1\n[tool.cart]\n[[item]]\ny = [1]\n", ["tool.cart", "item"]),
    "a.yaml": ("cart:\n  inner: 1\nci/total: 2\n- x\n", ["cart", "ci/total"]),
    "a.json": ('{\n  "cart": {\n    "inner": 1\n  },\n  "total": 2\n}\n', ["cart", "total"]),
    "deep.json": ('{\n    "cart": {\n        "inner": 1\n    },\n    "total": 2\n}\n', ["cart", "total"]),
    "tabs.json": ('{\n\t"cart": {\n\t\t"inner": 1\n\t},\n\t"total": 2\n}\n', ["cart", "total"]),
    "rows.json": ('[\n    {\n        "id": 1\n    },\n    {\n        "id": 2\n    }\n]\n', ["id"]),
    "Dockerfile": ("FROM python:3.11 AS build\nRUN x\nFROM scratch\n", ["build"]),
    "Makefile": ("CART := 1\ncart: a.o\n\techo x: y\n.PHONY: cart\n", ["cart"]),
    "CMakeLists.txt": ("project(Shop)\nadd_library(cart STATIC a.c)\nset(X 1)\n", ["Shop", "cart"]),
    "a.proto": (
        "message Cart {\n  string id = 1;\n}\nservice Shop {\n  rpc Total(A) returns (B);\n}\n",
        ["Cart", "Shop", "Total"],
    ),
    "a.graphql": ("type Cart {\n  id: ID\n}\nextend type Query {\n}\nenum Kind { A }\n", ["Cart", "Query", "Kind"]),
    "a.tf": ('resource "aws_s3_bucket" "cart" {\n}\nvariable "region" {\n}\n', ["aws_s3_bucket.cart", "region"]),
    "a.vue": ("<script>\nexport function total() {\n}\n</script>\n", ["total"]),
    "a.css": (".cart {\n  color: red;\n}\n@media print {\n", [".cart", "@media print"]),
    "a.ex": ("defmodule Shop.Cart do\n  def total(x) do\n  defp add(x), do: x\n", ["Shop.Cart", "total", "add"]),
    "a.scala": ("case class Cart(a: Int)\nobject Shop {\n  def total(x: Int): Int = x\n", ["Cart", "Shop", "total"]),
    "a.dart": ("abstract class Cart {\n}\nenum Kind { a }\n", ["Cart", "Kind"]),
    "a.lua": ("local function total(x)\nend\nfunction Cart:add(x)\nend\n", ["total", "Cart:add"]),
    "a.gd": (
        "class_name Cart\nsignal paid\nconst LIMIT = 3\n\nstatic func total(items):\n\treturn 0\nfunc _ready():\n",
        ["Cart", "paid", "LIMIT", "total", "_ready"],
    ),
    "a.groovy": (
        "abstract class Cart {\n  private static def total(items) {\n  }\n}\ntask pack {\n",
        ["Cart", "total", "pack"],
    ),
    "a.mm": (
        "@interface Cart : NSObject\n- (int)total:(NSArray *)items;\n+ (Cart *)cart;\n",
        ["Cart", "total", "cart"],
    ),
    "a.ps1": ("Function Get-Total {\n}\nfilter odd { }\n", ["Get-Total", "odd"]),
    "a.R": ("total <- function(items) {\n}\nadd.item = function(x) x\n", ["total", "add.item"]),
    "a.pm": ("package Till::Cart;\nsub total {\n}\n", ["Till::Cart", "total"]),
    "a.gdshader": ("shader_type canvas_item;\nvec4 tint(vec4 c) {\n}\nvoid fragment() {\n}\n", ["tint", "fragment"]),
    "a.prisma": ("model Cart {\n  id Int @id\n}\nenum State {\n}\n", ["Cart", "State"]),
    "a.zig": (
        (
            'const std = @import("std");\npub const Cart = struct {\n    pub fn total(self: *Cart) u32 {\n    }\n};\n'
            'test "adds" {\n}\n'
        ),
        ["std", "Cart", "total", "adds"],
    ),
    "a.sol": (
        (
            "abstract contract Cart is Till {\n    event Paid(uint sum);\n    constructor() {}\n"
            "    function total() public {\n"
        ),
        ["Cart", "Paid", "constructor", "total"],
    ),
    "a.hs": (
        "module Cart where\ndata Cart = Cart\ninstance Show Cart where\ntotal, tax :: Cart -> Int\ntotal = sum\n",
        ["Cart", "Show Cart", "total"],
    ),
    "a.ml": ("type cart = int\nmodule Tax = struct\nend\nlet rec total x =\n  x\n", ["cart", "Tax", "total"]),
    "a.jl": (
        "mutable struct Cart\nend\nfunction total(x)\nend\n@inline tax(x::Int) = x * 2\ny == tax(x)\n",
        ["Cart", "total", "tax"],
    ),
    "a.clj": ("(ns shop.cart)\n(defn- total [x] x)\n(def ^:private limit 3)\n(total 1)\n", ["total", "limit"]),
    "a.nix": ("{ pkgs }:\n{\n  shell = pkgs.mkShell {\n    x = 1;\n  };\n}\n", ["shell"]),
    "a.erl": ("-module(cart).\n-record(cart, {id}).\ntotal(X) ->\n    X.\n", ["cart", "total"]),
    "a.nim": ("proc total(x: int): int =\n  x\ntype Cart = object\n", ["total", "Cart"]),
    "justfile": ("build target='all': test\n\tmake\n@test:\n\tpytest\nname := 'x'\n", ["build", "test"]),
}


@together("path", SAMPLES)
def test_definitions_are_found(path: str) -> None:
    text, names = SAMPLES[path]
    language = language_of(path)
    assert language is not None
    found = find_definitions(text.split("\n"), language)
    assert [definition.name for definition in found] == names


def test_every_language_that_defines_things_has_a_sample() -> None:
    sampled = {language.name for path in SAMPLES if (language := language_of(path))}
    assert {language.name for language in LANGUAGES if language.definitions} == sampled | {"JavaScript", "TSX"}


def test_a_definition_has_its_line_and_its_whole_signature() -> None:
    text = "\x0c\nimport x\r\ndef add(\r\n    item: Item,  # what\r\n    count: int = 1,\r\n) -> None:\r\n    pass\r\n"
    (definition,) = summarize("a.py", text.encode()).definitions
    assert definition == (3, "add", "def add(item: Item, count: int = 1) -> None", 7, "function", True, "")


def test_a_comment_between_head_and_body_is_not_part_of_the_signature() -> None:
    (definition,) = summarize("a.py", b"def add():\n    # What there is,\n    # all of it.\n    return 1\n").definitions
    assert definition.signature == "def add()"


SMALL, LARGE = "def small():\n    {}return 1\n", "class Large:\n    {}x = 1\n    y = 2\n    z = 3\n"


@together(
    ("path", "text", "purpose"),
    [
        ("cart.py", SMALL.format('"""Adds up what there is."""\n    ') + LARGE.format(""), "Defines Large, small"),
        (
            "small.py",
            SMALL.format('"""Adds up what there is."""\n    ') + LARGE.format(""),
            "small: Adds up what there is.",
        ),
        ("cart.py", SMALL.format("") + LARGE.format('"""Sums all there is."""\n    '), "Large: Sums all there is."),
        (
            "cart.py",
            SMALL.format("") + LARGE.format('"""it = Large()"""\n    '),
            "Defines Large, small",
        ),
        ("test_a.py", 'def test_adds():\n    """Sums all there is."""\n\nclass Till: ...\n', "Tests: test_adds"),
    ],
)
def test_only_the_main_definition_determines_the_purpose(path: str, text: str, purpose: str) -> None:
    assert summarize(path, text.encode()).purpose == purpose


@together(
    ("path", "text", "purpose"),
    [
        ("a.py", '"""Adds items. More."""\n', "Adds items."),
        ("a.py", '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""\nAdds items\n"""\n', "Adds items"),
        ("a.py", 'import os\n"""no docstring"""\n', ""),
        ("a.py", '"""\nshop.cart\n~~~~~~~~~\n\nAdds items. More.\n"""\n', "Adds items."),
        (
            "a.rst",
            ".. quickstart on Sun\n   a comment that goes on.\n\nTitle\n=====\n\nWhat it is. More.\n",
            "What it is.",
        ),
        ("a.ts", "/**\n * The cart. It adds.\n */\n", "The cart."),
        ("a.ts", "// Copyright 2020 Ada\n", ""),
        ("a.d.ts", '/// <reference types="vite/client" />\n', ""),
        ("a.d.ts", '/// <reference types="vite/client" />\n\n// Types of the shop.\n', "Types of the shop."),
        ("a.ts", "// source: https://example.org/use-copy\nx()\n", ""),
        ("a.sh", "#!/bin/sh\n# Exit in case of error\nset -e\n", ""),
        ("a.sh", "#!/bin/sh\n# Fails the build on error pages\n", "Fails the build on error pages"),
        (
            "a.go",
            '// Sums make two assumptions\n// 1. "x" is even\n// 2. it is big\npackage a\n',
            "Sums make two assumptions",
        ),
        ("a.ts", "/*!\n * shop\n * Copyright(c) 2020 Ada\n */\n\n/**\n * Module dependencies.\n */\n\nx()\n", ""),
        ("a.ts", "import x\n// later\n", ""),
        ("a.d.ts", "// TypeScript Version: 4.7\ntype X = 1\n", "Defines X"),
        ("a.c", "/* $OpenBSD: a.c,v 1.6 2026/07/27 nicm Exp $ */\n\n/*\n * Copyright Ada\n */\n\nint sum;\n", ""),
        ("a.c", "/* $Id$ */\n/* Sums of a cart. */\nint sum;\n", "Sums of a cart."),
        ("a.sh", "#!/bin/sh\n# $Revision: 1.2 $\n# Builds all\n", "Builds all"),
        ("a.py", '"""Sums of a cart.\n\n$Id: a.py 12 ada $\n"""\n', "Sums of a cart."),
        ("a.py", '"""$Id: a.py 12 ada $"""\n', ""),
        ("a.sh", "# Prints $Price: 3 $ and $PATH$\n", "Prints $Price: 3 $ and $PATH$"),
        ("a.rs", "//! The cart's sums.\n", "The cart's sums."),
        ("a.go", "// Package cart sums. Yes.\npackage cart\n", "Package cart sums."),
        (
            "Cart.swift",
            "//\n//  Cart.swift\n//  Shop\n//\n//  Created by Ada on 9/9/20.\n//\n\n/// Sums of a cart.\nstruct A {}\n",
            "Sums of a cart.",
        ),
        ("a.sh", "#!/bin/sh\n# Builds all\n", "Builds all"),
        ("a.md", "# Title\n\n[badge](x)\n\nWhat it is. More.\n", "What it is."),
        ("a.md", "# Title\n\n> **Compatibility Note:**\n> It needs X.\n\n> What it is. More.\n", "What it is."),
        ("a.md", "# Title\n\nWith pip:\n\n```sh\npip install x\n```\n\nWhat it is.\n", "What it is."),
        ("a.md", "# Title\n\nWith pip:\n\n```sh\npip install x\n```\n", "Sections: Title"),
        ("a.md", "# Title\n\n- [Features](#features)\n- [Use](#use)\n\nWhat it is.\n", "What it is."),
        (
            "a.md",
            "# Title\n\n[![CI](a.svg)](b) [![Tests](c.svg)](d)\nIt reads [YAML](y) of\nall kinds.\n",
            "It reads YAML of all kinds.",
        ),
        ("a.md", "# Title\n\nA | B | C\n\nTable of contents\n\n1. One\n\nHello!\n\nWhat it is.\n", "What it is."),
        ("a.md", "# Title\n\nWhat it is. Two commands build it:\n\n```sh\nx\n```\n\nMore.\n", "What it is."),
        ("a.md", f"# Title\n\n{'word ' * 40}\n", f"{'word ' * 30}word…"),
        ("a.md", '<img\n  src="a.svg" width="1" />\n\nWhat it is.\n', "What it is."),
        ("a.md", "# Title\n\nEvery handler must be listed.\n\nWhat it is.\n", "What it is."),
        ("a.md", "# Title\n\nAll you need for tea.\n", "All you need for tea."),
        ("a.md", "# Title\n\nNotebooks of all kinds.\n", "Notebooks of all kinds."),
        ("a.md", "<style>\nh1 { display: none; }\n</style>\n\nWhat it is.\n", "What it is."),
        ("a.md", "# Title\n\n/// tip\n\nPrefer a newer one.\n\n///\n\nWhat it is.\n", "What it is."),
        ("a.md", "**Pages**: <a href='x'>https://example.org</a>\n\nWhat it is.\n", "What it is."),
        (
            "a.css",
            "/* Parts of the window (a.k.a. chrome) vs. its text */\nx {}\n",
            "Parts of the window (a.k.a. chrome) vs. its text",
        ),
        ("a.sql", "-- Tables of the cart\ncreate table x (y);\n", "Tables of the cart"),
        ("a.unknown", "# A note\n", "A note"),
        ("a.dart", "// ignore_for_file: avoid_print\n\n/// Sums of the cart.\nlibrary;\n", "Sums of the cart."),
        ("a.dart", "/// {@template cart}\n/// Sums of the cart.\n/// {@endtemplate}\nlibrary;\n", "Sums of the cart."),
        ("a.sh", "#!/bin/sh\n# shellcheck disable=SC2034\n\n# Builds all\n", "Builds all"),
        ("a.R", "#' Sum a cart\n#'\n#' @description\n#' It adds.\ntotal <- function(x) x\n", "Sum a cart"),
        ("Cart.sol", "/**\n * @dev Sums of a cart. More.\n */\ncontract Cart {}\n", "Sums of a cart."),
        ("a.hs", "-- | Sums of a cart.\nmodule Cart where\n", "Sums of a cart."),
        ("a.ml", "(* Sums of a cart. *)\nlet x = 1\n", "Sums of a cart."),
        ("a.ex", 'defmodule Cart do\n  @moduledoc """\n  Sums of a cart. More.\n  """\nend\n', "Sums of a cart."),
        ("a.ex", 'defmodule Cart do\n  @moduledoc "Sums of a cart."\nend\n', "Sums of a cart."),
        ("a.ex", "# Sums of it\ndefmodule Cart do\n  @moduledoc false\nend\n", "Sums of it"),
        ("a.rb", "# typed: false\n\n# Sums of a cart.\nclass Cart\nend\n", "Sums of a cart."),
        ("a.css", "/* Layout */\nbody {}\n", ""),
        ("a.ts", "// WARNING: must be called before the router\nexport function init() {\n}\n", "Defines init"),
        ("a.rs", "// warning: not thread safe\n#[inline]\npub fn raw() {\n}\n", "Defines raw"),
        ("raw.rs", "// **HACK**: leaks\npub fn raw() {\n}\n", "Defines raw"),
        ("a.ts", "// Do not make this async\nexport class Gate {\n}\n", "Defines Gate"),
        (
            "a.ts",
            "// Warning signs of the road.\n\n// TODO: more\nexport class Gate {\n}\n",
            "Warning signs of the road.",
        ),
        ("a.ts", "// WARNING: slow.\n\n// Sums of a cart.\n\nx()\n", "Sums of a cart."),
        ("a.ts", "// TODO lists and their items\n\nx()\n", "TODO lists and their items"),
        ("a.sql", "-- AlterTable\nALTER TABLE cart ADD COLUMN x INT;\n", ""),
        (
            "a.md",
            "# Title\n\nA sample to run it with\n[Otter](https://a.org) and [Till].\n",
            "A sample to run it with Otter and [Till].",
        ),
        ("a.md", "# Title\n\n[Otter](https://a.org) is a till.\n", "Otter is a till."),
        ("a.md", "# Title\n\n**Otter** is a *small* till.\n", "Otter is a small till."),
        ("a.md", "# Title\n\nTakes **kwargs and src/** as they are.\n", "Takes **kwargs and src/** as they are."),
        ("a.md", "# Title\n\n`node fill.js` to make some prices\n\nMore text.\n", "Sections: Title"),
        ("a.md", "# Title\n\n`till` to sell tea with, and cakes.\n", "`till` to sell tea with, and cakes."),
        (
            "a.md",
            "# Title\n\n[Otter](https://a.org) [Docs](https://b.org)\n\nA till with otters.\n",
            "A till with otters.",
        ),
        ("a.rb", "# Hi, what brings you here?\n\n# Sums of a cart.\nclass Till\nend\n", "Sums of a cart."),
        ("a.rb", "# results:\n#   not done\n#   found\n\nclass Till\nend\n", "Defines Till"),
        ("a.sql", "-- Create Event\nCREATE TABLE event (x INT);\n", "Defines event"),
        ("a.rs", "//! For the till's documentation, see [`Till`].\n\npub struct Till;\n", "Defines Till"),
        ("a.rs", "//! See how the till rounds.\n\npub struct Till;\n", "See how the till rounds."),
        ("a.py", '"""\nOur exception hierarchy:\n\n* A\n"""\n', "Our exception hierarchy"),
        ("a.md", "# Title\n\n1. Start it.\n\nIf you want to stop it, run `stop`.\n\nSee below.\n", "Sections: Title"),
        ("a.md", "# Title\n\nRun the shop locally and connect it to the till.\n\nMore.\n", "Sections: Title"),
        ("CHANGES.md", "# 2.1\n\nThis is a release without changes.\n", ""),
        ("CHANGELOG.md", "# Changelog\n\nAll notable changes.\n\n## [2.1]\n\nMore carts.\n", "All notable changes."),
        (
            "lib/cart.rb",
            "# external dependencies\nrequire 'rack'\n\n# A cart of goods.\nclass Other; end\n",
            "Other: A cart of goods.",
        ),
        ("src/Cart.cs", "// ReSharper disable UnusedMember.Local\nclass Pay {}\n", "Defines Pay"),
    ],
)
def test_the_purpose_is_the_first_sentence_about_the_file(path: str, text: str, purpose: str) -> None:
    assert summarize(path, text.encode()).purpose == purpose


@together(
    ("content", "terms"),
    [
        (b"\xef\xbb\xbfpelican", {"pelican": 1}),
        (codecs.BOM_UTF16_LE + "pelican".encode("utf-16-le"), {"pelican": 1}),
        (codecs.BOM_UTF16_BE + "pelican".encode("utf-16-be"), {"pelican": 1}),
        ("pelican é".encode("latin-1"), {"pelican": 1}),
        (b"pelican\0binary", {}),
        (b"pelican " * 1_000, {}),
        (b"pelican\n" * (MAX_ANALYSED_BYTES // 8 + 1), {"pelican": 1}),
        (b"", {}),
    ],
)
def test_odd_contents_are_read_as_far_as_possible(content: bytes, terms: dict[str, int]) -> None:
    summary = summarize("a.txt", content)
    assert (summary.chunks, summary.bytes) == ((terms,) if terms else (), len(content))


def test_a_summary_is_bounded() -> None:
    text = "".join(f"def name{chr(97 + n % 26)}{n}(): pass\n" for n in range(9_000))
    summary = summarize("a.py", text.encode())
    assert len(summary.definitions) == MAX_DEFINITIONS
    assert len(summary.chunks) <= MAX_CHUNKS
    assert len(summarize("a.md", b"# " + b"x" * 390).definitions[0].name) == 100


def test_a_summary_survives_the_cache() -> None:
    summary = summarize("a.py", b'"""Doc."""\nclass Cart:\n    pass\n')
    assert from_json(to_json(summary)) == summary


HEADS = (
    "", "    ", "public ", "    public ", "static ", "export ", "export const a: ", "const a = ", "fn ",
    "impl ", "impl<",
    "pub(", "template <", "class ", "func (", "fun <", "a(", "    a(", "    a():", "int ", "#define ", "# ", "create ",
    "function ", "[", "def ", "A1_: ",
)  # fmt: skip
BODIES = (
    " ", "a", "a ", "A", "a b ", "public ", "static ", "async ", "):", ") ", "(", "<", "> ", "a:", "::", "*",
    "<a> ", "[],",
    "=", "#", " #", "where ", " where", "a\t", "const ", "export ", "~a", "-", ".", ")(", "a(", "a (",
)  # fmt: skip


def test_every_pattern_takes_linear_time() -> None:
    patterns = {pattern.pattern: pattern for language in sample(LANGUAGES, 5) for pattern in language.definitions}
    assert len(patterns) > 5

    @lru_cache(maxsize=2)
    def line(head: str, body: str, tail: str, size: int) -> str:
        return head + body * (size // len(body)) + tail

    def work_of(match: Callable[[str], object], head: str, body: str, tail: str) -> Callable[[int], Work]:
        return lambda size: partial(match, line(head, body, tail, size))

    slow = [
        (pattern.pattern, head, body, tail)
        for head, body, tail in itertools.product(HEADS, BODIES, ("", "!"))
        for pattern in patterns.values()
        if not takes_linear_time(
            work_of(pattern.match, head, body, tail),
            6_000,
            quick_seconds=0.01,
        )
    ]
    assert slow == []


BAD_LINES = (("", " "), ("    a(", "):"), ("int ", "a "), ("", "public "), ("impl a", " "))
"""What a line begins with, and what fills it."""

SUFFIXES = ("py", "ts", "rs", "java", "c", "cpp", "cs", "kt", "md", "sql")
BAD_FILES = [(f"a.{suffix}", *parts) for parts in BAD_LINES for suffix in SUFFIXES]

MOST_LINES, LINE_LENGTH = MAX_ANALYSED_BYTES // 400, 100
"""Lines of a file that is analysed and has lines of four times this length, the longest that are read."""

QUICK_FILE_SECONDS = 1.0
"""Limit for the largest file; a quadratic one takes minutes."""


@together(("path", "head", "unit"), sample(BAD_FILES, 3))
def test_the_time_for_a_file_full_of_bad_lines_is_linear_in_their_length(path: str, head: str, unit: str) -> None:
    work_of = partial(summarize_bad_lines, path, head, unit, MOST_LINES)
    assert takes_linear_time(work_of, LINE_LENGTH, quick_seconds=QUICK_FILE_SECONDS)


@together(("path", "head", "unit"), sample(BAD_FILES, 2))
def test_the_time_for_a_file_full_of_bad_lines_is_linear_in_their_number(path: str, head: str, unit: str) -> None:
    def work_of(count: int) -> Work:
        return summarize_bad_lines(path, head, unit, count, 4 * LINE_LENGTH)

    assert takes_linear_time(work_of, MOST_LINES // 4, quick_seconds=QUICK_FILE_SECONDS)


def summarize_bad_lines(path: str, head: str, unit: str, count: int, length: int) -> Work:
    line = head + unit * ((length - 1 - len(head)) // len(unit)) + "\n"
    return partial(summarize, path, (line * count).encode())


def test_an_unclosed_signature_before_a_huge_line_is_truncated() -> None:
    text = "x = 1\n" * 60 + "def f(\n{}#\n"
    assert takes_linear_time(lambda size: partial(summarize, "a.py", text.format(" " * size).encode()), 75_000)


WARNED = {
    "a.py": "class Cart:\n  # Cached. WARNING: one thread only,\n  # no lock.\n  @c\n  def total(self):\n    pass\n",
    "a.ts": "/**\n * Totals.\n *\n * Do not call it twice.\n * @returns cents\n */\nexport function total() {\n}\n",
    "a.go": "package cart\n\n// HACK: the driver lies.\nfunc Total() int {\n\treturn 1\n}\n",
    "a.rs": "/// **DANGER**: do not inline.\n#[no_mangle]\npub fn total() {\n}\n",
    "a.c": "/*\n   Don't free the cart here:\n   the caller does.\n*/\nint total(int a) {\n  return a;\n}\n",
    "a.rb": "=begin\nDANGER: drops the table.\n=end\ndef total\n  1\nend\n",
    "a.sql": "-- CAUTION: locks the table.\nCREATE TABLE total (a int);\n",
    "a.sh": "# Beware: runs as root.\ntotal() {\n  true\n}\n",
    "a.php": "<?php\n// Totals.\n// don't cache it\nfunction total() {\n  return 1;\n}\n",
    "a.kt": "// DO NOT rename, reflection.\nfun total(): Int {\n    return 1\n}\n",
    "b.py": "# warning: the till reads it\ndef total():\n    pass\n",
    "b.ts": "// hack: Safari drops the cookie\nexport function total() {\n}\n",
    "b.go": "package cart\n\n// beware of negative carts\nfunc Total() int {\n\treturn 1\n}\n",
    "a.ex": "  # Warning: slow.\n  def total(a) do\n    a\n  end\n",
}  # fmt: skip


@together("path", WARNED)
def test_a_warning_directly_above_a_definition_is_a_landmine(path: str) -> None:
    summary = summarize(path, WARNED[path].encode())
    (landmine,) = summary.landmines
    assert landmine.name.rpartition(".")[2].lower() == "total"
    assert landmine.text in {
        "WARNING: one thread only, no lock.", "Do not call it twice.", "HACK: the driver lies.",
        "DANGER: do not inline.", "Don't free the cart here: the caller does.", "DANGER: drops the table.",
        "CAUTION: locks the table.", "Beware: runs as root.", "DO NOT rename, reflection.", "Warning: slow.",
        "don't cache it", "warning: the till reads it", "hack: Safari drops the cookie", "beware of negative carts",
    }  # fmt: skip
    assert landmine.text.split()[0].rstrip(":") in WARNED[path].split("\n")[landmine.line - 1]
    assert from_json(to_json(summary)) == summary


@together(
    "text",
    [
        "# Don't auto play if the user chose an external player.\ndef plays():\n    pass\n",
        "# Do not allow large files to be imported, to avoid crashes.\ndef load():\n    pass\n",
        "# Do not create this static utility class.\ndef __init__():\n    pass\n",
        "# WARNING: far away.\n\ndef total():\n    pass\n",
        "# Values that do not match are dropped.\ndef total():\n    pass\n",
        "# Code generated by protoc. DO NOT EDIT.\ndef total():\n    pass\n",
        "# Licensed as is. WARNING: no warranty.\ndef total():\n    pass\n",
        "x = 1  # HACK: for the till\ndef total():\n    pass\n",
        "# WARNING\ndef total():\n    pass\n",
        "# warning logs go to that file.\ndef total():\n    pass\n",
        "# The levels are info and\n# warning: both are shown.\ndef total():\n    pass\n",
        "# Prints a warning: the cart is empty.\ndef total():\n    pass\n",
        "# warning, error and info\ndef total():\n    pass\n",
        "# Warning logs at that level.\ndef total():\n    pass\n",
        "# Do not check the date.\nNO_DATE = 4\n",
        "# Writes with `WARNING` severity.\ndef total():\n    pass\n",
        "# DO NOT MODIFY BY HAND. Run make.\ndef total():\n    pass\n",
        "# The hooks see values that\n# do not match any price.\ndef total():\n    pass\n",
        "# Do not follow redirects.\ndef disable_redirects():\n    pass\n",
        "# Do not add the default headers.\ndef no_default_headers():\n    pass\n",
        "# Don't wait for the till.\ndef withoutWaiting():\n    pass\n",
        "# Do not use the cache.\ndef set_ignore_cache():\n    pass\n",
        "# Do not check prices.\nclass SkipChecks:\n    pass\n",
    ],
)
def test_other_comments_are_no_landmines(text: str) -> None:
    assert summarize("a.py", text.encode()).landmines == ()


@pytest.mark.parametrize(
    "text",
    [
        "# Do not call it twice.\ndef skip_spaces():\n    pass\n",
        "# Do not use this in production.\ndef disable_checks():\n    pass\n",
        "# DO NOT follow redirects.\ndef disable_redirects():\n    pass\n",
        "# WARNING: the till stays open.\ndef without_lock():\n    pass\n",
        "# Do not follow redirects.\ndef notify():\n    pass\n",
    ],
)
def test_a_warning_about_the_use_of_a_definition_that_omits_something_is_a_landmine(text: str) -> None:
    assert len(summarize("a.py", text.encode()).landmines) == 1


@together(
    "comment",
    {
        "/** Don't sleep when the condition is true. */": 0,
        "/**\n * Do not fire an event.\n * @param x\n */": 0,
        "/** Don't use directly: the till calls it. */": 1,
        "/**\n * Sums the cart.\n * Do not sort the lines: receipts show them.\n */": 1,
        "// Do not sort the lines: receipts show them.": 1,
    }.items(),
)
def test_a_description_of_what_a_function_leaves_out_is_no_landmine(comment: tuple[str, int]) -> None:
    text, landmines = comment
    summary = summarize("a.js", f"{text}\nfunction total(x) {{\n  return x\n}}\n".encode())
    assert len(summary.landmines) == landmines


TOKEN = "ghp_" + "aZbYcXdWeV" * 4


@pytest.mark.parametrize(("text", "is_clean"), [("total = 1\n", True), (f'total = "{TOKEN}"\n', False)])
def test_a_summary_knows_whether_the_text_contains_a_secret(text: str, is_clean: bool) -> None:
    summary = summarize("a.py", text.encode())
    assert (summary.is_clean, from_json(json.loads(json.dumps(to_json(summary)))).is_clean) == (is_clean, is_clean)


def test_a_text_is_not_taken_for_clean_because_an_earlier_version_found_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = to_json(summarize("a.py", b"total = 1\n"))
    monkeypatch.setattr(model, "__version__", "999")
    assert not from_json(stored).is_clean


def test_secrets_are_searched_only_in_the_regions_of_texts_that_are_not_known_to_be_clean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {"clean.py": "def total():\n    return 1\n", "secret.py": f'def total():\n    return "{TOKEN}"\n'}
    searched = [
        SearchedFile(RankedFile(path, 1.0, {}, (), ()), path, summarize(path, text.encode()))
        for path, text in texts.items()
    ]
    masked: list[str] = []

    def mask(text: str) -> str:
        masked.append(text)
        return redact_lines(text)

    monkeypatch.setattr(region_search, "redact_lines", mask)
    search = RegionSearch()
    ranked = search.rank(RegionQuery(read_evidence("Fix total"), {"total": 1.0}), searched, lambda _: texts)
    assert masked == [texts["secret.py"]]
    shown = {region.path: search.with_lines(region, region.path) for region in ranked}
    assert {path: found.lines[1][1] for path, found in shown.items() if found is not None} == {
        "clean.py": "    return 1",
        "secret.py": '    return "[redacted]"',
    }


def test_regions_in_memory_count_with_their_lines() -> None:
    text = "".join(f"def step_{number}():\n" + f"    total = {'9' * 200}\n" * 30 + "\n" for number in range(40))
    searched = [SearchedFile(RankedFile("a.py", 1.0, {}, (), ()), "a.py", summarize("a.py", text.encode()))]
    search = RegionSearch()
    ranked = search.rank(RegionQuery(read_evidence("Fix total"), {"total": 1.0}), searched, lambda _: {"a.py": text})
    found = [with_lines for region in ranked if (with_lines := search.with_lines(region, "a.py")) is not None]
    assert vars(search)["_found"].size > sum(len(text) for region in found for _, text in region.lines) > 100_000


@together(
    ("text", "is_generated"),
    [
        ("// Code generated by protoc-gen-go. DO NOT EDIT.\n", True),
        ("# This file was automatically generated by the otter tool. Do not edit.\n", True),
        ("/*\n * Copyright\n */\n/* @generated by codegen */\n", True),
        ("<!-- Auto-generated from otter.yaml -->\n", True),
        ("# A token is generated for each request.\n", False),
        ("# Generated pages are stored here; do not confuse them with the sources.\n", False),
        ('TEMPLATE = "Code generated by otter. DO NOT EDIT."\n', False),
    ],
)
def test_a_generated_file_is_recognized_by_its_first_comments(text: str, is_generated: bool) -> None:
    assert summarize("src/otter.py", f"{text}\nOTTER = 1\n".encode()).is_generated is is_generated
