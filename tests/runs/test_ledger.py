"""The delivery ledger from outside: a provider session receives each item once, and misses none."""

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from sidecar.codebase import ChangedFile
from sidecar.codebase.worktree.state import unchanged_state
from sidecar.runs import entries
from tests.support.cases import together
from tests.support.conversation import bash, kinds, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.rpc_failures import RpcFailure
from tests.support.shop import PROMPT, StartChat, read_part, send_session_event, set_settings, text_of


def test_a_second_run_receives_nothing_the_session_already_has(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    second = chat.pre_run("and now fix it")
    assert kinds(first) == ["context", "delta"]
    assert kinds(second) == []
    assert not text_of(second, "delta")
    assert second["metadata"]["injectedBytes"] < 200
    assert second["metadata"]["reusedBytes"] > 0


@pytest.mark.parametrize(
    ("outcomes", "is_known", "counts"),
    [
        (("completed", "aborted", "error"), True, True),
        (("completed", "aborted", "error"), False, False),
        (("empty", "notStarted", "superseded"), True, False),
    ],
)
def test_a_delivery_counts_only_when_the_run_reached_a_known_session(
    start_chat: StartChat, outcomes: tuple[str, ...], *, is_known: bool, counts: bool
) -> None:
    for outcome in outcomes:
        chat = start_chat(sub_chat_id=outcome)
        first = chat.pre_run(PROMPT)
        chat.post_run(first, PROMPT, session=f"of {outcome}" if is_known else None, outcome=outcome)
        chat.session_id = f"of {outcome}"
        again = chat.pre_run(PROMPT)
        assert ("context" not in kinds(again)) == counts, outcome
        status = chat.client.request("continuity/explain", {"runId": first["runId"]})["status"]
        assert status == ("committed" if counts else "dropped"), outcome


def test_after_a_crash_between_pre_run_and_post_run_everything_is_sent_again(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.pre_run(PROMPT)
    chat.session_id = "s"
    again = chat.pre_run(PROMPT)
    assert sent(again) == sent(first)


def test_an_unknown_session_receives_the_full_packs(start_chat: StartChat) -> None:
    sessions: dict[str, dict[str, object]] = {
        "new": {"id": None, "willResume": False, "isFork": False},
        "forked": {"id": "forked", "willResume": True, "isFork": True},
        "not resumed": {"id": "not resumed", "willResume": False, "isFork": False},
        "unknown": {"id": "never-seen", "willResume": True, "isFork": False},
    }
    for name, session in sessions.items():
        chat = start_chat("codex", sub_chat_id=name)
        first = chat.turn(PROMPT, session=name)
        again = chat.pre_run(PROMPT, session=session)
        assert kinds(again) == kinds(first) == ["anchor", "context", "delta"], name


@pytest.mark.parametrize("event", ["reset", "forked", "rolledBack", "compacted", "deleted"])
def test_an_event_that_removes_context_makes_the_session_unknown(start_chat: StartChat, event: str) -> None:
    for names_session in (True, False):
        chat = start_chat(sub_chat_id=f"named {names_session}")
        session = f"session {names_session}"
        first = chat.turn(PROMPT, session=session)
        send_session_event(chat, event, session if names_session else None)
        assert sent(chat.pre_run(PROMPT)) == sent(first), names_session


def test_a_mode_change_loses_nothing(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    send_session_event(chat, "modeChanged")
    assert kinds(chat.pre_run(PROMPT)) == []


def test_deliveries_of_a_run_are_dropped_if_its_session_was_compacted_meanwhile(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.pre_run(PROMPT)
    send_session_event(chat, "compacted", "session")
    chat.post_run(first, PROMPT)
    assert sent(chat.pre_run(PROMPT)) == sent(first)


def test_a_session_that_continues_under_another_id_has_its_deliveries(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT, session="s-1")
    chat.turn("and now fix it", session="s-2")
    third = chat.pre_run("go on")
    assert kinds(third) == []
    assert third["system"] == first["system"]


def test_a_session_with_the_same_id_of_another_provider_is_separate(start_chat: StartChat) -> None:
    start_chat("claude").turn(PROMPT)
    other = start_chat("codex")
    other.session_id = "session"
    assert kinds(other.pre_run(PROMPT)) == ["anchor", "context", "delta"]


def test_the_token_of_another_run_confirms_nothing(start_chat: StartChat) -> None:
    first, second = start_chat(sub_chat_id="one"), start_chat(sub_chat_id="two")
    answer = first.pre_run(PROMPT)
    second.post_run({"runId": "other", "deliveryToken": answer["deliveryToken"]}, PROMPT, session="two")
    assert "context" in kinds(second.pre_run(PROMPT))
    first.post_run(answer, PROMPT, session="one")
    assert "context" not in kinds(first.pre_run(PROMPT))


def test_an_unknown_token_is_refused_so_that_the_delivery_can_be_confirmed(start_chat: StartChat) -> None:
    chat = start_chat()
    answer = chat.pre_run(PROMPT)
    with pytest.raises(RpcFailure, match="No pre-run returned this `deliveryToken`"):
        chat.post_run({**answer, "deliveryToken": "wrong"}, PROMPT)
    assert chat.post_run(answer, PROMPT)["duplicate"] is False
    assert "context" not in kinds(chat.pre_run(PROMPT))


def test_passive_mode_has_its_own_ledger_that_activation_drops(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    first = chat.turn(PROMPT)
    second = chat.turn("and now fix it")
    assert first["action"] == second["action"] == "passthrough"
    assert second["metadata"]["wouldInjectBytes"] < first["metadata"]["wouldInjectBytes"]
    set_settings(chat, mode="active")
    third = chat.turn("go on")
    assert kinds(third) == ["context", "delta"]
    set_settings(chat, mode="passive")
    fourth = chat.pre_run("go on")
    assert fourth["metadata"]["wouldInjectBytes"] == first["metadata"]["wouldInjectBytes"]


def test_a_passive_run_that_ends_after_activation_is_not_a_delivery(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    first = chat.pre_run(PROMPT)
    set_settings(chat, mode="active")
    chat.post_run(first, PROMPT)
    assert kinds(chat.pre_run(PROMPT)) == ["context", "delta"]


def test_files_the_agent_read_or_wrote_are_not_sent_again(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(
        "Make the mail polite",
        lambda: [read_part(shop.path / "src/cart.py"), chat.edit("src/mail.py", "def send() -> None:\n    ...\n")],
    )
    second = chat.pre_run("How do cart.py and mail.py relate?")
    assert "src/cart.py" not in text_of(second, "context")
    assert "src/mail.py" not in sent(second)


def test_user_edits_are_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.write({"src/mail.py": "def send_politely() -> None:\n    ...\n"})
    second = chat.turn("go on")
    assert "unstaged: src/mail.py" in text_of(second, "delta")
    assert "+def send_politely()" in text_of(second, "delta")
    assert "mail.py" not in sent(chat.pre_run("go on"))


def test_a_denied_edit_does_not_hide_a_user_edit(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    shop.write({"src/mail.py": "def send_politely() -> None:\n    ...\n"})
    denied = {"type": "tool-Edit", "toolCallId": "t", "state": "call", "input": {"file_path": "src/mail.py"}}
    chat.post_run(before, PROMPT, assistant={"parts": [denied]})
    assert "src/mail.py" in text_of(chat.pre_run("go on"), "delta")


def test_a_file_that_the_user_changed_after_the_agent_read_it_is_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    before = chat.pre_run("Where is mail sent?")
    shop.write({"src/cart.py": '"""A new cart."""\n\ndef total_of_discount() -> None:\n    ...\n'})
    chat.post_run(before, PROMPT, assistant={"parts": [read_part(shop.path / "src/cart.py")]})
    assert "total_of_discount" in sent(chat.pre_run(PROMPT))


def test_staging_a_change_is_named_and_does_not_send_it_again(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    shop.write({"src/mail.py": "def send_politely() -> None:\n    ...\n"})
    chat.turn(PROMPT)
    shop.git("add", "src/mail.py")
    assert text_of(chat.turn("go on"), "delta").splitlines()[2:] == ["staged for the next commit: src/mail.py"]
    assert not text_of(chat.turn("go on"), "delta")
    shop.git("reset", "-q")
    assert text_of(chat.turn("go on"), "delta").splitlines()[2:] == ["staged for the next commit: nothing any more"]
    shop.git("add", "src/mail.py")
    chat.turn("go on")
    shop.git("commit", "-qm", "Send politely")
    assert "nothing any more" not in text_of(chat.turn("go on"), "delta")


def test_what_the_agent_staged_itself_is_no_news(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)

    def stages() -> list[dict[str, Any]]:
        edit = chat.edit("src/mail.py", "x = 1\n")
        shop.git("add", "-A")
        return [edit, bash("git add -A", "")]

    chat.turn("stage it", stages)
    assert not text_of(chat.pre_run("go on"), "delta")


def test_commits_by_others_are_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    delta = text_of(chat.turn("go on"), "delta")
    assert "HEAD has moved" in delta
    assert "Add the tax rate" in delta
    assert "src/tax.py +1 −0" in delta
    assert "Add the tax rate" not in sent(chat.pre_run("go on"))


def test_a_commit_by_the_agent_is_not_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT, lambda: [chat.edit("src/mail.py", "def send() -> None:\n    ...\n")])
    before = chat.pre_run("Now commit it")
    shop.commit(message="Make the mail polite")
    chat.post_run(before, assistant={"parts": [bash("git commit -am 'Make the mail polite'", "[main 1] polite")]})
    assert not text_of(chat.pre_run("go on"), "delta")


def test_a_commit_during_a_run_without_commands_is_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    shop.commit({"src/tax.py": "RATE = 19\n"}, "Add the tax rate")
    chat.post_run(before)
    assert "Add the tax rate" in text_of(chat.pre_run("go on"), "delta")


def test_a_reverted_change_is_reported_once(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    shop.write({"src/mail.py": "def send_politely() -> None:\n    ...\n"})
    chat.turn(PROMPT)
    shop.git("checkout", "--", "src/mail.py")
    assert "no longer changed: src/mail.py" in text_of(chat.turn("go on"), "delta")
    assert "mail.py" not in sent(chat.turn("go on"))
    shop.write({"src/mail.py": "def send_politely() -> None:\n    ...\n"})
    again = text_of(chat.turn("go on"), "delta")
    assert "unstaged: src/mail.py +2 −5, as sent before" in again
    assert "def send_politely()" not in again
    shop.git("checkout", "--", "src/mail.py")
    assert "no longer changed: src/mail.py" in text_of(chat.turn("go on"), "delta")
    shop.write({"src/mail.py": "def send_at_once() -> None:\n    ...\n"})
    other = text_of(chat.turn("go on"), "delta")
    assert "+def send_at_once()" in other
    assert "no longer" not in other, "the session knows that the earlier change is gone"


def test_a_branch_switch_is_sent(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.git("switch", "--quiet", "--create", "feature/tax")
    assert "branch feature/tax" in text_of(chat.pre_run("go on"), "delta")


RED = "=== FAILURES ===\nE   assert 1 == 0\nFAILED tests/test_cart.py::test_total - assert 1 == 0\n1 failed in {}s\n"


def test_failing_tests_are_sent_until_they_pass(start_chat: StartChat) -> None:
    chat, other = start_chat(), start_chat("codex", sub_chat_id="other")
    chat.turn(PROMPT, lambda: [bash("pytest", RED.format("0.12"))])
    delta_text = text_of(other.turn(PROMPT), "delta")
    assert "Failing tests (pytest):\n  tests/test_cart.py::test_total\n" in delta_text
    assert "assert 1 == 0" in delta_text
    assert "Failing tests" not in sent(other.turn("go on"))
    chat.turn("go on", lambda: [bash("pytest", RED.format("7.90"))])
    assert "Failing tests" not in sent(other.turn("go on"))
    chat.turn("go on", lambda: [bash("pytest", "1 passed in 0.10s\n")])
    assert "Failing tests" not in sent(start_chat("codex", sub_chat_id="third").turn(PROMPT))
    chat.turn("go on", lambda: [bash("pytest", RED.format("0.12"))])
    assert "Failing tests" in sent(other.turn("go on"))


def test_todos_are_sent_when_they_change(start_chat: StartChat) -> None:
    chat = start_chat()
    before = chat.pre_run(PROMPT)
    chat.post_run(before, todos=[{"content": "Fix the total", "status": "in_progress"}])
    second = text_of(chat.turn("go on"), "delta")
    assert "Fix the total" in second
    assert "Fix the total" not in sent(chat.pre_run("go on"))


def test_todos_written_by_the_agent_are_not_sent_to_it(start_chat: StartChat) -> None:
    chat = start_chat()
    todos = {"todos": [{"content": "Fix the total", "status": "pending", "activeForm": "Fixing"}]}
    part = {"type": "tool-TodoWrite", "toolCallId": "t", "state": "result", "input": todos}
    chat.turn(PROMPT, lambda: [part])
    assert "Fix the total" not in sent(chat.pre_run("go on"))


def test_the_claude_anchor_stays_byte_identical_as_system_text(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    assert "Never use floats" in first["system"]["text"]
    shop.write({"AGENTS.md": "# Rules\n\n- Always write docstrings.\n- Never use floats for money.\n"})
    second = chat.turn("go on")
    delta = text_of(second, "delta")
    assert "now: Always write docstrings. (AGENTS.md:3)" in delta
    assert "no longer: Always run `make test` before you finish." in delta
    assert "floats" not in delta.partition("rules and map")[2].partition("unstaged")[0]
    slash = chat.turn("  /compact")
    late = chat.pre_run("go on", deadlineMs=1)
    assert late["reason"] == "deadline"
    assert slash["reason"] == "slashCommand"
    systems = [answer["system"] for answer in (first, second, slash, late, chat.pre_run("go on"))]
    assert all(system == first["system"] for system in systems)


def test_a_removed_rule_is_reported(start_chat: StartChat, shop: Repository) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    shop.commit({"AGENTS.md": "# Rules\n\n- Never use pennies.\n"})
    chat.turn("go on")
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    assert "match the original again" in text_of(chat.turn("go on"), "delta")
    assert "rules and map" not in sent(chat.pre_run("go on"))


def test_the_codex_anchor_opens_a_fresh_session_and_is_not_repeated(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    first = chat.turn(PROMPT)
    assert kinds(first)[0] == "anchor"
    assert first["system"] is None
    second = chat.turn("go on")
    assert "anchor" not in kinds(second)
    assert second["system"] is None


def test_two_conversations_have_separate_ledgers(start_chat: StartChat, active: MemorySidecar) -> None:
    start_chat(sub_chat_id="one").turn(PROMPT, session="one")
    other = start_chat(sub_chat_id="two")
    assert "context" in kinds(other.turn(PROMPT, session="two"))
    assert active.client is other.client


def test_decoded_entries_take_what_their_cache_counts() -> None:
    """A process of 9,000 turns held 4,096 entries of any size."""
    files = [
        entries.FileEntry(
            f"digest-{number}",
            regions=tuple(entries.SentRegion(f"name_{number}_{part}", f"{number:08}{part:08}") for part in range(30)),
        )
        for number in range(2_500)
    ]
    texts = [entries.entry_to_json(entry) for entry in files]
    assert all(entries.entry_from_json(text) == entry for text, entry in zip(texts[:20], files, strict=False))
    gc.collect()
    tracemalloc.start()
    try:
        for text in texts:
            entries.entry_from_json(bytes(bytearray(text)))
        assert tracemalloc.get_traced_memory()[0] < 5 * 2**20
    finally:
        tracemalloc.stop()


@together(
    ("had", "needed", "is_covered"),
    [
        (entries.MemoryEntry("v1"), entries.MemoryEntry("v1", "metadata"), True),
        (entries.MemoryEntry("v1", "metadata"), entries.MemoryEntry("v1", "metadata"), True),
        (entries.MemoryEntry("v1", "metadata"), entries.MemoryEntry("v1"), False),
        (entries.MemoryEntry("v1"), entries.MemoryEntry("v2", "metadata"), False),
        (entries.MemoryEntry("v1", "metadata"), entries.MemoryEntry("v2", "metadata"), False),
    ],
)
def test_a_memory_covers_less_of_the_same_version_only(
    had: entries.MemoryEntry, needed: entries.MemoryEntry, is_covered: bool
) -> None:
    assert entries.covers(had, needed) is is_covered


def test_files_of_a_counted_folder_are_as_before_unless_git_tracks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MANY_UNTRACKED", 500)
    untracked = [ChangedFile(f"data/{number}.txt", "untracked", "??", "1", None) for number in range(600)]
    single = ChangedFile("notes/a.txt", "untracked", "??", "1", None)
    tracked = ChangedFile("data/kept.txt", "unstaged", ".M", "1", None)
    state = unchanged_state(Path("/repository"), "", "1" * 40, "main")
    state = state._replace(changed=(*untracked, tracked, single))
    changes = entries.changes_of(state)
    assert changes is entries.changes_of(state._replace(proof="watch")), "it is sorted out once for each state"
    earlier = changes.digests
    assert sorted(earlier) == ["data/**", "data/kept.txt", "notes/a.txt"]
    edited = [file._replace(content_hash="2") for file in (untracked[0], tracked, single)]
    assert [entries.is_as_before(file, earlier) for file in edited] == [True, False, False]
    assert (
        entries.changes_of(state._replace(changed=(*edited, *untracked[1:]))).digests["data/**"] != earlier["data/**"]
    )
