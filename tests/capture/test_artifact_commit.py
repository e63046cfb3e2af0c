"""`artifact/commit` and automatic commits: which artifacts, as which files, and when not."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, set_settings

BRANCH = "memory/continuity"
CART = "class Cart:\n    def total(self) -> int:\n        return 1\n"


def change_cart(chat: Conversation, content: str = CART, **post: Any) -> str:
    """Plays a run that changes the cart and gives the id of the artifact it drafted."""
    set_settings(chat, capture={"changedLines": 1})
    after = chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", content)], **post)["after"]
    return str(after["artifacts"][0]["id"])


def commit(chat: Conversation, *ids: str, **params: Any) -> Any:
    chosen = {"ids": list(ids)} if ids else {}
    return chat.client.request("artifact/commit", {"projectPath": str(chat.cwd), **chosen, **params})


def refused(chat: Conversation, *ids: str) -> Any:
    return chat.client.error("artifact/commit", {"projectPath": str(chat.cwd), "ids": list(ids)})


def status(chat: Conversation, artifact_id: str) -> str:
    return str(chat.artifact(artifact_id)["status"])


def commits(repository: Repository) -> int:
    return int(repository.git("rev-list", "--count", BRANCH))


def test_a_committed_artifact_is_a_file_with_its_provenance(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    before = shop.protected_state(BRANCH)

    done = commit(chat, artifact_id)

    assert shop.protected_state(BRANCH) == before
    assert done == {
        "branch": BRANCH,
        "commit": shop.git("rev-parse", BRANCH),
        "artifacts": [{"id": artifact_id, "type": "devlog", "commit": done["commit"]}],
    }
    assert status(chat, artifact_id) == "committed"
    path = f"continuity/devlog/2026-03-{artifact_id}.md"
    assert shop.git("ls-tree", "-r", "--name-only", BRANCH) == path
    front, _, body = shop.git("show", f"{BRANCH}:{path}").removeprefix("---\n").partition("\n---\n\n")
    artifact = chat.artifact(artifact_id)
    assert f"{body}\n" == artifact["body"]
    front_matter = dict(line.split(": ", 1) for line in front.splitlines())
    assert front_matter["id"] == f'"{artifact_id}"'
    assert front_matter["runId"] == f'"{artifact["provenance"]["runId"]}"'
    assert front_matter["sessionId"] == '"session"'
    assert front_matter["files"] == '["src/cart.py"]'
    assert front_matter["createdAt"].startswith('"2026-03-01T09:30:00')
    message = shop.git("log", "-1", "--format=%B", BRANCH)
    assert message.startswith("Add a devlog entry: Fixed the cart total that ignored the discount")
    assert f"Run: {artifact['provenance']['runId']}" in message


def test_committing_again_changes_nothing(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    first = commit(chat, artifact_id)
    again = commit(chat, artifact_id)
    assert again == {**first, "commit": None}
    assert commits(shop) == 1
    assert commit(chat) == {"branch": BRANCH, "commit": None, "artifacts": []}


def test_after_a_crash_between_commit_and_mark_the_artifact_is_only_marked(
    start_chat: StartChat, shop: Repository, active: MemorySidecar
) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    process = active.app.process
    assert process is not None
    with process.database.read() as tx:
        sql = "SELECT * FROM continuity_artifacts WHERE artifact_id = ?"
        (row,) = tx.execute(sql, (artifact_id,))
    first = commit(chat, artifact_id)
    with process.database.write() as tx:
        tx.execute(f"INSERT OR REPLACE INTO continuity_artifacts VALUES ({', '.join('?' * len(row))})", row)
    assert status(chat, artifact_id) == "draft"

    assert commit(chat, artifact_id) == first
    assert status(chat, artifact_id) == "committed"
    assert commits(shop) == 1


def test_after_a_commit_the_next_run_starts_an_entry_with_only_new_changes(
    start_chat: StartChat, shop: Repository
) -> None:
    chat = start_chat()
    first = change_cart(chat)
    commit(chat, first)
    second = change_cart(chat, CART + "\n\nTAX = 1\n")
    assert second != first
    commit(chat, second)
    assert commits(shop) == 2
    assert "`src/cart.py` +2 −0" in chat.artifact(second)["body"]


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (("checkout", "--quiet", "-b", BRANCH), "checked out"),
        (("worktree", "add", "--quiet", "-b", BRANCH, "../elsewhere"), "checked out"),
        (("symbolic-ref", "HEAD", f"refs/heads/{BRANCH}"), "checked out"),
        (("symbolic-ref", "refs/remotes/origin/HEAD", f"refs/remotes/origin/{BRANCH}"), "default branch"),
        (("symbolic-ref", f"refs/heads/{BRANCH}", "refs/heads/main"), "symbolic ref to `refs/heads/main`"),
        (("branch", "memory"), "existing branch `memory`"),
    ],
)
def test_a_branch_that_is_in_use_is_refused_and_the_draft_stays(
    start_chat: StartChat, shop: Repository, prepare: tuple[str, ...], sentence: str
) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    shop.git(*prepare)
    before = shop.protected_state()
    failure = refused(chat, artifact_id)
    assert failure.data["kind"] == "policyDenied"
    assert sentence in failure.message
    assert failure.data["hint"]
    assert shop.protected_state() == before
    assert status(chat, artifact_id) == "draft"


def test_a_locked_branch_is_a_conflict_that_names_the_lock(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    commit(chat, change_cart(chat))
    second = change_cart(chat, CART + "\n\nTAX = 1\n")
    (shop.path / f".git/refs/heads/{BRANCH}.lock").touch()
    failure = refused(chat, second)
    assert failure.data["kind"] == "conflict"
    assert "continuity.lock" in failure.data["hint"]
    assert status(chat, second) == "draft"


def test_unknown_and_foreign_artifacts_and_projects_without_git_are_refused(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository], active: MemorySidecar
) -> None:
    artifact_id = change_cart(start_chat())
    assert refused(start_chat(), "devlog-nowhere").data["kind"] == "notFound"
    other = Conversation(active.client, make_repository({"a.txt": "1\n"}, name="other").path)
    assert refused(other, artifact_id).data["kind"] == "notFound"
    (shop.path / ".git").rename(shop.path / ".elsewhere")
    assert refused(start_chat(), artifact_id).data["kind"] == "workspaceUnavailable"
    (shop.path / ".elsewhere").rename(shop.path / ".git")


def test_manual_commits_work_in_passive_mode_but_not_when_off(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    set_settings(chat, mode="off")
    assert refused(chat, artifact_id).data["kind"] == "policyDenied"
    set_settings(chat, mode="passive")
    assert commit(chat, artifact_id)["commit"] == shop.git("rev-parse", BRANCH)


def test_a_secret_in_an_artifact_is_masked_on_the_branch(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    token = f"The cause was the token ghp_{'a1B2' * 9} of the cart."
    text = f"Fixed the cart total that ignored the discount. {token} All 3 tests pass."
    artifact_id = change_cart(chat, text=text)
    commit(chat, artifact_id)
    assert "ghp_" not in shop.git("log", "-p", BRANCH)


def wait_idle(active: MemorySidecar) -> None:
    assert active.app.process is not None
    assert active.app.process.wait_idle(20)


def test_after_a_run_entries_are_committed_and_a_tally_is_not(
    start_chat: StartChat, shop: Repository, active: MemorySidecar
) -> None:
    chat = start_chat()
    set_settings(chat, artifactPolicy="auto-write-memory-branch")
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", CART)])
    wait_idle(active)
    assert shop.git("branch", "--list", BRANCH) == ""

    before = shop.protected_state(BRANCH)
    large = CART + "".join(f"A{number} = {number}\n" for number in range(200))
    big = change_cart(chat, large)
    wait_idle(active)
    assert status(chat, big) == "committed"
    assert commits(shop) == 1
    assert shop.protected_state(BRANCH) == {**before, "src/cart.py": large.encode()}


@pytest.mark.parametrize("settings", [{"mode": "passive"}, {"artifactPolicy": "auto-write-manual-commit"}])
def test_in_passive_mode_and_by_default_nothing_is_committed_after_a_run(
    start_chat: StartChat, shop: Repository, active: MemorySidecar, settings: dict[str, str]
) -> None:
    chat = start_chat()
    set_settings(chat, **{"artifactPolicy": "auto-write-memory-branch", **settings})
    change_cart(chat)
    wait_idle(active)
    assert shop.git("branch", "--list", BRANCH) == ""


def test_a_refused_automatic_commit_is_retried_after_a_later_run(
    start_chat: StartChat, shop: Repository, active: MemorySidecar
) -> None:
    chat = start_chat()
    set_settings(chat, artifactPolicy="auto-write-memory-branch")
    shop.git("branch", "memory")
    first = change_cart(chat)
    wait_idle(active)
    assert status(chat, first) == "draft"
    shop.git("branch", "-D", "memory")
    second = change_cart(chat, CART + "\n\nTAX = 1\n")
    wait_idle(active)
    assert [status(chat, artifact_id) for artifact_id in (first, second)] == ["committed", "committed"]
    assert commits(shop) == 1


def start_branch(repository: Repository, author: str) -> None:
    """Start the memory branch without a parent, as somebody."""
    tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin")
    identity = ("-c", "user.name=x", "-c", f"user.email={author}")
    commit_id = repository.git(*identity, "commit-tree", tree, "-m", "Notes")
    repository.git("update-ref", f"refs/heads/{BRANCH}", commit_id)


def test_a_branch_that_somebody_else_started_is_refused_whatever_its_name(
    start_chat: StartChat, shop: Repository
) -> None:
    chat = start_chat()
    artifact_id = change_cart(chat)
    for start in (lambda: shop.git("branch", BRANCH), lambda: start_branch(shop, "ada@example.org")):
        start()
        failure = refused(chat, artifact_id)
        assert failure.message == f"`{BRANCH}` exists and was not started by the sidecar."
        assert status(chat, artifact_id) == "draft"
        shop.git("branch", "-D", BRANCH)
    commit(chat, artifact_id)


def test_a_branch_that_we_started_stays_ours_with_commits_of_others(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    commit(chat, change_cart(chat))
    tree = shop.git("rev-parse", f"{BRANCH}^{{tree}}")
    on_top = shop.git("commit-tree", tree, "-p", BRANCH, "-m", "A note by hand")
    shop.git("update-ref", f"refs/heads/{BRANCH}", on_top)
    commit(chat, change_cart(chat, CART + "\n\nTAX = 1\n", session="another"))
    assert commits(shop) == 3


@pytest.mark.parametrize(
    "branch",
    [
        "heads/main",
        "stash",
        "origin/main",
        "upstream/x",
        "tags/v1",
        "MY_HEAD",
        "notes/commits",
        "bisect/bad",
        "replace/x",
    ],
)
def test_a_name_that_hides_other_refs_is_refused_at_once(start_chat: StartChat, branch: str) -> None:
    chat = start_chat()
    params = {"projectPath": str(chat.cwd), "settings": {"memoryBranch": branch}}
    assert chat.client.error("settings/update", params).data["kind"] == "invalidParams"


def test_settings_refuse_a_branch_that_the_repository_uses(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    shop.git("branch", "notes-of-ada")
    shop.git("update-ref", "refs/remotes/team/notes", "HEAD")

    def failure(**settings: str) -> str:
        params = {"projectPath": str(chat.cwd), "settings": settings}
        return str(chat.client.error("settings/update", params).message)

    assert failure(memoryBranch="notes-of-ada") == "`notes-of-ada` exists and was not started by the sidecar."
    assert failure(memoryBranch="team/notes") == "`team/notes` would be mistaken for `refs/remotes/team/notes`."
    assert "would be mistaken" in failure(memoryBranch="team/memory"), "a fetch may create it"
    shop.git("branch", "ada/notes")
    for branch in ("ada", "ada/notes/memory"):
        assert failure(memoryBranch=branch) == (
            f"The branch name `{branch}` conflicts with the existing branch `ada/notes`."
        )
    shop.git("branch", BRANCH)
    assert "not started by the sidecar" in failure(artifactPolicy="auto-write-memory-branch")
