"""Records after a run, and changes that never happen to the user's repository."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.support.conversation import Conversation, bash, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import draft_each_change

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"
ACCOUNT = "Fixed the discounted price of odd cents. The cause was a float."
PYTEST_FAILS = "FAILED tests/test_prices.py::test_discount - assert 99 == 100\nE   assert 99 == 100\n1 failed in 0.02s"


def everything_git_knows(repository: Repository) -> str:
    """Every ref with its commit, HEAD, the index's entries, the stash, the worktree's state."""
    commands = (
        ("for-each-ref",), ("rev-parse", "HEAD"), ("symbolic-ref", "HEAD"), ("ls-files", "--stage"), ("stash", "list"),
        ("reflog",), ("count-objects", "-v"),
    )  # fmt: skip
    return "\n".join(repository.git(*command) for command in commands)


def edit_prices(conversation: Conversation, content: str) -> list[dict[str, Any]]:
    return [conversation.edit("till/prices.py", content)]


def test_a_run_with_changes_drafts_a_readable_devlog(conversation: Conversation) -> None:
    draft_each_change(conversation)
    turn = conversation.turn(
        PROMPT,
        lambda: [conversation.edit("till/prices.py", "def discounted_price(cents, percent):\n    return 1\n")],
        text="Rounding now happens on the discount, not on the price. The cause was a float."
        "\n\n```py\ncode\n```\n\nShall I go on?",
    )

    (drafted,) = turn["after"]["artifacts"]
    artifact = conversation.artifact(drafted["id"])

    assert drafted["type"] == "devlog"
    assert artifact["status"] == "draft"
    assert artifact["body"] == (
        "# Rounding now happens on the discount, not on the price\n\n"
        "Request: The discounted price is wrong for odd cents, correct discounted_price\n\n"
        "**Cause:** The cause was a float.\n\n"
        "Changed over 1 run:\n\n- `till/prices.py` +1 −4\n"
    )
    assert artifact["provenance"]["runId"] == turn["runId"]
    assert artifact["provenance"]["files"] == ["till/prices.py"]


def test_a_read_only_run_drafts_nothing_in_a_dirty_worktree(conversation: Conversation, project: Repository) -> None:
    project.write({"till/prices.py": "def discounted_price():\n    return 2\n"})
    read = {
        "type": "tool-Read", "toolCallId": "1", "state": "result", "output": {},
        "input": {"file_path": str(project.path / "till/prices.py")},
    }  # fmt: skip

    turn = conversation.turn(PROMPT, lambda: [read])

    assert turn["after"]["artifacts"] == []


def test_artifacts_are_in_the_state_file_and_the_repository_is_unchanged(
    conversation: Conversation, project: Repository
) -> None:
    draft_each_change(conversation)
    before = everything_git_knows(project)
    index = (project.path / ".git/index").read_bytes()
    for number in range(3):
        edited = "def discounted_price():\n" + "    return 1\n" * (number + 6)
        turn = conversation.turn(PROMPT, partial(edit_prices, conversation, edited), text=ACCOUNT)

    assert turn["after"]["artifacts"][0]["status"] == "draft"
    assert everything_git_knows(project) == before
    assert (project.path / ".git/index").read_bytes() == index
    assert project.git("status", "--porcelain") == "M till/prices.py".rjust(17)


def test_a_failing_test_is_reported_until_it_passes(conversation: Conversation) -> None:
    conversation.turn(PROMPT, lambda: [bash("pytest -q", PYTEST_FAILS)])
    red = conversation.turn("continue", lambda: [bash("pytest -q", "1 passed in 0.02s")])
    green = conversation.turn("continue")

    assert "Failing tests (pytest):\n  tests/test_prices.py::test_discount" in sent(red)
    assert "Failing tests" not in sent(green)


def test_a_repeated_post_run_is_recorded_once_even_after_a_restart(
    conversation: Conversation, active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    draft_each_change(conversation)
    before = conversation.pre_run(PROMPT)
    part = conversation.edit("till/prices.py", "def discounted_price():\n    return 3\n")
    assistant = {"parts": [part], "text": ACCOUNT}
    first = conversation.post_run(before, PROMPT, assistant=assistant)
    second = conversation.post_run(before, PROMPT, assistant=assistant)
    active.close()
    again = open_sidecar()
    again.client.initialize()
    third = Conversation(again.client, conversation.cwd).post_run(before, PROMPT, assistant=assistant)

    assert first["artifacts"]
    assert second == third == {**first, "duplicate": True}
    listed = again.client.request("artifact/list", {"projectPath": str(conversation.cwd)})
    assert len(listed["artifacts"]) == 1
