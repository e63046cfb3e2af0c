"""The delta over several turns in a real repository: each change once, and no more of it than is new."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.runs import entries
from tests.support.conversation import Conversation, bash, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.random_walk import process_of
from tests.support.repositories import Repository, make_repository
from tests.support.shop import PROMPT, StartChat, text_of

LONG = [f"def step_{number}():\n    return {number}\n\n" for number in range(20)]
RED = "=== FAILURES ===\nE   assert 1 == 0\nFAILED tests/test_cart.py::test_total - assert 1 == 0\n1 failed in 0.1s\n"


@pytest.fixture
def long_file(shop: Repository) -> Repository:
    shop.commit({"src/mail.py": "\n".join(LONG)})
    return shop


def write_long(repository: Repository, **replaced: str) -> None:
    """Write the long file with other return values: step_3="30" and so on."""
    parts = list(LONG)
    for name, value in replaced.items():
        number = int(name.removeprefix("step_"))
        parts[number] = parts[number].replace(f"return {number}\n", f"return {value}\n")
    repository.write({"src/mail.py": "\n".join(parts)})


def chat_with_edit(start_chat: StartChat) -> Conversation:
    """Return a conversation in which the agent changed one step of the long file."""
    chat = start_chat()
    agents = "\n".join(LONG).replace("return 15\n", "return 150\n")
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", agents)])
    return chat


def delta(chat: Conversation) -> str:
    return text_of(chat.turn("go on"), "delta")


def test_an_unchanged_turn_costs_nothing(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    answer = chat.turn("go on")
    assert answer["blocks"] == []
    assert answer["metadata"]["injectedBytes"] == 0


def test_a_second_edit_of_a_changed_file_sends_its_own_hunk(start_chat: StartChat, long_file: Repository) -> None:
    chat = start_chat()
    write_long(long_file, step_2="20")
    chat.turn(PROMPT)
    write_long(long_file, step_2="20", step_15="150")
    second = delta(chat)
    assert "unstaged: src/mail.py +2 −2, new in it:" in second
    assert "return 150" in second
    assert "return 20" not in second


def test_a_reverted_hunk_is_reported(start_chat: StartChat, long_file: Repository) -> None:
    chat = start_chat()
    write_long(long_file, step_2="20", step_15="150")
    chat.turn(PROMPT)
    write_long(long_file, step_15="150")
    second = delta(chat)
    assert "no longer as sent or written: @@ -8 +8" in second
    assert "return" not in second


def test_only_the_users_edit_is_sent_for_a_file_the_agent_wrote(start_chat: StartChat, long_file: Repository) -> None:
    chat = start_chat()
    agents = "\n".join(LONG).replace("return 2\n", "return 20\n")
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", agents)])
    write_long(long_file, step_2="20", step_15="150")
    second = delta(chat)
    assert "return 150" in second
    assert "return 20" not in second


def test_only_the_edit_is_sent_for_a_new_file(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    shop.write({"src/steps.py": "\n".join(LONG)})
    assert "return 3\n" in text_of(chat.turn(PROMPT), "delta")
    shop.write({"src/steps.py": "\n".join(LONG).replace("return 3\n", "return 33\n")})
    second = delta(chat)
    assert "untracked: src/steps.py, new in it:" in second
    assert [line for line in second.splitlines() if "return" in line] == ["  +    return 33"]


def test_a_delivered_change_is_not_repeated_after_its_commit(start_chat: StartChat, long_file: Repository) -> None:
    chat = start_chat()
    write_long(long_file, step_2="20")
    chat.turn(PROMPT)
    write_long(long_file, step_2="20", step_15="150")
    long_file.commit(message="Two steps")
    second = delta(chat)
    assert "Two steps" in second
    assert "committed: src/mail.py +2 −2, new in it:" in second
    assert "return 150" in second
    assert "return 20" not in second
    assert not delta(chat)


def test_a_pull_below_changed_lines_sends_only_what_it_brings(start_chat: StartChat, long_file: Repository) -> None:
    chat = chat_with_edit(start_chat)
    long_file.git("stash", "--quiet")
    long_file.commit({"src/mail.py": "import os\n\n" + "\n".join(LONG)}, "Import os")
    long_file.git("stash", "pop", "--quiet")
    shown = delta(chat)
    assert "unstaged: src/mail.py +1 −1, as sent before" in shown
    assert "committed: src/mail.py +2 −0" in shown
    assert "+import os" in shown
    assert "return 150" not in shown
    assert "no longer as sent" not in shown, "the commits lack the change, which is in the worktree"
    assert not delta(chat)


def test_a_change_that_returns_is_named_without_its_lines(start_chat: StartChat, long_file: Repository) -> None:
    chat = chat_with_edit(start_chat)
    long_file.git("stash", "--quiet")
    assert "no longer changed: src/mail.py" in delta(chat)
    long_file.git("stash", "pop", "--quiet")
    write_long(long_file, step_2="20", step_15="150")
    shown = delta(chat)
    assert "unstaged: src/mail.py +2 −2, new in it:" in shown
    assert "return 20" in shown
    assert "return 150" not in shown
    long_file.git("switch", "--quiet", "--create", "other")
    long_file.commit(message="Two steps")
    long_file.git("switch", "--quiet", "main")
    assert "no longer changed: src/mail.py" in delta(chat)
    long_file.git("merge", "--quiet", "other")
    merged = delta(chat)
    assert "committed: src/mail.py +2 −2, as sent before" in merged
    assert "return" not in merged
    long_file.git("reset", "--quiet", "--soft", "HEAD~1")
    assert "staged: src/mail.py +2 −2, as sent before" in delta(chat)


def test_changes_that_vanished_are_named_with_the_place_that_has_them(
    start_chat: StartChat, long_file: Repository
) -> None:
    chat = start_chat()
    agents = "\n".join(LONG).replace("return 15\n", "return 150\n")
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", agents), chat.edit("src/tax.py", "RATE = 19\n")])
    long_file.git("stash", "--quiet")
    assert delta(chat).endswith("no longer changed: src/mail.py (the latest stash has it)\n")
    long_file.git("stash", "pop", "--quiet")
    assert "src/mail.py" in delta(chat)
    long_file.git("switch", "--quiet", "--create", "fifteen")
    long_file.commit(message="Fifteen")
    long_file.git("switch", "--quiet", "main")
    shown = delta(chat)
    assert "no longer changed: src/mail.py (branch fifteen has it)\n" in shown
    assert "no longer changed: src/tax.py (branch fifteen has it)\n" in shown
    write_long(long_file, step_3="30")
    assert "src/mail.py" in delta(chat)
    long_file.git("checkout", "--", "src/mail.py")
    assert delta(chat).endswith("no longer changed: src/mail.py\n"), "nothing has it"


def test_what_the_agent_took_back_and_the_user_restores_is_named_without_its_lines(
    start_chat: StartChat, long_file: Repository
) -> None:
    chat = chat_with_edit(start_chat)
    chat.turn("undo that", lambda: [chat.edit("src/mail.py", "\n".join(LONG))])
    assert not delta(chat)
    write_long(long_file, step_15="150")
    assert "unstaged: src/mail.py +1 −1, as sent before" in delta(chat)


def test_a_head_moved_back_lists_lost_commits(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    chat = start_chat()
    chat.turn(PROMPT)
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    shown = delta(chat)
    assert "HEAD has moved back since your last run." in shown
    assert "no longer in its history:\n" in shown
    assert "Add the tax rate" in shown
    assert "src/tax.py +0 −1" in shown
    assert "new commits" not in shown


def test_an_amended_commit_is_one_lost_and_one_new(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    chat = start_chat()
    chat.turn(PROMPT)
    shop.write({"src/tax.py": "RATE = 20\n"})
    shop.git("commit", "--quiet", "--all", "--amend", "--message", "Add the right tax rate")
    shown = delta(chat)
    assert "to another line of commits" in shown
    removed_at, added_at = shown.index("Add the tax rate"), shown.index("Add the right tax rate")
    assert shown.index("no longer in its history:") < removed_at < shown.index("new commits:") < added_at
    assert "changed with HEAD: src/tax.py +1 −1" in shown
    assert "+RATE = 20" in shown


def test_a_branch_switch_names_the_previous_branch(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.git("switch", "--quiet", "--create", "feature/tax")
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    assert "branch feature/tax" in (first := delta(chat))
    assert "(was on branch main)" in first
    shop.git("switch", "--quiet", "main")
    second = delta(chat)
    assert "(was on branch feature/tax)" in second
    assert "HEAD has moved back" in second


def test_a_deleted_commit_is_reported(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    chat = start_chat()
    chat.turn(PROMPT)
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "--quiet", "--prune=now")
    assert "its previous commit no longer exists" in delta(chat)


def test_a_conflicted_merge_shows_the_conflicts(start_chat: StartChat, shop: Repository) -> None:
    shop.git("switch", "--quiet", "--create", "other")
    shop.commit({"src/tax.py": "RATE = 20\n"}, "Twenty")
    shop.git("switch", "--quiet", "main")
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Nineteen")
    chat = start_chat()
    chat.turn(PROMPT)
    with pytest.raises(AssertionError, match="git merge"):
        shop.git("merge", "--quiet", "other")
    shown = delta(chat)
    assert "conflicted: src/tax.py\n" in shown
    assert "staged for the next commit" not in shown, "git refuses to commit it"
    assert "   <<<<<<< HEAD\n   RATE = 19\n   =======\n   RATE = 20\n   >>>>>>> other\n" in shown
    shop.write({"src/tax.py": "RATE = 21\n"})
    shop.git("add", "src/tax.py")
    shown = delta(chat)
    assert "+RATE = 21" in shown
    assert "staged for the next commit: src/tax.py" in shown


def test_files_that_a_merge_only_brings_are_counted_behind_its_conflicts(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.commit({"src/old.py": "OLD = 1\n"}, "Old")
    shop.git("switch", "--quiet", "--create", "other")
    brought = {f"src/part_{number:02}.py": f"def part_{number}():\n    return {number}\n" for number in range(20)}
    (shop.path / "src/old.py").unlink()
    shop.commit({**brought, "src/cart.py": "TOTAL = 2\n", "src/mail.py": "MAIL = 2\n"}, "Theirs")
    shop.git("switch", "--quiet", "main")
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", "TOTAL = 1\n")])
    shop.commit(None, "Ours")
    with pytest.raises(AssertionError, match="git merge"):
        shop.git("merge", "--quiet", "other")
    shop.write({"src/mail.py": "MAIL = 3\n"})
    shown = text_of(chat.turn("merging other gives conflicts, which?"), "delta")
    assert "conflicted: src/cart.py\n  @@ +1,5 @@ conflict\n" in shown
    assert "no longer as sent" not in shown, "git shows nothing but the conflict"
    assert "unstaged: src/mail.py +1" in shown, "it was changed again here"
    assert "as in the commit being merged: 21 files: src/old.py, src/part_00.py, " in shown
    assert "return 3" not in shown
    assert "src/part_12.py" not in shown


def test_a_new_file_that_the_delta_shows_whole_is_not_in_the_context_too(
    start_chat: StartChat, shop: Repository
) -> None:
    shop.write({"src/discount.py": "def discount_of(cart):\n    return cart.discount\n"})
    answer = start_chat().turn("which discount does discount_of take from the cart?")
    assert "+def discount_of(cart):" in text_of(answer, "delta")
    assert "def discount_of" not in text_of(answer, "context")
    assert "def apply_discount" in text_of(answer, "context")
    large = "".join(f"def discount_{number}(cart):\n    return cart.discount\n\n\n" for number in range(99))
    shop.write({"src/discount.py": f"def discount_of(cart):\n    return cart.discount * 2\n\n\n{large}"})
    answer = start_chat(sub_chat_id="other").turn("which discount does discount_of take from the cart?")
    assert "def discount_of" in text_of(answer, "context"), "the delta shows a part of it"


def test_a_task_list_reports_added_done_and_dropped_tasks(start_chat: StartChat) -> None:
    chat = start_chat()
    todos = [{"content": f"Task {number}", "status": "pending"} for number in range(12)]
    chat.turn(PROMPT, todos=todos)
    assert "Task list:\n  [ ] Task 0\n" in text_of(chat.turn("go on", todos=todos), "delta")
    todos[3] = {"content": "Task 3", "status": "completed"}
    del todos[7]
    chat.turn("go on", todos=todos)
    shown = text_of(chat.turn("go on", todos=[*todos, {"content": "One more", "status": "in_progress"}]), "delta")
    assert shown.endswith("Task list, since you last saw it (1 of 11 done):\n  dropped: Task 7\n  done: Task 3\n")
    assert "added: [~] One more" in text_of(chat.turn("go on", todos=[]), "delta")
    assert "Task list: empty now." in delta(chat)
    assert not delta(chat)


def test_a_session_is_reminded_of_its_own_failing_tests_by_name_only(start_chat: StartChat) -> None:
    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    chat.turn(PROMPT, lambda: [bash("pytest", RED)])
    shown = delta(chat)
    assert "Failing tests (pytest):\n  tests/test_cart.py::test_total\n" in shown
    assert "assert 1 == 0" not in shown
    assert not delta(chat)
    chat.turn("go on", lambda: [bash("pytest", RED.replace("0.1s", "0.3s"))])
    assert not delta(chat)
    assert "assert 1 == 0" in text_of(other.turn(PROMPT), "delta")
    chat.turn("go on", lambda: [bash("pytest", "1 passed in 0.10s\n")])
    assert not delta(chat)
    assert "Tests (pytest): no known failures remain." in delta(other)
    assert not delta(other)
    broken = f"# Error: Cannot find module 'till'\nnot ok 1 - {chat.cwd}/t/a.test.js\n# pass 0\n# fail 1\n"
    chat.turn("go on", lambda: [bash("npx borp", broken)])
    assert "  t/a.test.js\n  | # Error: Cannot find module 'till'\n" in delta(chat), "a file's name alone says nothing"


def test_an_old_failure_has_a_date_and_is_sent_once(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [bash("pytest", RED)])
    shop.write({"src/mail.py": "fixed = True\n"})
    other = start_chat("codex", sub_chat_id="other")
    assert "Failing tests (pytest), seen on 2026-03-01, before later changes:" in text_of(other.turn(PROMPT), "delta")
    shop.write({"src/mail.py": "fixed = 2\n"})
    assert "Failing tests" not in sent(other.turn("go on"))


def test_a_rebase_or_merge_in_progress_is_named_until_it_ends(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.git("checkout", "--quiet", "-b", "other")
    shop.commit({"src/mail.py": "theirs = 1\n"})
    shop.git("checkout", "--quiet", "main")
    shop.commit({"src/mail.py": "ours = 1\n"})
    with pytest.raises(AssertionError, match="rebase"):
        shop.git("rebase", "--quiet", "main", "other")
    assert "A rebase of branch other is in progress." in delta(chat)
    assert "in progress" not in delta(chat)
    shop.git("rebase", "--abort")
    assert "The rebase of branch other is no longer in progress." in delta(chat)
    shop.git("checkout", "--quiet", "main")
    with pytest.raises(AssertionError, match="merge"):
        shop.git("merge", "--quiet", "other")
    assert "A merge is in progress." in delta(chat)


def test_patches_that_do_not_apply_are_named_until_they_are_given_up(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"src/cart.py": "TOTAL = 1\n"}, "Set the total")
    patch = shop.git("format-patch", "-1", "--stdout")
    shop.commit({"src/cart.py": "TOTAL = 2\n"}, "Set another total")
    (shop.path.parent / "total.patch").write_text(patch, encoding="utf-8")
    with pytest.raises(AssertionError, match="patch"):
        shop.git("am", "--quiet", "../total.patch")
    chat = start_chat("codex")
    assert "A patch application (git am) is in progress." in text_of(chat.turn("Fix the cart."), "delta")
    shop.git("am", "--abort")
    ended = text_of(chat.turn("Go on."), "delta")
    assert "The patch application (git am) is no longer in progress." in ended


def test_binary_files_modes_and_links_are_named_with_their_status(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"logo.png": b"\x89PNG\x00\x01", "run.sh": "echo\n"}, "Add a logo")
    chat = start_chat()
    chat.turn(PROMPT)

    def lines() -> list[str]:
        return text_of(chat.turn("go on"), "delta").splitlines()[2:]

    (shop.path / "logo.png").write_bytes(b"\x89PNG\x00\x02")
    (shop.path / "icon.ico").write_bytes(b"\x00\x00\x01")
    assert lines() == ["untracked: icon.ico (binary)", "unstaged: logo.png (binary)"]
    (shop.path / "logo.png").write_bytes(b"\x89PNG\x00\x03")
    assert lines() == ["unstaged: logo.png (binary), changed again"]
    (shop.path / "run.sh").chmod(0o755)
    assert lines() == ["unstaged: run.sh (now executable)"]
    shop.git("config", "core.autocrlf", "true")
    (shop.path / "run.sh").write_bytes(b"echo\r\n")
    assert lines() == ["unstaged: run.sh (now executable), changed again"]
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Redraw")
    assert lines()[-2:] == ["committed: icon.ico", "committed: logo.png"]


def test_a_mode_that_changes_with_the_text_is_named_also_in_a_commit(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"run.sh": "echo\n", "stop.sh": "echo\n"}, "Add scripts")
    chat = start_chat()
    chat.turn(PROMPT)
    shop.write({"run.sh": "echo run\n"})
    (shop.path / "run.sh").chmod(0o755)
    assert "unstaged: run.sh (now executable) +1 −1" in delta(chat).splitlines()
    (shop.path / "stop.sh").chmod(0o755)
    shop.git("commit", "-qam", "Let them run")
    committed = delta(chat).splitlines()
    assert "committed: run.sh (now executable) +1 −1, as sent before" in committed
    assert "committed: stop.sh (now executable)" in committed
    for name in ("AGENTS.md", "Makefile", "README.md", "src/cart.py", "src/invoice.py", "src/mail.py", ".gitignore"):
        (shop.path / name).chmod(0o755)
    shop.git("commit", "-qam", "Let all run")
    assert "  .gitignore (now executable)" in delta(chat).splitlines()


def test_a_file_that_becomes_a_link_is_not_new_text_and_not_deleted(start_chat: StartChat, shop: Repository) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    chat = start_chat()
    chat.turn(PROMPT)
    (shop.path / "src/mail.py").unlink()
    (shop.path / "src/mail.py").symlink_to("invoice.py")
    (shop.path / "latest").symlink_to(token)
    assert delta(chat).splitlines()[2:] == [
        "untracked: latest (symbolic link)",
        "unstaged: src/mail.py (replaced by a symbolic link to invoice.py) +0 −5",
    ]
    shop.git("add", "--all")
    shop.git("commit", "-qm", "Link")
    committed = delta(chat)
    assert "committed: src/mail.py (replaced by a symbolic link to invoice.py)" in committed
    assert "latest (symbolic link" in committed
    assert token not in committed
    (shop.path / "src/mail.py").unlink()
    shop.write({"src/mail.py": "def send() -> None: ...\n"})
    assert delta(chat).splitlines()[2:] == [
        "unstaged: src/mail.py (was a symbolic link) +1 −1",
        "  @@ +1 @@",
        "  +def send() -> None: ...",
    ]


def test_the_delta_is_empty_exactly_if_the_state_is_the_same(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({"logo.png": b"\x00\x01", "src/old.py": "old = 1\n"}, "Add a logo")
    shop.write({"note.txt": "1\n"})
    chat = start_chat()
    chat.turn(PROMPT)
    git_dir = shop.path / ".git"

    def add_repository() -> None:
        make_repository(shop.path / "inner")

    def stash() -> None:
        shop.write({"src/old.py": "old = 2\n"})
        shop.git("stash", "-q")

    def change_mode() -> None:
        (shop.path / "src/cart.py").chmod(0o755)

    changes: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "a secret file": lambda: shop.write({"id_rsa": "a\n"}),
        "the secret file again": lambda: shop.write({"id_rsa": "b\n"}),
        "the secret file gone": (shop.path / "id_rsa").unlink,
        "ignored": lambda: shop.write({".env": "KEY=1\n"}),
        "stash": stash,
        "staged": lambda: shop.git("add", "note.txt"),
        "edited": lambda: shop.write({"note.txt": "2\n"}),
        "staged again": lambda: shop.git("add", "note.txt"),
        "unstaged": lambda: shop.git("reset", "-q"),
        "branch": lambda: shop.git("checkout", "-q", "-b", "other"),
        "detached": lambda: shop.git("checkout", "-q", "--detach"),
        "empty commit": lambda: shop.git("commit", "-q", "--allow-empty", "-m", "Empty"),
        "mode": change_mode,
        "binary": lambda: (shop.path / "logo.png").write_bytes(b"\x00\x02"),
        "link": lambda: (shop.path / "link").symlink_to("src"),
        "renamed": lambda: shop.git("mv", "src/old.py", "src/new.py"),
        "deleted": (shop.path / "src/mail.py").unlink,
        "empty file": lambda: shop.write({"empty.txt": ""}),
        "generated": lambda: shop.write({"package-lock.json": "{}\n"}),
        "another repository": add_repository,
        "line ends": lambda: shop.write({"src/new.py": "old = 1\r\n"}),
        "large": lambda: shop.write({"large.txt": "x" * 3_000_000}),
        "cherry-pick": lambda: (git_dir / "CHERRY_PICK_HEAD").write_text(f"{shop.git('rev-parse', 'HEAD')}\n"),
        "no cherry-pick": (git_dir / "CHERRY_PICK_HEAD").unlink,
    }

    def state() -> Any:
        result = chat.client.request("codebase/state", {"cwd": str(shop.path)})
        operation = next((name for name in ("CHERRY_PICK_HEAD",) if (git_dir / name).exists()), "")
        return {**result, "proof": operation}

    wrong = {}
    for name, change in changes.items():
        before = state()
        change()
        if ((sent_delta := delta(chat)) and state() == before) or (not sent_delta and state() != before):
            wrong[name] = sent_delta
        if again := delta(chat):
            wrong[f"{name}, again"] = again
    assert wrong == {}


def test_files_that_were_only_counted_are_reported_as_unchanged_again(start_chat: StartChat, shop: Repository) -> None:
    shop.commit({f"many/{number}.txt": "1\n" for number in range(120)}, "Add many")
    chat = start_chat()
    chat.turn(PROMPT)
    shop.write({f"many/{number}.txt": "2\n" for number in range(120)})
    listed = text_of(chat.turn("go on"), "delta").splitlines()[-1]
    assert listed.startswith("80 more changed files: ")
    assert listed.endswith(" and 20 more")
    shop.git("checkout", "-q", ".")
    last = text_of(chat.turn("go on"), "delta")
    assert "no longer among the changed files, unless named here: 80 more" in last


def test_many_untracked_files_are_counted_by_their_folder(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a session has of them, or a prompt names, is shown one by one."""
    monkeypatch.setattr(entries, "MANY_UNTRACKED", 500)
    shop.write({f"data/{number // 100}/{number}.txt": "1\n" for number in range(600)})
    chat = start_chat()
    assert text_of(chat.turn(PROMPT), "delta").splitlines()[-1] == "600 untracked files: data/ (600)"
    assert delta(chat) == ""
    shop.write({"data/2/203.txt": "2\n"})
    assert delta(chat).splitlines()[2:] == ["600 untracked files, some of them new or changed again: data/ (600)"]
    assert delta(chat) == ""
    named = text_of(chat.turn("What is in data/3/309.txt?"), "delta")
    assert "untracked: data/3/309.txt" in named
    shop.write({"data/3/309.txt": "a new line\n"})
    assert "+a new line" in delta(chat)
    with process_of(active).database.read() as tx:
        sizes = [size for (size,) in tx.execute("SELECT length(record) FROM continuity_calls")]
    assert max(sizes) < 10_000
    shutil.rmtree(shop.path / "data")
    assert "no longer among the changed files, unless named here: 600 more" in delta(chat)


def test_what_a_run_writes_in_a_counted_folder_is_its_own(
    start_chat: StartChat, active: MemorySidecar, shop: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "MANY_UNTRACKED", 500)
    shop.write({f"data/{number}.txt": "1\n" for number in range(600)})
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("data/own.py", "total = 1\n")])
    with process_of(active).database.read() as tx:
        assert "data/own.py" in str(tx.execute("SELECT touched FROM continuity_runs").get)


@pytest.mark.parametrize("tool", ["Bash", "mcp__files__write_file", "Task"])
def test_what_a_tool_of_the_agent_changed_is_its_own(start_chat: StartChat, shop: Repository, tool: str) -> None:
    chat = start_chat()
    chat.turn(PROMPT)

    def works() -> list[dict[str, Any]]:
        shop.write({"src/cart.py": "x = 2\n", "src/new.py": "new = 1\n", "id_rsa": "x\n"})
        (shop.path / "src/mail.py").unlink()
        given_input = {"command": "sed -i s/1/2/ src/cart.py"} if tool == "Bash" else {"prompt": "Format the cart"}
        return [{"type": f"tool-{tool}", "toolCallId": "1", "state": "output-available", "input": given_input}]

    chat.turn("format", works)
    assert not text_of(chat.turn("go on"), "delta")
    shop.write({"src/new.py": "new = 2\n"})
    assert "src/new.py" in text_of(chat.turn("go on"), "delta")
