"""Prefetched packs: when the worktree is quiet, once per burst and state, and for the next mode."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase import RepositoryState
from sidecar.codebase.worktree import freshness
from sidecar.codebase.worktree.state import Scan, read_detailed_state
from sidecar.packs import prefetch
from sidecar.packs.pack_cache import build_ahead
from sidecar.packs.request import PackQuery
from sidecar.workspace import Workspace
from tests.packs.test_pack_cache import packs_in, prepared
from tests.support.conversation import Conversation, sent
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


def workspace_of(sidecar: MemorySidecar, chat: Conversation) -> Workspace:
    return process_of(sidecar).workspaces.get(str(chat.cwd), None)


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


def test_a_pack_built_after_a_run_has_what_the_run_left_in_the_memories(
    start_chat: StartChat, active: MemorySidecar
) -> None:
    chat = start_chat()
    prompt = f"{PROMPT} From now on always write amounts in whole cents."
    remembered = chat.post_run(chat.pre_run(prompt), prompt)["remembered"]
    assert [memory["standing"] for memory in remembered] == [True]
    prepared(active)
    assert hit(chat.pre_run("and now fix it"))


def test_git_is_not_started_for_the_pack_after_a_run_which_is_built_for_the_state_that_the_run_left(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Path] = []

    def read(cwd: Path, scan: Scan) -> object:
        reads.append(cwd)
        return read_detailed_state(cwd, scan)

    monkeypatch.setattr(freshness, "read_detailed_state", read)
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", "mails = 1\n")])
    wait_for_packs(active, 2)
    assert reads == [chat.cwd] * 2, "before the run and after it"
    chat.edit("src/mail.py", "mails = 2\n")
    assert not hit(chat.pre_run("and now fix it")), "another state than the pack is of"


def test_a_prompt_right_after_a_run_does_without_the_pack_that_is_built_while_the_user_reads(
    start_chat: StartChat, active: MemorySidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetch, "AFTER_RUN_MS", 60_000.0)
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", "mails = 1\n")])
    prefetches = workspace_of(active, chat).slices.packs.recent_queries.prefetches
    first = prefetches.get(chat.sub_chat_id)
    assert first is not None
    assert not first.done()
    chat.pre_run("and now fix it")
    assert first.cancelled()


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


def test_while_a_new_project_is_indexed_other_projects_get_their_packs_and_its_own_are_built_afterwards(
    start_chat: StartChat,
    active: MemorySidecar,
    make_repository: Callable[..., Repository],
) -> None:
    shop_chat = start_chat(sub_chat_id="shop")
    shop_chat.pre_run(PROMPT)
    new_project = make_repository({f"src/part{n}.py": f"def part{n}(): ...\n" for n in range(40)}, "new")
    released = threading.Event()
    process_of(active).indexing.submit(released.wait, 20)
    chats = [start_chat(cwd=new_project.path, sub_chat_id=f"new {n}") for n in range(9)]
    try:
        prompts = [f"Why does src/part{number}.py fail?" for number in range(len(chats))]
        requests = [
            chat.start_pre_run(prompt, runId=prompt, deadlineMs=400)
            for chat, prompt in zip(chats, prompts, strict=True)
        ]
        for chat, prompt, request in zip(chats, prompts, requests, strict=True):
            chat.post_run({**chat.client.result(request), "runId": prompt}, prompt)
        time.sleep(0.5)  # the packs after the runs begin meanwhile
        answer = shop_chat.pre_run("Explain how mail is sent to customers by src/mail.py", deadlineMs=10_000)
    finally:
        released.set()
    assert not answer["metadata"]["partial"], answer["metadata"]["trimmed"]
    wait_for_packs(active, 3)
    assert hit(chats[-1].pre_run("and now fix it"))


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


@pytest.fixture
def early_builds(monkeypatch: pytest.MonkeyPatch) -> list[RepositoryState]:
    """The states for which packs were built before git reported the state."""
    built: list[RepositoryState] = []

    def recorded(pack_query: PackQuery, state: RepositoryState) -> None:
        build_ahead(pack_query, state)
        built.append(state)

    monkeypatch.setattr(prefetch, "build_ahead", recorded)
    return built


def answer_from_scratch(open_sidecar: Callable[..., MemorySidecar], shop: Repository, folder: Path) -> Any:
    scratch = open_sidecar(state_dir=folder / "scratch")
    scratch.client.initialize(settings={"mode": "active"})
    return Conversation(scratch.client, shop.path, sub_chat_id="next").pre_run(PROMPT)


def test_after_a_checkout_a_pack_is_built_while_git_reads_the_state(
    start_chat: StartChat,
    shop: Repository,
    early_builds: list[RepositoryState],
    open_sidecar: Callable[..., MemorySidecar],
    tmp_path: Path,
) -> None:
    start_chat().pre_run(PROMPT)
    assert early_builds == []
    head = shop.commit({"src/cart.py": "def cart_total(discount):\n    return 1 - discount\n"})
    answer = start_chat(sub_chat_id="next").pre_run(PROMPT)
    assert [state.head for state in early_builds] == [head]
    assert not hit(answer)
    assert not answer["metadata"]["partial"]
    assert sent(answer) == sent(answer_from_scratch(open_sidecar, shop, tmp_path))


def test_a_pack_that_was_built_for_another_state_than_git_reports_is_not_used(
    start_chat: StartChat,
    active: MemorySidecar,
    shop: Repository,
    early_builds: list[RepositoryState],
    open_sidecar: Callable[..., MemorySidecar],
    tmp_path: Path,
) -> None:
    start_chat().pre_run(PROMPT)
    head = shop.commit({"src/cart.py": "def cart_total(discount):\n    return 1 - discount\n"})
    shop.write({"src/cart.py": "def cart_total(discount):\n    return 2 - discount\n", "src/rebate.py": "rebate = 1\n"})
    answer = start_chat(sub_chat_id="next").pre_run(PROMPT)
    prepared(active)
    assert [(state.head, state.changed) for state in early_builds] == [(head, ())]
    assert "return 2 - discount" in sent(answer)
    assert "src/rebate.py" in sent(answer)
    assert sent(answer) == sent(answer_from_scratch(open_sidecar, shop, tmp_path))
    shop.commit()
    assert start_chat(sub_chat_id="last").pre_run(PROMPT)["metadata"]["partial"] is False
    assert len(early_builds) == 1, "the last state had changes"
