"""Commits to the memory branch when the sidecar is killed in between, and when two of them commit at once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.database import open_state
from tests.support.clock import STARTS_AT_MS
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, shop

__all__ = ["shop"]

BRANCH = "memory/continuity"
PATIENCE_SECONDS = 20.0

StartProcess = Callable[..., SidecarProcess]


def begin(process: SidecarProcess, shop: Repository, sub_chat_id: str = "chat") -> Conversation:
    process.client.initialize(settings={"mode": "active"})
    return Conversation(process.client, shop.path, sub_chat_id=sub_chat_id)


def draft(chat: Conversation, content: str) -> str:
    turn = chat.turn(PROMPT, lambda: [chat.edit(f"src/{chat.sub_chat_id}.py", content)])
    return str(turn["after"]["artifacts"][0]["id"])


def commit_params(shop: Repository, artifact_id: str) -> dict[str, object]:
    return {"projectPath": str(shop.path), "ids": [artifact_id]}


def status(chat: Conversation, artifact_id: str) -> str:
    return str(chat.artifact(artifact_id)["status"])


def wait_until(happened: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < give_up
        time.sleep(0.005)


def number_of_objects(shop: Repository) -> int:
    return sum(path.is_file() for path in (shop.path / ".git/objects").rglob("*"))


@pytest.mark.parametrize("killed", ["before the branch moves", "before that is noted"])
def test_a_commit_cut_off_by_a_kill_is_made_once_when_it_is_asked_again(
    start_process: StartProcess, shop: Repository, state_dir: Path, killed: str
) -> None:
    first = start_process()
    chat = begin(first, shop)
    artifact_id = draft(chat, "total = 1\n")
    before = shop.protected_state(BRANCH)
    lock = shop.path / f".git/refs/heads/{BRANCH}.lock"
    branch = shop.path / f".git/refs/heads/{BRANCH}"
    objects = number_of_objects(shop)

    if killed == "before the branch moves":
        lock.parent.mkdir(parents=True)
        lock.touch()
        first.client.start("artifact/commit", commit_params(shop, artifact_id))
        wait_until(lambda: number_of_objects(shop) >= objects + 5)  # a file, three folders, a commit
        first.popen.kill()
        first.wait()
        lock.unlink()
    else:
        state = open_state(state_dir, STARTS_AT_MS).database
        with state.write():  # the sidecar's own write has to wait
            first.client.start("artifact/commit", commit_params(shop, artifact_id))
            wait_until(branch.exists)
            first.popen.kill()
            first.wait()
        state.close()

    chat = begin(start_process(), shop)
    assert status(chat, artifact_id) == "draft"
    done = chat.client.request("artifact/commit", commit_params(shop, artifact_id))
    assert status(chat, artifact_id) == "committed"
    assert shop.git("rev-list", BRANCH) == done["commit"]
    assert shop.protected_state(BRANCH) == before
    shop.git("fsck", "--strict")


def test_two_sidecars_that_commit_to_one_repository_at_once_lose_nothing(
    start_process: StartProcess, shop: Repository, tmp_path: Path
) -> None:
    chats = [begin(start_process(state_dir=tmp_path / name), shop, name) for name in ("one", "two")]
    rounds = 6
    for number in range(rounds):
        asked = []
        for chat in chats:
            artifact_id = draft(chat, f"total = {number}\n")
            asked.append((chat, artifact_id))
        before = shop.protected_state(BRANCH)
        started = [(chat, chat.client.start("artifact/commit", commit_params(shop, one))) for chat, one in asked]
        commits = {chat.client.result(request)["commit"] for chat, request in started}
        assert len(commits) == 2
        assert [status(*one) for one in asked] == ["committed", "committed"]
        assert shop.protected_state(BRANCH) == before

    assert shop.git("rev-list", "--count", BRANCH) == str(2 * rounds)
    assert len(shop.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()) == 2 * rounds
