"""A session's knowledge of a file: that it exists, its summary, or all of it."""

from collections.abc import Callable

from sidecar.codebase import RankedFile, Summary
from sidecar.codebase.summary.summarize import summarize
from sidecar.packs import DETAIL_LIMITS, ContextFile, PackItem, RenderCache, session_has, shows_content
from sidecar.runs import NO_CONTENTS, Item, SessionContents
from tests.support.repositories import Repository
from tests.support.shop import Talk, text_of

BODY = '"""The cart."""\n\n\ndef total(cart):\n    return 0\n'
RANKED = RankedFile("src/cart.py", 3.0, {"text": 2.0}, ("total",), ())


def item(text: str = BODY, rank: int = 1, content: str = "a1") -> PackItem:
    """A file's item at a rank."""
    file = ContextFile(RANKED, content, summarize("src/cart.py", text.encode()), "matches total and more " * 4)
    return RenderCache().items([file] * rank, "the total of the cart", DETAIL_LIMITS["normal"], 24_000)[-1]


def session_with(delivered: PackItem | Item) -> SessionContents:
    delivery = delivered if isinstance(delivered, Item) else delivered.as_delivery()
    return NO_CONTENTS._replace(items={delivery.key: delivery}, exists=True)


def test_a_file_sent_as_a_pointer_may_be_sent_in_full_later() -> None:
    text = BODY + "".join(f"\n\ndef total_of_part_{number}(cart): ...\n" for number in range(9))
    pointer, full = item(text, rank=15), item(text)
    assert (shows_content(pointer), shows_content(full)) == (False, True)
    assert session_has(session_with(pointer), pointer)
    assert not session_has(session_with(pointer), full)
    assert session_has(session_with(full), pointer)


def test_an_edit_inside_a_function_body_changes_no_rendered_file() -> None:
    moved = item("\n\n" + BODY.replace("return 0", "return 1"), content="b2")
    renamed = item(BODY.replace("def total", "def total_of"), content="b2")
    assert session_has(session_with(item()), moved)
    assert not session_has(session_with(item()), renamed)


def test_a_file_the_session_read_or_wrote_is_known() -> None:
    read = Item("context:src/cart.py", "a1", 0)
    assert session_has(session_with(read), item())
    assert not session_has(session_with(read), item(BODY.replace("total", "sum_of_prices"), content="b2"))


def test_an_unread_file_shows_no_content() -> None:
    unread = ContextFile(RANKED, "pointer:src/cart.py", Summary("", 0, 0, "", (), ()), "matches total")
    rendered = RenderCache().items([unread], "total", DETAIL_LIMITS["normal"], 24_000)[0]
    assert session_has(session_with(item()), rendered)


def test_a_prompt_about_one_file_gets_a_small_pack(talk: Talk, make_repository: Callable[..., Repository]) -> None:
    files = {f"src/mod_{n}.py": f'"""Module {n}."""\n\ndef part_{n}():\n    return {n}\n' for n in range(70)}
    files["src/cart.py"] = "import mod_1\n\n\ndef apply_discount(cart):\n    return cart\n"
    repository = make_repository(files, name="wide")
    answer = talk(cwd=repository.path).pre_run("Fix apply_discount in src/cart.py")
    sent_change_of = [line for line in text_of(answer, "context").splitlines() if line.startswith("src/")]
    assert sent_change_of[0].startswith("src/cart.py (")
    assert len(sent_change_of) <= 4
    assert answer["metadata"]["injectedBytes"] < 2_500


def test_a_follow_up_that_asks_for_another_file_puts_it_first(
    talk: Talk, make_repository: Callable[..., Repository]
) -> None:
    """It was at the end of the task's pack, as a path alone."""
    long = "discount_total_of_the_whole_shopping_cart_of_anyone_who_shops"
    files = {f"src/cart_{n:02}.py": f"def {long}_{n:02}(cart):\n    return cart\n" for n in range(20)}
    chat = talk(cwd=make_repository(files, name="many").path)
    first = text_of(chat.turn("Why does the cart ignore the discount total?", session="s"), "context").splitlines()
    last = [line.split(" ")[0] for line in first if line.startswith("src/")][-1]
    name = f"{long}_{last[9:11]}"
    assert not any(f"def {name}" in line for line in first)
    answer = chat.pre_run(f"and what is {name} for?")
    assert f"def {name}" in text_of(answer, "context")
