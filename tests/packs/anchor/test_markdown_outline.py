"""The parts of a Markdown text that an anchor needs."""

import pytest

from sidecar.packs.anchor import bullets, code_lines, document_title, introduction
from sidecar.packs.anchor.markdown_parts import numbered_sentences, plain
from tests.support.cases import together


@together(
    ("text", "expected"),
    [
        ("# Shop\n\n[![ci](a)](b)\n\nA **small** [shop](x).\n", "A small shop."),
        ("# Shop\n\n## News\n\nWe released 2.0!\n\n---\n\nShop is a [Django] app.\n", "Shop is a Django app."),
        (":Version: 1\n:Keywords: a, b,\n  c, d\n\nShop sells.\n", "Shop sells."),
        ("> Quoted\nand on.\n\n    code\n\nShop sells.\n", "Shop sells."),
        ("`Shop <https://a.b>`_ is a shop.\n", "Shop is a shop."),
        ("https://example.org/picture\n\n🎬&nbsp;Demo - https://shop.org\n\nA shop.\n", "A shop."),
        ("**URL**: https://shop.org\n\nThere are several ways to sell.\n", ""),
        ("A new Flutter project.\n\n- one\n- two\n\nSells tea.\n", "Sells tea."),
        ("The shop of https://shop.org and its desk.\n", "The shop of https://shop.org and its desk."),
        ("Our sponsors are the best.\n\nA shop.\n", "A shop."),
        ("```\nA shop.\n```\n", ""),
        (
            "<h2><b>Shop</b></h2>\n<h4>A till for small shops.</h4>\n\n# Keys\n\nIt is a key.\n",
            "A till for small shops.",
        ),
        ('<p align="center">\n  Sell tea with Shop,\n  a till.\n</p>\n', "Sell tea with Shop, a till."),
        ('<p>Read <a href="b">the blog</a> of the shop</p>\n\nSells tea.\n', "Sells tea."),
        ("A description of this package.\n\nSells tea.\n", "Sells tea."),
        ("This template provides a minimal setup to get React working in Vite.\n", ""),
        ("# Shop\n\n## Stack\n\n- Vue\n\n## How to use it\n\nClick the button at the top.\n", ""),
        ("# Shop\n\n## Install\n\nUsing npm:\n\n```sh\nnpm i\n```\n", ""),
        ("# Shop\n\nThe till sells:\n\n- tea\n", ""),
        ("# Shop\n\n## Overview\n\nSells tea.\n", "Sells tea."),
        ("## Shop\n\nSells tea.\n", "Sells tea."),
        ("# Shop\n\nSite and API of <https://shop.org>.\n", "Site and API of https://shop.org."),
        ("[Report](a.md) - [Prices](b.md)\n\n# Shop\n\nSells tea.\n", "Sells tea."),
        ("---\noutput:\n  html: x\n---\n\n# Shop\n\nSells tea.\n", "Sells tea."),
        ("# Shop\n\nEvery handler must be registered in `app.py`.\n", ""),
        ("# Shop\n\nNever round twice.\n\nSells tea.\n", "Sells tea."),
        ("# Shop\n\nNever count tea by hand again.\n", "Never count tea by hand again."),
        ("# Shop\n\nAll you need to sell tea.\n", "All you need to sell tea."),
        ("# Site\n\nThis website is built using [Docusaurus](x), a modern site generator.\n", ""),
        ("# Shop\n\nModule which sells.\n\n## Keys\n\nSetting the `key` is a one time step.\n", "Module which sells."),
        ("# Shop\n\nSells tea. These are its keys:\n\n- a\n", "Sells tea."),
        (
            "# Shop\n\nSells tea in shops of all sizes, and each till of one has these keys:\n",
            "Sells tea in shops of all sizes, and each till of one has these keys:",
        ),
        ("Shop Tills\n\n  till sells tea in small shops.\n\nUsage:\n", "till sells tea in small shops."),
        ("Fast tills\n", "Fast tills"),
        ("# Shop\n\nFast tills\n\nSells tea.\n", "Fast tills"),
        ("Sells tea.\n\nHere it begins.\n", "Sells tea."),
        ("# Shop\n\nFast till in C.\n\n## Use\n\nI took some tea. That page is a joke of mine.\n", "Fast till in C."),
        ("Web tills are the product.\n", "Web tills are the product."),
        ("# Shop\n\nNews of the till.\n\nWeb framework for tills is a shop.\n", "Web framework for tills is a shop."),
        ("# Shop\n\nWIP\n", ""),
        ("# Shop\n\nWork in progress.\n", ""),
        ("# Shop\n\nWIP: a till for small shops.\n", "WIP: a till for small shops."),
        ("# Shop\n\n`node fill.js` to generate some prices\n", ""),
        ("# Shop\n\n`till` to sell tea with.\n", "`till` to sell tea with."),
        ("<!--\nMade by a tool.\n\nEdit the template.\n-->\n\nSells tea. <!-- for now -->\n", "Sells tea."),
        ("Shop\n====\n\nSells tea.\n\nAn example of a sale:\n", "Sells tea."),
        ("Shop\n====\n\n.. code-block:: sh\n\n   pip install a shop\n\n   shop\n\nSells tea.\n", "Sells tea."),
        ("Shop\n====\n\n..\n\n  Sells tea.\n", "Sells tea."),
        ("{% hint %}\n\n{: .lead}\n\nSells tea.\n", "Sells tea."),
    ],
)
def test_the_introduction_is_the_defining_paragraph(text: str, expected: str) -> None:
    assert introduction(text) == expected


def test_a_list_item_includes_continuation_lines_and_code_has_no_items() -> None:
    text = "# A\n- one\n  more\n* two\n\n  not this\n```sh\n- three\n```\n1. four\n"
    assert [(line.number, line.text) for line in bullets(text)] == [(2, "one more"), (4, "two"), (10, "four")]


def test_code_blocks_know_their_headings() -> None:
    lines = list(code_lines("Shop\n====\n\nWork\n----\n\n~~~bash\nmake\n~~~\n# Use\n```\nshop\n", ()))
    assert [(line.block.language, line.text, line.block.headings) for line in lines] == [
        ("bash", "make", ("Shop", "Work"))
    ]


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("Run from `app/` unless stated otherwise.\n\n```\nmake\n```\n\n```\nmake all\n```\n", ["app/", "app/"]),
        ("All commands must be run inside the `app` folder.\n\n### Test\n```\nmake\n```\n", ["app/"]),
        ("Run from `app/`.\n\n## Release\n```\nmake\n```\n", [""]),
        ("The codes: run in `app/`:\n```\nmake\n```\nThen:\n```\nmake\n```\n", ["app/", ""]),
        ("Run the tests in `app/`:\n```\nmake\n```\n", [""]),
        ("Run from `docs/`:\n```\nmake\n```\n", [""]),
        (
            "```\nmake  # in app — see below\nmake all\nnpm ci\nmake  # in docs\nmake x # the app/\n```\n",
            ["app/", "app/", "", "", ""],
        ),
        ("```\ncd app\nmake\ncd ../\nmake\n```\n", ["app/", ""]),
        ("```\ngit clone https://example.org/till/app.git\ncd app\nmake\ncd app\nmake\n```\n", ["", "", "app/"]),
        ("```\ngit clone https://example.org/till/app\n```\nThen:\n```\ncd app\nmake\n```\n", ["", ""]),
    ],
)
def test_commands_are_for_the_folder_that_a_guide_names(text: str, folders: list[str]) -> None:
    assert [line.folder for line in code_lines(f"## Work\n\n{text}", ("app/",))] == folders


def test_paths_from_above_the_clone_are_relative_to_it() -> None:
    text = "```\ngit clone https://example.org/till/shop\npip install -r shop/base.txt -r other/shop/dev.txt\n```\n"
    assert [line.text for line in code_lines(text, ())][1] == "pip install -r base.txt -r other/shop/dev.txt"
    assert [line.text for line in code_lines(text, ("shop/",))][
        1
    ] == "pip install -r shop/base.txt -r other/shop/dev.txt"


@pytest.mark.parametrize(
    ("text", "title"),
    [("---\ntitle: 'Tax'\n---\n# Other\n", "Tax"), ("Intro\n\n## Tax ##\n", "Tax"), ("Tax\n===\n", "Tax"), ("no", "")],
)
def test_a_title_is_front_matter_or_the_first_heading(text: str, title: str) -> None:
    assert document_title(text) == title


def test_code_in_a_statement_stays_as_it_is() -> None:
    assert plain("Use `<script setup>`, **never** <b>`a__b`</b>, `x/`,`__pycache__/`") == (
        "Use `<script setup>`, never `a__b`, `x/`,`__pycache__/`"
    )
    assert plain("See `the guide <https://example.org>`_ and `Otters`__.") == "See the guide and Otters."


def test_items_of_a_numbered_list_are_no_sentences() -> None:
    text = "Never skip a test.\n\n1. Always feed the otter\n2. Do not wake it\n"
    assert [line.text for line in numbered_sentences(text)] == ["Never skip a test."]
    assert [line.text for line in bullets(text)] == ["Always feed the otter", "Do not wake it"]
