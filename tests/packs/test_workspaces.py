"""`continuity/preRun` in every kind of workspace: worktrees, no git, no commit, a submodule, a broken repository."""

from collections.abc import Callable
from pathlib import Path

from tests.support.conversation import bash, sent
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, SHOP, Talk, explain, text_of


def test_a_worktrees_changes_stay_in_its_own_packs(talk: Talk, shop: Repository, tmp_path: Path) -> None:
    a, b = (shop.add_worktree(tmp_path / name, f"chat/{name}") for name in ("a", "b"))
    a.write({"src/cart.py": "def only_in_a_total_discount(): ...\n", "src/a_discount.py": "only_in_a = 1\n"})
    first = talk(cwd=a.path, sub_chat_id="a", projectPath=str(shop.path))
    first.turn(PROMPT, lambda: [bash("pytest", "FAILED tests/test_a.py::only_in_a\n1 failed in 0.1s\n")])
    a.commit(message="only_in_a commit")
    first.turn("go on", lambda: [bash("git commit", "")])
    second = talk(cwd=b.path, sub_chat_id="b", projectPath=str(shop.path))
    answers = [second.turn(PROMPT, session="b"), second.turn("go on", session="b")]
    assert "only_in_a" not in str([answers, [explain(second, answer) for answer in answers]])
    assert "only_in_a" in sent(first.pre_run(PROMPT, session={"id": None, "willResume": False, "isFork": False}))


def test_a_folder_without_git_is_served(talk: Talk, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    for name, text in SHOP.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text))
    chat = talk(cwd=folder)
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
    talk: Talk, make_repository: Callable[..., Repository]
) -> None:
    repository = make_repository(name="empty")
    chat = talk(cwd=repository.path)
    assert "without a commit yet" in text_of(chat.turn(PROMPT), "delta")
    repository.write({"src/cart.py": "def total(): ...\n", "src/mail.py": "def send(): ...\n"})
    repository.git("add", "src/cart.py")
    delta = text_of(chat.turn("go on"), "delta")
    assert "+def total()" in delta
    assert "+def send()" in delta


def test_a_detached_head_is_reported(talk: Talk, shop: Repository) -> None:
    shop.git("checkout", "--quiet", "--detach")
    assert "Worktree: detached HEAD at" in text_of(talk().pre_run(PROMPT), "delta")


def test_a_submodule_and_a_subfolder_are_workspaces(
    talk: Talk, shop: Repository, make_repository: Callable[..., Repository]
) -> None:
    outer = make_repository({"README.md": "# Outer\n"}, name="outer")
    inner = outer.add_submodule(shop, "lib/shop")
    inner.write({"src/mail.py": "changed = True\n"})
    answer = talk(cwd=inner.path).pre_run(PROMPT)
    assert "src/cart.py" in text_of(answer, "context")
    assert "unstaged: src/mail.py" in text_of(answer, "delta")
    below = talk(cwd=inner.path / "src", sub_chat_id="below").pre_run(PROMPT)
    assert "\ncart.py" in text_of(below, "context")
    assert "unstaged: mail.py" in text_of(below, "delta")


def test_a_missing_folder_is_a_clear_error(talk: Talk, tmp_path: Path) -> None:
    chat = talk(cwd=tmp_path / "gone")
    params = {"runId": "r", "subChatId": "s", "provider": "claude", "mode": "agent", "prompt": PROMPT}
    session = {"id": None, "willResume": False, "isFork": False}
    error = chat.client.error("continuity/preRun", {**params, "cwd": str(chat.cwd), "session": session})
    assert (error.code, error.data["kind"]) == (-32010, "workspaceUnavailable")


def test_a_broken_repository_does_not_stop_the_run(talk: Talk, shop: Repository) -> None:
    chat = talk()
    chat.turn(PROMPT)
    (shop.path / ".git" / "index").write_bytes(b"not an index")
    answer = chat.pre_run("go on")
    assert "repository" in [omission["item"] for omission in answer["metadata"]["trimmed"]]
    assert answer["system"] is not None


def test_a_recorded_chat_is_shown_only_if_the_prompt_names_it(talk: Talk, shop: Repository) -> None:
    chat = ".specstory/history/2025-06-13_19-22-cart-discount.md"
    shop.commit({chat: "_**User**_\n\nWhy does the cart total ignore the discount?\n"})
    assert chat not in text_of(talk().pre_run(PROMPT), "context")
    named = talk(sub_chat_id="other").pre_run(f"Summarize {chat}")
    assert f"{chat}\n" in text_of(named, "context")
    assert "3| Why does the cart total ignore the discount?" in text_of(named, "context")
