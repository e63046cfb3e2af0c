"""Prefetched packs: when the worktree is quiet, once per burst and state, and for the next mode."""

import time
from pathlib import Path
from typing import Any

from tests.packs.test_pack_cache import packs_in, prepared
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat

PATIENCE_SECONDS = 20.0


def hint(chat: Conversation, times: int = 1) -> None:
    for _ in range(times):
        chat.client.notify("continuity/repoChanged", {"cwd": str(chat.cwd), "paths": ["src/mail.py"]})


def wait_for_packs(sidecar: MemorySidecar, count: int) -> None:
    """Wait until this many packs are cached and background work is done."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while packs_in(sidecar) < count:
        assert time.monotonic() < give_up_at, f"{packs_in(sidecar)} of {count} packs"
        time.sleep(0.02)
    prepared(sidecar)


def hit(answer: Any) -> bool:
    return bool(answer["metadata"]["cacheHit"])


def test_one_rebuild_after_a_burst_of_hints_serves_the_next_call(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    chat = start_chat()
    chat.pre_run(PROMPT)
    assert packs_in(active) == 1
    shop.write({"src/mail.py": "mails = 1\n"})
    hint(chat, times=20)
    wait_for_packs(active, 2)
    answer = chat.pre_run("and now fix it")
    assert hit(answer)
    assert packs_in(active) == 2


def test_hints_for_a_state_with_packs_rebuild_nothing(start_chat: StartChat, active: MemorySidecar) -> None:
    chats = [start_chat(sub_chat_id="one"), start_chat(sub_chat_id="two"), start_chat("codex", sub_chat_id="three")]
    for chat in chats:
        chat.pre_run(PROMPT)
    hint(chats[0], times=5)
    time.sleep(0.5)
    prepared(active)
    assert packs_in(active) == 2


def test_packs_of_every_recent_conversation_are_rebuilt_also_in_another_projects_worktree(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, tmp_path: Path
) -> None:
    worktree = shop.add_worktree(tmp_path / "wt", "wt")
    common = {"cwd": worktree.path, "projectPath": str(shop.path)}
    chats = [start_chat(sub_chat_id="one", **common), start_chat("codex", sub_chat_id="two", **common)]
    for chat in chats:
        chat.pre_run(PROMPT)
    worktree.write({"src/mail.py": "mails = 1\n"})
    hint(chats[0])
    wait_for_packs(active, 4)
    assert [hit(chat.pre_run("and now fix it")) for chat in chats] == [True, True]
    assert len(process_of(active).workspaces.in_folder(str(worktree.path))) == 1


def test_prefetch_uses_the_files_of_the_latest_run(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "class Cart: ...\n")])
    prepared(active)
    count = packs_in(active)
    shop.write({"src/mail.py": "mails = 1\n"})
    hint(chat)
    wait_for_packs(active, count + 1)
    assert hit(chat.pre_run("and now fix it"))


def test_a_planning_run_also_prefetches_the_pack_for_its_execution(
    start_chat: StartChat, active: MemorySidecar
) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT, mode="plan")
    chat.post_run(before, PROMPT, mode="plan")
    prepared(active)
    assert hit(chat.pre_run("Do it", mode="agent"))
    assert hit(chat.pre_run("What else?", mode="plan"))
