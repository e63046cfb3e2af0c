"""Pack metrics and effects on the prompt cache: as properties, and through the methods."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sidecar.capture.pack_measures import CacheUse, breaks_cache, cache_use, file_use
from sidecar.runs import DeliveredItem, entries
from sidecar.runs.model import FileUse, RunUsage
from tests.support.conversation import Conversation
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, active, explain, read_part, set_settings, shop, start_chat

__all__ = ["active", "shop", "start_chat"]

paths = st.sets(st.sampled_from("abcdefgh"), max_size=6)


def context_item(path: str, *, size: int = 100, entry: entries.Entry | None = None) -> DeliveredItem:
    return DeliveredItem(entries.context_key(path), entry or entries.FileEntry("d"), size)


def test_used_discovered_and_repeated_files_are_distinguished() -> None:
    had = [context_item("earlier"), context_item("own", size=0), context_item("pointer", entry=entries.POINTER)]
    use = file_use(
        [context_item("a"), context_item("b"), DeliveredItem("delta:todos", entries.TextEntry("x"), 5)],
        {item.key: item for item in had},
        read={"a", "own", "earlier", "pointer", "alone", "edited"}, written={"edited", "new"}, created={"new"},
    )  # fmt: skip
    assert use == FileUse(
        in_pack=("a", "b"), used=("a",), needed=("a", "alone", "earlier", "edited", "pointer"),
        discovered=("alone", "edited"), repeated=("a", "earlier"),
    )  # fmt: skip


def test_a_run_that_used_no_file_does_not_measure_its_pack() -> None:
    assert file_use([context_item("a")], {}, set(), set(), set()) is None
    assert file_use([context_item("a")], {}, set(), {"new"}, {"new"}) is None


@given(paths, paths, paths, paths)
def test_the_file_sets_are_consistent(delivered: set[str], had: set[str], read: set[str], written: set[str]) -> None:
    items = {entries.context_key(path): context_item(path) for path in had}
    use = file_use([context_item(path) for path in delivered], items, read, written, set())
    if use is not None:
        assert set(use.used) <= set(use.in_pack)
        assert set(use.discovered) <= set(use.needed) <= read | written
        assert not set(use.discovered) & (delivered | had)
        assert set(use.repeated) <= read - written


def test_only_a_different_anchor_that_doubles_the_misses_breaks_the_cache() -> None:
    before, dear = CacheUse("a", 90_000, 2_000), CacheUse("b", 10_000, 60_000)
    assert breaks_cache(before, dear)
    assert not breaks_cache(before, dear._replace(anchor_id="a")), "the provider forgot it by itself"
    assert not breaks_cache(before, CacheUse("b", 95_000, 1_500))
    assert not breaks_cache(None, dear)
    assert not breaks_cache(before, dear._replace(anchor_id=None))
    assert cache_use("a", RunUsage(cache_read_tokens=1)) is None
    assert cache_use("a", None) is None


def summary(chat: Conversation, **params: Any) -> Any:
    return chat.client.request("metrics/summary", params)["active"]


def test_the_summary_has_precision_recall_and_cost_by_provider(start_chat: StartChat) -> None:
    chat = start_chat()
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
    return [item for item in items if item["disposition"] == "sent"]


def test_an_answer_the_host_did_not_use_is_not_measured(start_chat: StartChat) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    chat.post_run({**before, "deliveryToken": None}, assistant={"parts": [read_part(chat.cwd / "src/cart.py")]})
    assert summary(chat)["precision"] is None


def test_a_passive_run_measures_a_pack_that_shows_a_region_with_a_gap(start_chat: StartChat, shop: Repository) -> None:
    rest = "".join(f"        A vault of the depot, line {n}.\n" for n in range(12))
    code = f'def open_vault(depot):\n    """Open the vault.\n\n{rest}    """\n    return depot.vault\n'
    shop.commit({"src/vault.py": code})
    chat = start_chat()
    set_settings(chat, mode="passive")
    before = chat.pre_run("open_vault in src/vault.py returns nothing")
    regions = [region["lines"] for item in explain(chat, before)["items"] for region in item.get("regions", ())]
    assert any("," in lines for lines in regions), "otherwise the case shows nothing"
    answer = chat.post_run(before, assistant={"text": "", "parts": [read_part(shop.path / "src/vault.py")]})
    assert answer["accepted"]
