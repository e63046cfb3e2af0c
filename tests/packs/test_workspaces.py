"""`continuity/preRun` in every kind of workspace: worktrees, no git, no commit, a submodule, a broken repository."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sidecar.codebase import indexer
from sidecar.codebase.worktree import incremental_state
from sidecar.system import folder_watch
from sidecar.system.git import Git
from tests.support.conversation import bash, sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, SHOP, StartChat, explain, text_of


def test_a_worktrees_changes_stay_in_its_own_packs(start_chat: StartChat, shop: Repository, tmp_path: Path) -> None:
    a, b = (shop.add_worktree(tmp_path / name, f"chat/{name}") for name in ("a", "b"))
    a.write({"src/cart.py": "def only_in_a_total_discount(): ...\n", "src/a_discount.py": "only_in_a = 1\n"})
    first = start_chat(cwd=a.path, sub_chat_id="a", projectPath=str(shop.path))
    first.turn(PROMPT, lambda: [bash("pytest", "FAILED tests/test_a.py::only_in_a\n1 failed in 0.1s\n")])
    a.commit(message="only_in_a commit")
    first.turn("go on", lambda: [bash("git commit", "")])
    second = start_chat(cwd=b.path, sub_chat_id="b", projectPath=str(shop.path))
    answers = [second.turn(PROMPT, session="b"), second.turn("go on", session="b")]
    assert "only_in_a" not in str([answers, [explain(second, answer) for answer in answers]])
    assert "only_in_a" in sent(first.pre_run(PROMPT, session={"id": None, "willResume": False, "isFork": False}))


def test_a_folder_without_git_is_served(start_chat: StartChat, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    for name, text in SHOP.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text))
    chat = start_chat(cwd=folder)
    first = chat.turn(PROMPT)
    assert "Never use floats" in first["system"]["text"]
    assert "src/cart.py" in text_of(first, "context")
    assert "without git" in text_of(first, "delta")
    assert first["metadata"]["proof"] == "walk"
    assert not text_of(chat.turn("go on"), "delta")
    (folder / "src/mail.py").write_text("changed")
    assert "changed since your last run" in text_of(chat.turn("go on"), "delta")
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "by the agent")])
    assert not text_of(chat.turn("go on"), "delta")


def test_a_repository_without_commits_shows_its_new_files(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    repository = make_repository(name="empty")
    chat = start_chat(cwd=repository.path)
    assert "without a commit yet" in text_of(chat.turn(PROMPT), "delta")
    repository.write({"src/cart.py": "def total(): ...\n", "src/mail.py": "def send(): ...\n"})
    repository.git("add", "src/cart.py")
    delta = text_of(chat.turn("go on"), "delta")
    assert "+def total()" in delta
    assert "+def send()" in delta


def test_a_detached_head_is_reported(start_chat: StartChat, shop: Repository) -> None:
    shop.git("checkout", "--quiet", "--detach")
    assert "Worktree: detached HEAD at" in text_of(start_chat().pre_run(PROMPT), "delta")


def test_a_submodule_and_a_subfolder_are_workspaces(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    inner = outer.add_submodule(shop, "lib/shop")
    inner.write({"src/mail.py": "changed = True\n"})
    answer = start_chat(cwd=inner.path).pre_run(PROMPT)
    assert "src/cart.py" in text_of(answer, "context")
    assert "unstaged: src/mail.py" in text_of(answer, "delta")
    below = start_chat(cwd=inner.path / "src", sub_chat_id="below").pre_run(PROMPT)
    assert "\ncart.py" in text_of(below, "context")
    assert "unstaged: mail.py" in text_of(below, "delta")


def test_a_package_of_a_workspace_runs_its_scripts_with_the_package_manager_of_the_top(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    scripts = '{"name": "server", "scripts": {"test": "vitest", "lint": "eslint ."}}\n'
    top = make_repository(
        {
            "pnpm-lock.yaml": "lockfileVersion: '9.0'\n", "package.json": '{"name": "all"}\n',
            "packages/server/package.json": scripts, "packages/server/src/app.ts": "export const total = 1\n",
            "packages/old/package.json": scripts, "packages/old/package-lock.json": "{}\n",
            "packages/old/src/app.ts": "export const total = 2\n",
        },
        name="all",
    )  # fmt: skip
    server = sent(start_chat(cwd=top.path / "packages" / "server").pre_run(PROMPT))
    assert "- test: `pnpm test` (package.json)" in server
    old = sent(start_chat(cwd=top.path / "packages" / "old", sub_chat_id="old").pre_run(PROMPT))
    assert "- test: `npm test` (package.json)" in old


def test_changes_of_a_submodule_are_sent_by_path_and_status(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    inner = outer.add_submodule(shop, "lib/shop")
    chat = start_chat(cwd=outer.path)
    inner.write({"src/mail.py": "changed = True\n", "src/new.py": "new = True\n"})
    delta = text_of(chat.turn(PROMPT), "delta")
    assert "unstaged: lib/shop/src/mail.py" in delta.splitlines()
    assert "untracked: lib/shop/src/new.py" in delta
    assert "lib/shop (submodule" not in delta
    assert chat.pre_run(PROMPT)["blocks"] == []
    inner.write({"src/mail.py": "changed = 2\n"})
    assert "unstaged: lib/shop/src/mail.py" in text_of(chat.turn(PROMPT), "delta")
    commit = inner.commit()
    delta = text_of(chat.turn(PROMPT), "delta")
    assert f"unstaged: lib/shop (submodule at commit {commit[:10]})" in delta
    assert "no longer changed: lib/shop/src/mail.py" in delta
    changed = ["   modified: src/mail.py", "   added: src/new.py"]
    assert [line for line in delta.splitlines() if line in changed] == changed
    outer.git("add", "lib/shop")
    outer.git("commit", "--quiet", "--message", "Move the submodule")
    inner.write({"src/mail.py": "changed = 3\n"})
    delta = text_of(chat.turn(PROMPT), "delta")
    assert [line for line in delta.splitlines() if "committed: lib/shop" in line] == [
        "committed: lib/shop +1 −1, as sent before"
    ]
    assert "unstaged: lib/shop/src/mail.py" in delta.splitlines()


def test_a_submodule_that_is_empty_in_a_new_worktree_is_named_once_with_the_command_that_fills_it(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository], tmp_path: Path
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    outer.add_submodule(shop, "lib/shop")
    outer.git("worktree", "add", "--quiet", str(tmp_path / "new"))
    chat = start_chat("codex", cwd=tmp_path / "new")
    line = "This submodule is empty: lib/shop. `git submodule update --init` fills it."
    assert line in text_of(chat.turn(PROMPT), "delta").splitlines()
    assert chat.pre_run(PROMPT)["blocks"] == []
    question = chat.turn("The shop submodule is empty here, is that a problem for the build?")
    assert text_of(question, "context").splitlines()[2] == ".gitmodules"
    whole = start_chat("codex", sub_chat_id="other", cwd=outer.path).turn(PROMPT)
    assert not any("submodule" in block["text"] for block in whole["blocks"])


def test_a_moved_submodule_without_its_former_commit_has_no_paths(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    inner = outer.add_submodule(shop, "lib/shop")
    former = inner.head()
    inner.git("checkout", "--quiet", "--orphan", "fresh")
    inner.commit({"src/mail.py": "fresh = True\n"})
    inner.git("branch", "--quiet", "-D", "main")
    inner.git("remote", "remove", "origin")
    inner.git("-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "--quiet", "--prune=now")
    delta = text_of(start_chat(cwd=outer.path).turn(PROMPT), "delta")
    assert f"-Subproject commit {former}" in delta
    assert "src/mail.py" not in delta


def test_a_prompt_finds_the_code_of_a_submodule(
    start_chat: StartChat, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    outer.add_submodule(shop, "lib/shop")
    chat = start_chat(cwd=outer.path)
    context = text_of(chat.turn(PROMPT), "context")
    assert "lib/shop/src/cart.py" in context
    assert "def apply_discount" in context
    chat.turn("go on", lambda: [chat.edit("lib/shop/src/cart.py", "class Cart:\n    own_edit = 1\n")])
    assert "lib/shop/src/cart.py" not in text_of(chat.pre_run("go on"), "delta")


def test_below_the_top_code_and_changes_of_the_whole_repository_are_sent(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"web/page.py": "def render_page(title: str) -> str:\n    return title\n"})
    chat = start_chat(cwd=shop.path / "web")
    context = text_of(chat.turn(PROMPT), "context")
    assert "../src/cart.py" in context
    assert "def apply_discount" in context
    chat.turn("go on", lambda: [chat.edit("../src/mail.py", "own_edit = True\n")])
    assert "mail.py" not in text_of(chat.pre_run("go on"), "delta")
    shop.write({"src/invoice.py": "changed = True\n"})
    assert "unstaged: ../src/invoice.py" in text_of(chat.turn("go on"), "delta")
    shop.write({"src/invoice.py": "changed = 2\n", "web/page.py": "changed = 3\n"})
    delta = text_of(chat.turn("go on"), "delta")
    assert "unstaged: ../src/invoice.py" in delta
    assert "unstaged: page.py +1" in delta
    mentioned = chat.turn("Explain @../src/invoice.py and nothing else")
    assert "../src/invoice.py\n1| changed = 2" in text_of(mentioned, "context")


def test_a_missing_folder_is_a_clear_error(start_chat: StartChat, tmp_path: Path) -> None:
    chat = start_chat(cwd=tmp_path / "gone")
    params = {"runId": "r", "subChatId": "s", "provider": "claude", "mode": "agent", "prompt": PROMPT}
    session = {"id": None, "willResume": False, "isFork": False}
    error = chat.client.error("continuity/preRun", {**params, "cwd": str(chat.cwd), "session": session})
    assert (error.code, error.data["kind"]) == (-32010, "workspaceUnavailable")


def test_a_broken_repository_does_not_stop_the_run(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    (shop.path / ".git" / "index").write_bytes(b"not an index")
    answer = chat.pre_run("go on")
    assert "repository" in [omission["item"] for omission in answer["metadata"]["trimmed"]]
    assert answer["system"] is not None


def test_a_recorded_chat_is_shown_only_if_the_prompt_names_it(start_chat: StartChat, shop: Repository) -> None:
    chat = ".specstory/history/2025-06-13_19-22-cart-discount.md"
    shop.commit({chat: "_**User**_\n\nWhy does the cart total ignore the discount?\n"})
    assert chat not in text_of(start_chat().pre_run(PROMPT), "context")
    named = start_chat(sub_chat_id="other").pre_run(f"Summarize {chat}")
    assert f"{chat}\n" in text_of(named, "context")
    assert "3| Why does the cart total ignore the discount?" in text_of(named, "context")
    assert "src/cart.py" not in text_of(named, "context")


@pytest.mark.parametrize("platform", ["here", "as on macOS and Windows"])
def test_first_answer_in_a_new_worktree_is_whole_and_needs_no_analysis(
    start_chat: StartChat, shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    """Everything but the state is derived on every platform; without exact watches, git reports the state."""
    git_commands: list[str] = []
    if platform != "here":
        monkeypatch.setattr(folder_watch, "sys", SimpleNamespace(platform="win32"))
        monkeypatch.setattr(incremental_state, "sys", SimpleNamespace(platform="win32"))
    start_chat().client.request("codebase/index", {"cwd": str(shop.path)})
    expected = start_chat(sub_chat_id="main").pre_run(PROMPT)
    for name in ("analyse", "analyse_in_workers"):
        monkeypatch.setattr(indexer, name, lambda *_, **__: pytest.fail("a known content was analysed"))
    linked = shop.add_worktree(tmp_path / "linked", "chat")
    run = Git.run

    def recorded(git: Git, *arguments: str, **options: Any) -> bytes:
        if git.cwd.is_relative_to(tmp_path):
            git_commands.append(arguments[0])
        return run(git, *arguments, **options)

    monkeypatch.setattr(Git, "run", recorded)
    answer = start_chat(cwd=linked.path, sub_chat_id="linked", projectPath=str(shop.path)).pre_run(PROMPT)
    assert not answer["metadata"]["partial"]
    assert answer["metadata"]["proof"] == "status"
    assert not {"ls-tree", "log"} & {*git_commands}, f"listing and history are derived: {git_commands}"
    assert platform == "here" or "status" in git_commands
    assert answer["system"] == expected["system"]
    assert text_of(answer, "context") == text_of(expected, "context") != ""


def test_first_answer_in_a_new_worktree_shows_its_own_edit(
    start_chat: StartChat, shop: Repository, tmp_path: Path
) -> None:
    start_chat().client.request("codebase/index", {"cwd": str(shop.path)})
    linked = shop.add_worktree(tmp_path / "linked", "chat")
    linked.write({"src/cart.py": "def total_of_pelicans(cart):\n    return 3\n"})
    there = start_chat(cwd=linked.path, sub_chat_id="linked", projectPath=str(shop.path))
    assert "total_of_pelicans" in text_of(there.pre_run("Fix total_of_pelicans in the cart"), "context")
    here = start_chat(sub_chat_id="main").pre_run("Fix total_of_pelicans in the cart")
    assert "return 3" not in sent(here)
