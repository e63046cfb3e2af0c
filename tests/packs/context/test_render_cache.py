"""Rendered items are reused only while all their inputs are equal."""

import pytest

from sidecar.codebase import Definition, RankedFile, Summary
from sidecar.packs import DETAIL_LIMITS, ContextFile, RenderCache

RANKED = RankedFile("src/cart.py", 0.9, {"text": 0.9}, ("cart",), ())
SUMMARY = Summary("Python", 20, 400, "The cart.", (Definition(3, "Cart", "class Cart:"),), ())
FILE = ContextFile(RANKED, "a" * 40, SUMMARY, "matches cart")
NORMAL = DETAIL_LIMITS["normal"]
OTHER = SUMMARY._replace(purpose="The basket.")


def test_the_same_files_are_rendered_once() -> None:
    rendered = RenderCache()
    first = rendered.items([FILE], "the cart", NORMAL, 24_000)
    assert rendered.items([FILE], "the cart", NORMAL, 24_000)[0].text is first[0].text
    assert first == RenderCache().items([FILE], "the cart", NORMAL, 24_000)


@pytest.mark.parametrize(
    "file",
    [
        FILE._replace(content="w:" + "b" * 40, summary=OTHER),
        FILE._replace(ranked=RANKED._replace(path="src/basket.py"), summary=OTHER),
        FILE._replace(ranked=RANKED._replace(score=0.5)),
        FILE._replace(ranked=RANKED._replace(parts={"text": 0.8, "changed": 0.1})),
        FILE._replace(why="mentioned"),
        FILE._replace(summary=SUMMARY._replace(definitions=())),
    ],
)
def test_a_changed_content_score_or_reason_is_rendered_again(file: ContextFile) -> None:
    rendered = RenderCache()
    rendered.items([FILE], "the cart", NORMAL, 24_000)
    assert rendered.items([file], "the cart", NORMAL, 24_000) == RenderCache().items([file], "the cart", NORMAL, 24_000)


def test_a_changed_query_or_budget_is_rendered_again() -> None:
    rendered = RenderCache()
    first = rendered.items([FILE, FILE], "the cart", NORMAL, 24_000)
    other = rendered.items([FILE, FILE], "the definition", NORMAL, 24_000)
    assert other == RenderCache().items([FILE, FILE], "the definition", NORMAL, 24_000) != first
    assert rendered.items([FILE], "the cart", NORMAL, 800) == RenderCache().items([FILE], "the cart", NORMAL, 800)
