"""`continuity/postRun`: idempotent and atomic; it drafts a devlog only of real changes."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from sidecar.app import RUNS_OF_A_RELEASE
from sidecar.codebase.search import postings
from sidecar.system import folder_watch
from tests.support.conversation import Conversation, bash, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure
from tests.support.shop import PROMPT, StartChat, draft_each_change, explain, read_part, set_settings, text_of

CART = '"""The cart."""\n\n\nclass Cart:\n    def total(self) -> int:\n        return 1\n'


def artifacts(chat: Conversation, **filters: Any) -> list[Any]:
    path = str(chat.common.get("projectPath", chat.cwd))
    found: list[Any] = chat.client.request("artifact/list", {"projectPath": path, **filters})["artifacts"]
    return found


def rows(sidecar: MemorySidecar) -> dict[str, list[Any]]:
    """Return all rows about runs in the state file, by table."""
    assert sidecar.app.process is not None
    tables = ("runs", "calls", "sessions", "deliveries", "state", "tests", "artifacts", "metrics")
    with sidecar.app.process.database.read() as tx:
        found = {name: list(tx.execute(f"SELECT * FROM continuity_{name} ORDER BY 1, 2, 3, 4")) for name in tables}
    found["metrics"] = [row for row in found["metrics"] if not str(row[4]).startswith("error{")]  # not of runs
    return found


def test_repeating_a_run_returns_the_first_answer_and_changes_nothing(
    start_chat: StartChat, active: MemorySidecar
) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    first = chat.post_run(before, PROMPT, assistant={"parts": [chat.edit("src/cart.py", CART)]})
    rows_before = rows(active)
    chat.edit("src/mail.py", "changed after the run\n")
    again = chat.post_run(before, "another wording", outcome="error", session="another")
    assert again == {**first, "duplicate": True}
    assert rows(active) == rows_before


def test_one_run_sent_by_many_threads_is_stored_once(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT)
    part = chat.edit("src/cart.py", CART)
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(chat.post_run(before, assistant={"parts": [part]})))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8
    assert len(rows(active)["runs"]) == 1
    assert len({answer["artifacts"][0]["id"] for answer in answers}) == 1


def test_the_same_run_after_a_restart_is_a_duplicate(
    start_chat: StartChat, active: MemorySidecar, open_sidecar: Callable[..., MemorySidecar]
) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    first = chat.post_run(before, assistant={"parts": [chat.edit("src/cart.py", CART)]})
    active.close()
    restarted = open_sidecar()
    restarted.client.initialize(settings={"mode": "active"})
    chat.client = restarted.client
    assert chat.post_run(before) == {**first, "duplicate": True}


def test_a_failed_write_stores_nothing_of_the_run_and_a_repeat_works(
    start_chat: StartChat, active: MemorySidecar
) -> None:
    chat = start_chat()
    red = bash("pytest", "FAILED tests/test_cart.py::test_total\n1 failed in 0.1s\n")
    before = chat.pre_run(PROMPT)
    parts = [chat.edit("src/cart.py", CART), red]
    assert active.app.process is not None
    database = active.app.process.database
    rows_before, failed = rows(active), 0
    for number in range(1, 60):
        with database.write() as tx:
            connection = tx
        connection.authorizer = _refuse_write(number)
        try:
            chat.post_run(before, PROMPT, assistant={"parts": parts}, session="s")
        except RpcFailure:
            failed += 1
            assert rows(active) == rows_before
        else:
            break
        finally:
            with database._write_lock:  # the next pack is written meanwhile
                connection.authorizer = None
    assert failed > 5
    after = rows(active)
    assert len(after["runs"]) == len(after["artifacts"]) == len(after["tests"]) == 1
    assert explain(chat, before)["status"] == "committed"


def _refuse_write(number: int) -> Callable[..., int]:
    left = number

    def authorize(action: int, *_names: str | None) -> int:
        nonlocal left
        of_the_run = threading.current_thread().name != "write-behind"  # caches and measures are written when they may
        if of_the_run and action in (apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE):
            left -= 1
            if left == 0:
                return int(apsw.SQLITE_DENY)
        return int(apsw.SQLITE_OK)

    return authorize


def test_mode_off_accepts_nothing(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    set_settings(chat, mode="off")
    answer = chat.post_run({"runId": "r", "deliveryToken": None}, outcome="completed")
    assert answer["accepted"] is False
    assert rows(active)["runs"] == []


def test_a_run_is_stored_although_its_worktree_was_removed(
    start_chat: StartChat, shop: Repository, tmp_path: Path
) -> None:
    worktree = shop.add_worktree(tmp_path / "work tree", "chat/1")
    chat = start_chat(cwd=worktree.path, projectPath=str(shop.path))
    before = chat.pre_run(PROMPT)
    part = chat.edit("src/cart.py", CART)
    worktree.path.rename(tmp_path / "elsewhere")
    answer = chat.post_run(before, assistant={"parts": [part]})
    assert answer["accepted"] is True
    assert answer["artifacts"] == []
    assert chat.post_run(before)["duplicate"] is True


def test_a_read_only_run_drafts_nothing_in_a_dirty_worktree(start_chat: StartChat, shop: Repository) -> None:
    shop.write({"src/mail.py": "dirty = True\n", "src/new.py": "new = True\n"})
    chat = start_chat()
    chat.turn(PROMPT, lambda: [read_part(shop.path / "src/mail.py"), bash("git status", " M src/mail.py\n")])
    assert artifacts(chat) == []


def test_only_a_completed_run_drafts(start_chat: StartChat, shop: Repository) -> None:
    for outcome in ("aborted", "error", "empty", "notStarted", "superseded"):
        chat = start_chat(sub_chat_id=outcome)
        before = chat.pre_run(PROMPT)
        chat.post_run(before, session=outcome, outcome=outcome, assistant={"parts": [chat.edit("src/cart.py", CART)]})
        assert artifacts(chat) == [], outcome
        shop.git("checkout", "--quiet", "src/cart.py")


@pytest.mark.parametrize("outcome", ["completed", "aborted", "error", "empty", "notStarted", "superseded"])
def test_the_users_statements_are_remembered_whatever_the_outcome(start_chat: StartChat, outcome: str) -> None:
    chat = start_chat()
    prompt = "From now on print every receipt twice."
    choice = "I chose half up in `roundDiscount` over half to even because of the audit."
    after = chat.post_run(chat.pre_run(prompt), prompt, outcome=outcome, assistant={"text": choice, "parts": []})
    authors = ["user", "agent"] if outcome == "completed" else ["user"]
    assert [memory["standing"] for memory in after["remembered"]] == [author == "user" for author in authors]


def test_files_outside_the_worktree_and_ignored_ones_draft_nothing(
    start_chat: StartChat, shop: Repository, tmp_path: Path
) -> None:
    chat = start_chat()
    outside = tmp_path / "notes.md"
    outside.write_text("x")
    parts = [chat.edit("debug.log", "x"), chat.edit(".env", "TOKEN=1"), chat.edit(str(outside), "y")]
    chat.turn(PROMPT, lambda: parts)
    assert artifacts(chat) == []
    assert (shop.path / "debug.log").exists()


def files_of(chat: Conversation) -> list[str]:
    (artifact,) = artifacts(chat)
    found: list[str] = chat.artifact(artifact["id"])["provenance"]["files"]
    return found


def test_codex_changes_are_read_from_their_keys_and_move_targets(start_chat: StartChat, shop: Repository) -> None:
    chat = draft_each_change(start_chat("codex"))
    before = chat.pre_run(PROMPT)
    shop.git("mv", "src/mail.py", "src/post.py")
    shop.write({"src/post.py": "def send() -> None: ...\n", "src/cart.py": CART})
    changes = {
        str(shop.path / "src/mail.py"): {
            "type": "update",
            "unified_diff": "",
            "move_path": str(shop.path / "src/post.py"),
        },
        "src/cart.py": {"type": "update", "unified_diff": ""},
    }
    part = {"type": "tool-Edit", "toolCallId": "e", "state": "result", "input": {"changes": changes}}
    chat.post_run(before, assistant={"parts": [part]})
    assert {"src/cart.py", "src/post.py"} <= set(files_of(chat))
    assert "src/post.py" not in text_of(chat.pre_run("go on"), "delta")


def test_files_written_by_a_shell_command_are_attributed_to_the_run(start_chat: StartChat, shop: Repository) -> None:
    chat = draft_each_change(start_chat())
    shop.write({"src/mail.py": "dirty before\n"})
    before = chat.pre_run(PROMPT)
    shop.write({"src/cart.py": CART, "src/made.py": "made = True\n"})
    chat.post_run(before, assistant={"parts": [bash("make generate", "")]})
    assert files_of(chat) == ["src/cart.py", "src/made.py"]


def test_files_committed_by_the_agent_are_attributed_to_the_run(start_chat: StartChat, shop: Repository) -> None:
    chat = draft_each_change(start_chat())
    before = chat.pre_run(PROMPT)
    shop.commit({"src/cart.py": CART, "src/tax.py": "RATE = 19\n" * 7})
    chat.post_run(before, assistant={"parts": [bash("git commit -am x", "")]})
    assert files_of(chat) == ["src/cart.py", "src/tax.py"]
    (artifact,) = artifacts(chat)
    assert "`src/tax.py` +7 −0" in chat.artifact(artifact["id"])["body"]


def test_a_devlog_entry_is_readable_and_has_its_provenance(start_chat: StartChat, shop: Repository) -> None:
    chat = draft_each_change(start_chat())
    prompt = "Make the cart's total respect the discount. Use whole cents; my key is sk-live-abcdefghijklmnop1234."
    done = "The total now subtracts the discount. It was wrong because the sum ignored it. I removed the old sum."
    conclusion = f"{done}\n\n```python\nx = 1\n```\n\nShall I go on with invoices?"
    before = chat.pre_run(prompt)
    work = [chat.edit("src/cart.py", CART), bash("pytest -q", "3 passed in 0.10s\n")]
    parts = [{"type": "text", "text": "I look around first."}, *work, {"type": "text", "text": conclusion}]
    text = f"I look around first.\n\n{conclusion}"
    answer = chat.post_run(before, prompt, assistant={"text": text, "parts": parts}, chatId="c-1")
    found = chat.artifact(answer["artifacts"][0]["id"])
    assert found["title"] == "The total now subtracts the discount"
    assert found["type"] == "devlog"
    assert found["status"] == "draft"
    assert found["event"] == "mergedDiff"
    assert found["createdAt"].startswith("2026-03-01T09:30")
    assert found["body"].startswith(
        "# The total now subtracts the discount\n\n"
        "Request: Make the cart's total respect the discount\n\n"
        "**Cause:** It was wrong because the sum ignored it.\n\n"
        "**Change:** I removed the old sum.\n\n"
        "**Evidence:** pytest: passing\n\n"
    )
    assert "\n- `src/cart.py` +" in found["body"]
    assert "look around" not in found["body"]
    assert "sk-live" not in str(found)
    assert "```" not in found["body"]
    provenance = dict(found["provenance"])
    assert len(provenance.pop("taskFingerprint")) == 16
    assert provenance.pop("sidecarVersion")
    assert provenance == {
        "runId": before["runId"],
        "subChatId": "chat",
        "provider": "claude",
        "sessionId": "session",
        "runs": [before["runId"]],
        "chatId": "c-1",
        "startCommit": shop.head(),
        "headCommit": shop.head(),
        "files": ["src/cart.py"],
        "edited": False,
        "branch": None,
        "commit": None,
        "arm": None,
    }


@pytest.mark.parametrize("mode", ["passive", "active"])
def test_runs_are_a_tally_that_nothing_shows_until_an_entry_is_due(
    start_chat: StartChat, active: MemorySidecar, mode: str
) -> None:
    chat = start_chat()
    set_settings(chat, mode=mode)
    lines = "line = 1\n"
    sizes = {
        90: "Added the rounded lines of the big table. Removed the old sums.",
        100: "The cause was the rounding of lines in the big table.",
        130: "Done!", 131: "", 140: "",
    }  # fmt: skip
    turns = [chat.turn("go on", lambda size=size: [chat.edit("src/big.py", lines * size)], text=text)
             for size, text in sizes.items()]  # fmt: skip
    assert [len(turn["after"]["artifacts"]) for turn in turns] == [0, 0, 1, 0, 0]
    (entry,) = artifacts(chat)
    found = chat.artifact(entry["id"])
    assert (found["event"], found["provenance"]["runs"]) == ("mergedDiff", [turn["runId"] for turn in turns[:3]])
    assert "`src/big.py` +130 −0" in found["body"]
    assert "**Cause:** The cause was the rounding of lines in the big table." in found["body"]
    assert active.app.process is not None
    with active.app.process.database.read() as tx:
        (tally,) = tx.execute("SELECT artifact_id FROM continuity_artifacts WHERE event = 'tally'").fetchall()
    assert chat.client.error("artifact/get", {"projectPath": str(chat.cwd), "id": tally[0]}).data["kind"] == "notFound"
    active.clock.advance(25 * 3_600_000)
    chat.turn("Now the mail", lambda: [chat.edit("src/big.py", lines * 260)])
    assert sorted("+130 −0" in chat.artifact(artifact["id"])["body"] for artifact in artifacts(chat)) == [True, True]


def test_an_entry_counts_across_the_agents_own_commits(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    lines = "line = 1\n"
    chat.turn(PROMPT, lambda: [chat.edit("src/big.py", lines * 110)])
    before = chat.pre_run("Commit it")
    shop.commit()
    chat.post_run(before, assistant={"parts": [bash("git commit -am big", "")]})
    chat.turn("go on", lambda: [chat.edit("src/big.py", lines * 120)])
    (entry,) = artifacts(chat)
    assert "`src/big.py` +120 −0" in chat.artifact(entry["id"])["body"]


def test_many_files_make_an_entry_due(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit(f"src/m{number}.py", "x = 1\n") for number in range(8)])
    assert [artifact["event"] for artifact in artifacts(chat)] == ["mergedDiff"]


def test_tool_errors_reveal_failing_tests(start_chat: StartChat) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    part = {"type": "tool-Bash", "toolCallId": "b", "state": "call", "input": {"command": "pytest"}}
    error = {"toolCallId": "b", "text": "Exit code 1\nFAILED tests/test_cart.py::test_total\n1 failed in 0.1s"}
    chat.post_run(before, assistant={"parts": [part]}, toolErrors=[error])
    assert "tests/test_cart.py::test_total" in sent(chat.pre_run("go on"))


def test_damaged_parts_are_skipped(start_chat: StartChat) -> None:
    chat = start_chat()
    damaged = [
        {},
        {"type": 7},
        {"type": "tool-Bash"},
        {"type": "tool-Bash", "input": {"command": 7}},
        {"type": "tool-Bash", "input": {"command": ["bash", "-lc", "ls"]}, "output": 7},
        {"type": "tool-Edit", "input": {"file_path": "a\0b", "changes": {"x": 7}}},
        {"type": "tool-TodoWrite", "input": {"todos": [7, {}]}},
        {"type": "text", "text": "hello"},
    ]
    before = chat.pre_run(PROMPT)
    assert chat.post_run(before, assistant={"parts": damaged})["accepted"] is True


def test_artifacts_are_listed_by_status_and_type_and_fetched_by_id(start_chat: StartChat) -> None:
    chat = draft_each_change(start_chat())
    chat.turn(PROMPT, lambda: [chat.edit("src/cart.py", CART)])
    assert len(artifacts(chat, status="draft", type="devlog", limit=1)) == 1
    assert artifacts(chat, status="accepted") == []
    assert artifacts(chat, type="adr") == []
    nowhere = {"projectPath": chat.project_path, "id": "devlog-nowhere"}
    assert chat.client.error("artifact/get", nowhere).data["kind"] == "notFound"


def snapshot(repository: Repository) -> dict[str, Any]:
    """Return all files and refs, except a watcher's temporary cookie in the git directory."""
    files = {
        str(path.relative_to(repository.path)): path.read_bytes()
        for path in sorted(repository.path.rglob("*"))
        if not path.name.startswith(folder_watch.COOKIE_PREFIX) and path.is_file()
    }
    return {"files": files, "refs": repository.git("for-each-ref"), "stash": repository.git("stash", "list")}


@pytest.mark.parametrize("mode", ["passive", "active"])
def test_a_complete_session_leaves_the_repository_byte_identical(
    start_chat: StartChat, shop: Repository, mode: str
) -> None:
    shop.write({"src/mail.py": "dirty = True\n", "src/new.py": "new = True\n"})
    shop.git("add", "src/new.py")
    untouched = snapshot(shop)
    for provider in ("claude", "codex"):
        chat = start_chat(provider, sub_chat_id=provider)
        set_settings(chat, mode=mode)
        for prompt in (PROMPT, "go on", "Now explain src/invoice.py"):
            chat.turn(prompt, session=provider)
    assert snapshot(shop) == untouched


@pytest.mark.slow
def test_keys_of_words_do_not_pile_up_over_many_runs(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    assert active.app.process is not None
    assert active.app.process.wait_idle(20)  # indexing ends with an empty cache
    postings.clear_key_cache()
    cache: dict[str, int] = vars(postings)["_TERM_KEYS"]
    keys = {cache[f"word{number}x"] for number in range(20_000)}
    assert len(keys) == 20_000 <= len(cache)
    for _ in range(RUNS_OF_A_RELEASE):
        chat.post_run(chat.pre_run(PROMPT), PROMPT)
    assert active.app.process.wait_idle(20)
    assert len(cache) < 20_000
