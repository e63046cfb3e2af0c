"""Commits to the memory branch when the sidecar is killed in between, and when two sidecars commit at once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.storage.database import open_state
from tests.support.clock import STARTS_AT_MS
from tests.support.conversation import Conversation
from tests.support.process import SidecarProcess
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, draft_each_change, shop

__all__ = ["shop"]

BRANCH = "memory/continuity"
PATIENCE_SECONDS = 20.0

StartProcess = Callable[..., SidecarProcess]


def start_conversation(process: SidecarProcess, shop: Repository, sub_chat_id: str = "chat") -> Conversation:
    process.client.initialize(settings={"mode": "active"})
    return Conversation(process.client, shop.path, sub_chat_id=sub_chat_id)


def draft(chat: Conversation, content: str) -> str:
    draft_each_change(chat)
    turn = chat.turn(PROMPT, lambda: [chat.edit(f"src/{chat.sub_chat_id}.py", content)])
    return str(turn["after"]["artifacts"][0]["id"])


def commit_params(shop: Repository, artifact_id: str) -> dict[str, object]:
    return {"projectPath": str(shop.path), "ids": [artifact_id]}


def status(chat: Conversation, artifact_id: str) -> str:
    return str(chat.artifact(artifact_id)["status"])


def wait_until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.005)


def count_objects(shop: Repository) -> int:
    return sum(path.is_file() for path in (shop.path / ".git/objects").rglob("*"))


@pytest.mark.parametrize("killed_when", ["before the branch moves", "before that is noted"])
def test_a_commit_interrupted_by_a_kill_is_made_once_on_repetition(
    start_process: StartProcess, shop: Repository, state_dir: Path, killed_when: str
) -> None:
    first = start_process()
    chat = start_conversation(first, shop)
    artifact_id = draft(chat, "total = 1\n")
    before = shop.protected_state(BRANCH)
    lock = shop.path / f".git/refs/heads/{BRANCH}.lock"
    branch = shop.path / f".git/refs/heads/{BRANCH}"
    objects = count_objects(shop)

    if killed_when == "before the branch moves":
        lock.parent.mkdir(parents=True)
        lock.touch()
        first.client.start("artifact/commit", commit_params(shop, artifact_id))
        wait_until(lambda: count_objects(shop) >= objects + 5)  # a file, three folders, a commit
        first.popen.kill()
        first.wait()
        lock.unlink()
    else:
        state = open_state(state_dir, STARTS_AT_MS).database
        with state.write():  # the sidecar's own write must wait
            first.client.start("artifact/commit", commit_params(shop, artifact_id))
            wait_until(branch.exists)
            first.popen.kill()
            first.wait()
        state.close()

    chat = start_conversation(start_process(), shop)
    assert status(chat, artifact_id) == "draft"
    committed = chat.client.request("artifact/commit", commit_params(shop, artifact_id))
    assert status(chat, artifact_id) == "committed"
    assert shop.git("rev-list", BRANCH) == committed["commit"]
    assert shop.protected_state(BRANCH) == before
    shop.git("fsck", "--strict")


def test_two_sidecars_committing_to_one_repository_lose_nothing(
    start_process: StartProcess, shop: Repository, tmp_path: Path
) -> None:
    chats = [start_conversation(start_process(state_dir=tmp_path / name), shop, name) for name in ("one", "two")]
    rounds = 6
    for number in range(rounds):
        requests = []
        for chat in chats:
            artifact_id = draft(chat, "total = 1\n" * (number + 1))
            requests.append((chat, artifact_id))
        before = shop.protected_state(BRANCH)
        started = [
            (chat, chat.client.start("artifact/commit", commit_params(shop, artifact_id)))
            for chat, artifact_id in requests
        ]
        commits = {chat.client.result(request)["commit"] for chat, request in started}
        assert len(commits) == 2
        assert [status(*artifact_id) for artifact_id in requests] == ["committed", "committed"]
        assert shop.protected_state(BRANCH) == before

    assert shop.git("rev-list", "--count", BRANCH) == str(2 * rounds)
    assert len(shop.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()) == 2 * rounds
