"""The pack cache: a hit for any wording, a miss for any other difference, ready after a run, persistent."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.artifacts import store_artifact
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, set_settings


def packs_in(sidecar: MemorySidecar) -> int:
    assert sidecar.app.process is not None
    sidecar.app.process.database.write_behind.flush()
    with sidecar.app.process.database.read() as tx:
        return int(str(tx.execute("SELECT count(*) FROM continuity_pack_cache").get))


def prepared(sidecar: MemorySidecar) -> None:
    """Wait until the work after a run is done."""
    assert process_of(sidecar).wait_idle(20)


def hit(chat: Conversation, prompt: str = PROMPT, **changes: Any) -> bool:
    return bool(chat.pre_run(prompt, **changes)["metadata"]["cacheHit"])


@pytest.mark.parametrize("follow_up", ["and now fix it", "What about apply_discount in the cart?", "👍", "go on"])
def test_a_follow_up_is_a_hit_whatever_its_wording(start_chat: StartChat, follow_up: str) -> None:
    chat = start_chat()
    assert not hit(chat)
    assert hit(chat, follow_up)


def test_another_conversation_on_the_same_task_is_a_hit(start_chat: StartChat) -> None:
    assert not hit(start_chat(sub_chat_id="one"))
    assert hit(start_chat(sub_chat_id="two"))


@pytest.mark.parametrize(
    "changes",
    [
        {"mode": "plan"},
        {"provider": "codex"},
        {"tokenMode": "low"},
        {"hostInjects": {"agentsMd": True}},
        {"prompt": "Explain how mail is sent to customers by src/mail.py"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_every_input_of_the_pack_is_part_of_its_key(start_chat: StartChat, changes: dict[str, Any]) -> None:
    chat = start_chat()
    assert not hit(chat)
    assert not hit(chat, **changes)
    assert hit(chat, **changes)


def test_a_changed_repository_is_a_miss(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    assert not hit(chat)
    shop.write({"src/mail.py": "changed = 1\n"})
    assert not hit(chat)
    shop.write({"src/mail.py": "changed = 2\n"})
    assert not hit(chat)
    shop.commit()
    assert not hit(chat)
    shop.commit()
    assert not hit(chat)
    assert hit(chat)


def test_other_files_checked_out_of_the_same_commit_are_a_miss(start_chat: StartChat, shop: Repository) -> None:
    shop.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/cart.py")
    chat = start_chat()
    assert "apply_discount" not in sent(chat.pre_run(PROMPT))
    shop.git("sparse-checkout", "disable")
    answer = start_chat(sub_chat_id="other").pre_run(PROMPT)
    assert answer["metadata"]["cacheHit"] is False
    assert "apply_discount" in sent(answer)
    shop.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/cart.py")
    assert "apply_discount" not in sent(start_chat(sub_chat_id="last").pre_run(PROMPT))


def test_a_submodule_that_is_checked_out_later_is_a_miss(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    coupons = make_repository({"coupons.py": "def apply_coupon(cart):\n    return cart.discount\n"}, "coupons")
    shop.add_submodule(coupons, "coupons")
    shop.git("submodule", "--quiet", "deinit", "--force", "coupons")
    prompt = "Where does apply_coupon take the discount from the cart?"
    assert "def apply_coupon" not in sent(start_chat(sub_chat_id="before").pre_run(prompt))
    shop.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert "def apply_coupon" in sent(start_chat(sub_chat_id="after").pre_run(prompt))


def test_a_changed_budget_setting_is_a_miss_only_where_it_changes_the_anchor(start_chat: StartChat) -> None:
    chat = start_chat()
    assert not hit(chat)
    set_settings(chat, budgets={"newBytesPerCall": 2_000})
    assert not hit(chat)


def test_an_accepted_rejected_approach_is_a_miss_and_a_known_trap(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    assert not hit(chat)
    title = "Discounts as floats"
    rejected = {"id": "r-1", "type": "rejectedApproach", "status": "accepted", "title": title, "body": f"# {title}\n"}
    store_artifact(active.app.process, chat.cwd, **rejected)
    answer = chat.pre_run(PROMPT)
    assert answer["metadata"]["cacheHit"] is False
    assert "rejected before: Discounts as floats" in sent(answer)


def test_mentions_act_per_call_outside_the_shared_entry(start_chat: StartChat) -> None:
    chat = start_chat()
    assert not hit(chat)
    mentioned = chat.pre_run("go on", mentions={"files": ["src/mail.py"]})
    assert mentioned["metadata"]["cacheHit"] is True
    assert "src/mail.py" in sent(mentioned)
    assert "src/mail.py" not in sent(chat.pre_run(PROMPT))


def test_the_pack_after_an_edit_is_prefetched(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    for number in range(3):
        answer = chat.turn(PROMPT, lambda number=number: [chat.edit("src/cart.py", f"total = {number}\n")])
        assert answer["metadata"]["cacheHit"] == (number > 0)
        prepared(active)
    assert hit(chat)


@pytest.mark.parametrize("wish", ["And write a test for it.", "And add a coupon module."])
def test_a_pack_is_prepared_for_follow_ups_that_create_something(
    start_chat: StartChat, active: MemorySidecar, wish: str
) -> None:
    chat = start_chat()
    prompts = [f"{PROMPT} {wish}", "write tests for both", "then add a function that the page can pass", "go on"]
    answers = []
    for number, prompt in enumerate(prompts):
        answers.append(chat.turn(prompt, lambda number=number: [chat.edit("src/cart.py", f"total = {number}\n")]))
        prepared(active)
    assert [answer["metadata"]["cacheHit"] for answer in answers] == [False, True, True, True]


def test_the_disk_cache_survives_a_restart(
    start_chat: StartChat, active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    chat = start_chat()
    first = chat.pre_run(PROMPT)
    active.close()
    restarted = open_sidecar()
    restarted._ids = 1_000  # another process never makes the same ids again
    restarted.client.initialize(settings={"mode": "active"})
    chat.client = restarted.client
    again = chat.pre_run(PROMPT)
    assert again["metadata"]["cacheHit"] is True
    assert (again["prompt"], again["system"]) == (first["prompt"], first["system"])


def test_concurrent_identical_queries_build_one_pack(start_chat: StartChat, active: MemorySidecar) -> None:
    chats = [start_chat(sub_chat_id=str(number)) for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda chat: chat.pre_run(PROMPT), chats))
    assert packs_in(active) == 1
    assert len({answer["prompt"] for answer in answers}) == 1
    assert [answer["metadata"]["cacheHit"] for answer in answers].count(False) == 1


def test_a_fuller_context_window_uses_part_of_the_same_pack(start_chat: StartChat) -> None:
    chat = start_chat()
    assert not hit(chat)
    assert hit(chat, "go on", usage={"usedTokens": 150_000, "maxTokens": 200_000})


def test_only_conversations_read_since_the_last_commit_stay_in_memory(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    for number in range(4):
        start_chat(sub_chat_id=f"chat-{number}").turn(PROMPT, session=f"session-{number}")
    assert active.app.process is not None
    workspace = active.app.process.workspaces.get(str(shop.path), None)
    assert len(vars(workspace.slices.packs.conversations)["_cache"]) == 1
