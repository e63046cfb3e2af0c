"""Effects of a run: failing tests and changed files, while others work too."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.capture.effects.run_activity import relative_to
from tests.support.conversation import Conversation, bash, sent
from tests.support.mac import use_mac_files
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, draft_each_change, text_of

RED = "FAILED tests/test_cart.py::test_total - assert\nFAILED tests/test_mail.py::test_send - assert\n2 failed in 1s\n"


def test_a_narrower_green_run_does_not_forget_the_other_failures(start_chat: StartChat) -> None:
    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    chat.turn(PROMPT, lambda: [bash("pytest", RED)])
    other.turn(PROMPT)
    chat.turn("go on", lambda: [bash("pytest tests/test_mail.py", "3 passed in 0.1s\n")])
    delta_text = text_of(other.turn("go on"), "delta")
    assert "tests/test_cart.py::test_total" in delta_text
    assert "test_send" not in delta_text
    chat.turn("go on", lambda: [bash("pytest", "9 passed in 0.1s\n")])
    assert "no known failures remain" in sent(other.turn("go on"))


def files_of(chat: Conversation) -> list[str]:
    """Return the files in the drafts of a conversation's project."""
    drafts = chat.client.request("artifact/list", {"projectPath": str(chat.cwd)})["artifacts"]
    each = [chat.artifact(artifact["id"])["provenance"]["files"] for artifact in drafts]
    return [path for files in each for path in files]


@pytest.mark.parametrize("command", ["git log -3", "cat src/cart.py | head -5", "pytest -q 2>&1 | tail -3"])
def test_changes_by_others_during_a_read_only_run_are_not_attributed_to_it(
    start_chat: StartChat, shop: Repository, command: str
) -> None:
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT)
    shop.write({"src/mail.py": "saved = 'by the user'\n"})
    chat.post_run(before, assistant={"parts": [bash(command, "x")]})
    assert files_of(chat) == []
    assert "by the user" in text_of(chat.pre_run("go on"), "delta")


def test_changes_by_others_during_an_editing_run_are_not_attributed_to_it(
    start_chat: StartChat, shop: Repository
) -> None:
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT)
    shop.write({"src/mail.py": "saved = 'by the user'\n"})
    chat.post_run(before, assistant={"parts": [chat.edit("src/cart.py", "class Cart: ...\n"), bash("git diff", "x")]})
    assert files_of(chat) == ["src/cart.py"]


@pytest.mark.parametrize("commits", [False, True], ids=["written", "committed"])
def test_changes_of_a_slash_command_run_are_attributed_to_it(
    start_chat: StartChat, shop: Repository, commits: bool
) -> None:
    chat = draft_each_change(start_chat())
    chat.turn(PROMPT)
    before = chat.pre_run("/implement the discount")
    assert before["reason"] == "slashCommand"
    change = {"src/cart.py": "class Cart: ...\n", "src/tax.py": "RATE = 19\n"}
    shop.commit(change) if commits else shop.write(change)
    chat.post_run(before, assistant={"parts": [bash("make implement", "")]})
    assert files_of(chat) == ["src/cart.py", "src/tax.py"]


def test_an_error_of_a_non_shell_tool_is_not_a_test_result(start_chat: StartChat) -> None:
    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    error = {"toolCallId": "x", "toolName": "Grep", "text": RED}
    chat.turn(PROMPT, list, toolErrors=[error])
    assert "Failing tests" not in sent(other.turn(PROMPT))
    chat.turn("go on", list, toolErrors=[{**error, "toolName": "Bash"}])
    assert "Failing tests" in sent(other.turn("go on"))


def pressure_lines(chat: Conversation) -> int:
    status = chat.client.request("governor/status", {"subChatId": chat.sub_chat_id})
    (lines,) = [signal["value"] for signal in status["signals"] if signal["name"] == "diffLines"]
    return int(lines)


def write_and_commit(shop: Repository) -> None:
    shop.commit({"src/made.py": "made = True\n" * 50})


def bring_back(shop: Repository) -> None:
    shop.write({"src/stashed.py": "mine = True\n" * 500})


def switch(shop: Repository) -> None:
    shop.commit({"src/there.py": "there = True\n" * 700})
    shop.git("checkout", "--quiet", "-b", "old", "HEAD~1")


@pytest.mark.parametrize("passed_through", [False, True], ids=["", "behind a slash"])
@pytest.mark.parametrize(("users", "grown"), [(write_and_commit, 3), (bring_back, 3), (switch, 23 + 9)])
def test_user_changes_between_runs_add_no_pressure(
    start_chat: StartChat, shop: Repository, users: Callable[[Repository], None], grown: int, passed_through: bool
) -> None:
    chat = start_chat()
    edit = lambda: [chat.edit("src/cart.py", "line = 1\n" * 20)]  # noqa: E731
    chat.turn(PROMPT, edit)
    before = pressure_lines(chat)
    assert before == 20 + 9
    users(shop)
    turn = chat.pre_run("/implement it" if passed_through else "go on")
    chat.post_run(turn, assistant={"parts": [chat.edit("src/cart.py", "line = 1\n" * 23), bash("make", "")]})
    by = pressure_lines(chat) - before
    assert (0 <= by <= 23 + 9) if passed_through else by == grown


def test_changes_that_are_then_committed_add_pressure_once(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/made.py", "made = True\n" * 100)])
    before = chat.pre_run("commit that")
    shop.commit({})
    chat.post_run(before, assistant={"parts": [bash("git commit -am x", "")]})
    assert pressure_lines(chat) == 100


def test_committed_lines_of_the_agent_add_pressure_like_others(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    for number in range(3):
        before = chat.pre_run(PROMPT if number == 0 else "go on")
        shop.commit({f"src/made{number}.py": "made = True\n" * 100})
        chat.post_run(before, assistant={"parts": [bash("git commit -am x", "")]})
    assert pressure_lines(chat) == 300


def test_a_path_through_a_link_to_the_worktree_is_one_of_its_files(tmp_path: Path) -> None:
    real, link = tmp_path / "shop", tmp_path / "link"
    (real / "src").mkdir(parents=True)
    link.symlink_to(real, target_is_directory=True)
    for cwd, path in ((real, link), (link, real), (link, link), (real, real)):
        assert relative_to(str(cwd), str(path / "src" / "new.py")) == "src/new.py"
        assert relative_to(str(cwd), f"src/../{path.name}.py") == f"{path.name}.py"
        assert relative_to(str(cwd), str(path.with_name("other") / "new.py")) is None


def test_on_macos_a_path_in_any_spelling_is_the_file_s_as_git_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed, decomposed = (unicodedata.normalize(form, "Größe.py") for form in ("NFC", "NFD"))
    root = tmp_path / "Till"
    (root / "Src").mkdir(parents=True)
    (root / "Src" / decomposed).touch()
    use_mac_files(monkeypatch)
    for cwd in (root, tmp_path / "till"):
        for path in (f"Src/{composed}", f"src/{decomposed}", f"{tmp_path}/TILL/SRC/{composed.upper()}"):
            assert relative_to(str(cwd), path) == f"Src/{composed}"
        assert relative_to(str(cwd), f"{tmp_path}/till/src/Gone.py") == "Src/Gone.py"
        assert relative_to(str(cwd), f"{tmp_path}/tills/src/a.py") is None


def test_on_macos_an_edit_reported_in_another_case_is_the_run_s(
    start_chat: StartChat, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_mac_files(monkeypatch)
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT)
    shop.write({"src/mail.py": "saved = 'by the user'\n"})
    part = chat.edit("src/cart.py", "class Cart: ...\n")
    part["input"]["file_path"] = str(shop.path / "Src" / "CART.py")
    chat.post_run(before, assistant={"parts": [part]})
    assert files_of(chat) == ["src/cart.py"]
