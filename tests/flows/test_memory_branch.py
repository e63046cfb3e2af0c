"""With automatic commits, artifacts reach the memory branch and nothing else changes."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.artifacts import store_artifact
from tests.support.conversation import Conversation, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

BRANCH = "memory/continuity"
PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"
LARGE = "def discounted_price(cents, percent):\n" + "".join(f"    step_{n} = {n}\n" for n in range(150))


@pytest.fixture
def worktree(project: Repository, tmp_path: Path) -> Repository:
    """The chat's own worktree; meanwhile the user works in the project: staged, changed, new and stashed files."""
    project.write({"till/cart.py": "stashed = True\n"})
    project.git("stash", "push", "--quiet")
    project.write({"till/cart.py": "staged = True\n"})
    project.git("add", "till/cart.py")
    project.write({"till/receipt.py": "changed = True\n", "notes.txt": "new\n"})
    return project.add_worktree(tmp_path / "chat-1", "chat/1")


@pytest.fixture
def chat(active: MemorySidecar, project: Repository, worktree: Repository) -> Conversation:
    """A conversation in that worktree, of a project where automatic commits are on."""
    params = {"projectPath": str(project.path), "settings": {"artifactPolicy": "auto-write-memory-branch"}}
    active.client.request("settings/update", params)
    return Conversation(active.client, worktree.path, projectPath=str(project.path))


def work(chat: Conversation, active: MemorySidecar) -> Any:
    """Play a run whose change is large enough for an entry, and wait for its background work."""
    text = "Fixed the discounted price of odd cents. The cause was a float."
    turn = chat.turn(PROMPT, lambda: [chat.edit("till/prices.py", LARGE)], text=text)
    assert active.app.process is not None
    assert active.app.process.wait_idle(20)
    (drafted,) = turn["after"]["artifacts"]
    return chat.artifact(drafted["id"])


def test_an_entry_is_committed_to_the_memory_branch_and_nothing_else_changes(
    chat: Conversation, active: MemorySidecar, project: Repository, worktree: Repository
) -> None:
    users, agents = project.protected_state(BRANCH), worktree.protected_state(BRANCH)

    artifact = work(chat, active)

    assert project.protected_state(BRANCH) == users
    assert worktree.protected_state(BRANCH) == {**agents, "till/prices.py": LARGE.encode()}
    assert artifact["status"] == "committed"
    (path,) = project.git("ls-tree", "-r", "--name-only", BRANCH).splitlines()
    assert path == f"continuity/devlog/2026-03-{artifact['id']}.md"
    assert "The cause was a float." in project.git("show", f"{BRANCH}:{path}")
    assert project.git("log", "--format=%an: %s", BRANCH).startswith("1Code continuity: Add a devlog entry: ")
    assert project.git("branch", "--contains", BRANCH, "--format=%(refname:short)") == BRANCH


def test_a_checked_out_memory_branch_is_refused_and_the_draft_remains(
    chat: Conversation, active: MemorySidecar, project: Repository, tmp_path: Path
) -> None:
    project.add_worktree(tmp_path / "looking", BRANCH)

    artifact = work(chat, active)

    assert artifact["status"] == "draft"
    assert project.git("rev-parse", BRANCH) == project.head()
    params = {"projectPath": str(project.path), "ids": [artifact["id"]]}
    failure = active.client.error("artifact/commit", params)
    assert failure.data["kind"] == "policyDenied"
    assert "checked out" in failure.message


def test_an_accepted_approach_still_warns_after_its_commit_and_a_draft_does_not(
    chat: Conversation, active: MemorySidecar, project: Repository
) -> None:
    for name, status in (("Discounts as floats", "accepted"), ("A cache", "draft")):
        rejected = {"id": f"r-{len(name)}", "type": "rejectedApproach", "status": status, "title": name}
        store_artifact(active.app.process, project.path, body="# No\n", **rejected)

    work(chat, active)

    listed = active.client.request("artifact/list", {"projectPath": str(project.path), "status": "committed"})
    assert len(listed["artifacts"]) == 3
    anchor = sent(Conversation(active.client, chat.cwd, sub_chat_id="other", **chat.common).pre_run("Explain the cart"))
    assert "Discounts as floats" in anchor
    assert "A cache" not in anchor
