"""Whether a pack was any good, and what an anchor did to the provider's cache: as laws, and through the methods."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.pack_metrics import CacheUse, Worth, breaks_cache, cache_use, worth_of
from sidecar.runs import Item, keys
from tests.support.conversation import Conversation
from tests.support.shop import PROMPT, Talk, active, read_part, shop, talk

__all__ = ["active", "shop", "talk"]

paths = st.sets(st.sampled_from("abcdefgh"), max_size=6)


def told(path: str, *, size: int = 100, digest: str = "d") -> Item:
    return Item(keys.context_key(path), digest, size)


def test_used_found_and_repeated_are_told_apart() -> None:
    had = [told("earlier"), told("own", size=0), told("pointer", digest=keys.POINTER)]
    worth = worth_of(
        [told("a"), told("b"), Item("delta:todos", "x", 5)], {item.key: item for item in had},
        read={"a", "own", "earlier", "pointer", "alone", "edited"}, written={"edited", "new"}, made={"new"},
    )  # fmt: skip
    assert worth == Worth(
        given=("a", "b"), used=("a",), needed=("a", "alone", "earlier", "edited", "pointer"),
        found=("alone", "edited"), repeated=("a", "earlier"),
    )  # fmt: skip


def test_a_run_that_used_no_file_says_nothing_of_its_pack() -> None:
    assert worth_of([told("a")], {}, set(), set(), set()) is None
    assert worth_of([told("a")], {}, set(), {"new"}, {"new"}) is None


@given(paths, paths, paths, paths)
def test_shares_are_shares(delivered: set[str], had: set[str], read: set[str], written: set[str]) -> None:
    items = {keys.context_key(path): told(path) for path in had}
    worth = worth_of([told(path) for path in delivered], items, read, written, set())
    if worth is not None:
        assert set(worth.used) <= set(worth.given)
        assert set(worth.found) <= set(worth.needed) <= read | written
        assert not set(worth.found) & (delivered | had)
        assert set(worth.repeated) <= read - written


def test_only_another_anchor_that_doubles_the_misses_breaks_the_cache() -> None:
    before, dear = CacheUse("a", 90_000, 2_000), CacheUse("b", 10_000, 60_000)
    assert breaks_cache(before, dear)
    assert not breaks_cache(before, dear._replace(anchor_id="a")), "the provider forgot it by itself"
    assert not breaks_cache(before, CacheUse("b", 95_000, 1_500))
    assert not breaks_cache(None, dear)
    assert not breaks_cache(before, dear._replace(anchor_id=None))
    assert cache_use("a", {"cacheReadTokens": 1, "cacheCreationTokens": None}) is None
    assert cache_use("a", None) is None


def summary(chat: Conversation, **params: Any) -> Any:
    return chat.client.request("metrics/summary", params)["active"]


def test_the_summary_tells_precision_recall_and_cost_by_provider(talk: Talk) -> None:
    chat = talk()
    assert (summary(chat)["precision"], summary(chat)["recall"]) == (None, None)
    before = chat.pre_run(PROMPT)
    assert "src/cart.py" in str(before["blocks"])
    usage = {"inputTokens": 100, "cacheReadTokens": 700, "cacheCreationTokens": 200, "costUsd": 0.25}
    parts = [read_part(chat.cwd / path) for path in ("src/cart.py", "Makefile")]
    chat.post_run(before, assistant={"parts": parts}, usage=usage)
    figures = summary(chat, provider="claude")
    given = sum(item["kind"] == "context" for item in explained(chat, before))
    assert figures["precision"] == round(1 / given, 4)
    assert figures["recall"] == 0.5
    assert (figures["costUsd"], figures["cacheReadShare"], figures["cacheBroken"]) == (0.25, 0.7, 0)
    assert summary(chat, provider="codex")["precision"] is None


def explained(chat: Conversation, before: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = chat.client.request("continuity/explain", {"runId": before["runId"]})["items"]
    return [item for item in items if item["fate"] == "sent"]


def test_an_answer_the_host_did_not_use_is_not_measured(talk: Talk) -> None:
    chat = talk()
    before = chat.pre_run(PROMPT)
    chat.post_run({**before, "deliveryToken": None}, assistant={"parts": [read_part(chat.cwd / "src/cart.py")]})
    assert summary(chat)["precision"] is None
