"""Rendered items are reused only while all their inputs are equal."""

from sidecar.codebase import RankedFile
from sidecar.packs import ContextFile, ContextLimits, RenderCache, ShownRegion
from sidecar.runs import NO_CONTENTS, DeliveredItem, entries
from tests.support.cases import together

RANKED = RankedFile("src/cart.py", 0.9, {"text": 0.9}, ("cart",), ())
REGION = ShownRegion(0, "Cart", ((3, "class Cart:"), (4, "    pass")), entries.SentRegion("a", "1"), {"text": 1.0})
FILE = ContextFile(RANKED, "a" * 40, "The cart.", "matches cart", (REGION,))
LIMITS = ContextLimits(12_288, is_follow_up=False)


def test_the_same_files_are_rendered_once() -> None:
    rendered = RenderCache()
    first = rendered.items([FILE], LIMITS)
    assert rendered.items([FILE], LIMITS) is first
    assert first == RenderCache().items([FILE], LIMITS)


@together(
    "file",
    [
        FILE._replace(content="w:" + "b" * 40, regions=(REGION._replace(lines=((3, "class Basket:"),)),)),
        FILE._replace(ranked=RANKED._replace(path="src/basket.py")),
        FILE._replace(ranked=RANKED._replace(parts={"text": 0.8, "changed": 0.1})),
        FILE._replace(why="mentioned"),
        FILE._replace(purpose="The basket."),
    ],
)
def test_a_changed_file_is_rendered_again(file: ContextFile) -> None:
    rendered = RenderCache()
    first = rendered.items([FILE], LIMITS)
    assert rendered.items([file], LIMITS) == RenderCache().items([file], LIMITS) != first


def test_other_limits_or_another_session_are_rendered_again() -> None:
    rendered = RenderCache()
    first = rendered.items([FILE, FILE], LIMITS)
    assert rendered.items([FILE, FILE], ContextLimits(200, is_follow_up=False)) != first
    known = NO_CONTENTS._replace(
        items={
            "context:src/cart.py": DeliveredItem(
                "context:src/cart.py", entries.FileEntry("", (entries.SentRegion("b", "2"),)), 10
            )
        }
    )
    assert rendered.items([FILE], LIMITS, known).items[0].entry == entries.FileEntry(
        "", (entries.SentRegion("a", "1"), entries.SentRegion("b", "2"))
    )
