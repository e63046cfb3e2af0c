"""`continuity/explain`: recorded calls, passthrough prompts, and the next call."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.cli.explain import report
from sidecar.packs import collect_inputs
from tests.capture.test_post_run import rows
from tests.support.conversation import Conversation, kinds, sent
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.shop import PROMPT, StartChat, draft_each_change, explain, set_settings


def pre_run_params(chat: Conversation, prompt: str, **changes: Any) -> dict[str, Any]:
    session = {"id": chat.session_id, "willResume": chat.session_id is not None, "isFork": False}
    return {
        "runId": "would-be", "subChatId": chat.sub_chat_id, "provider": chat.provider, "mode": "agent",
        "cwd": str(chat.cwd), "prompt": prompt, "session": session, "deadlineMs": 20_000, **changes,
    }  # fmt: skip


def explain_next(chat: Conversation, prompt: str, **changes: Any) -> Any:
    return chat.client.request("continuity/explain", {"preRun": pre_run_params(chat, prompt, **changes)})


@pytest.mark.parametrize(
    ("prompt", "changes", "reason"),
    [
        ("/review", {}, "slashCommand"),
        (PROMPT, {"isLocalModel": True}, "localModel"),
        (PROMPT, {"deadlineMs": 1}, "deadline"),
    ],
)
def test_why_a_prompt_passed_through_is_explained(
    start_chat: StartChat, prompt: str, changes: dict[str, Any], reason: str
) -> None:
    chat = start_chat()
    explanation = explain(chat, chat.pre_run(prompt, **changes))
    assert (explanation["action"], explanation["reason"], explanation["status"]) == ("passthrough", reason, "dropped")
    assert (explanation["items"], explanation["blocks"], explanation["system"]) == ([], [], None)


def test_what_was_late_is_named_where_nothing_was_sent(start_chat: StartChat, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    monkeypatch.setattr(collect_inputs, "_build_pack", lambda *_: time.sleep(1))
    explanation = explain(chat, chat.pre_run("Explain how mail is sent by src/mail.py", deadlineMs=500))
    lines = list(report({**explanation, "action": "passthrough", "reason": "nothingToSend"}, with_texts=False))
    assert "passthrough: nothing was sent: context not ready at the deadline, and the session has the rest" in lines


def test_the_latest_run_is_the_one_recorded_last_though_the_clock_was_ahead_before(
    active: MemorySidecar, start_chat: StartChat
) -> None:
    year_ms = 366 * 86_400_000
    active.clock.advance(year_ms)
    start_chat(sub_chat_id="ahead").turn(PROMPT)
    active.clock.advance(-year_ms)
    latest = start_chat(sub_chat_id="back").turn(PROMPT)
    assert active.client.request("continuity/explain", {})["runId"] == latest["runId"]
    status = active.client.request("state/status", {})
    assert status["lastRuns"][0]["runId"] == latest["runId"]
    seen = [host["lastSeenAt"] for host in status["hosts"] if host["lastSeenAt"]]
    assert {*seen, status["projects"][0]["lastRunAt"]} == {"2026-03-01T09:30:00.000Z"}


def test_a_slash_command_is_explained_with_the_pinned_anchor(start_chat: StartChat) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    explanation = explain(chat, chat.pre_run("/review"))
    assert [(item["item"], item["disposition"]) for item in explanation["items"]] == [("anchor", "alreadyDelivered")]
    assert explanation["system"] == first["system"]
    assert "Never use floats for money. (AGENTS.md:3)" in [statement["text"] for statement in explanation["statements"]]


def test_with_mode_off_nothing_is_recorded(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    set_settings(chat, mode="off")
    answer = chat.pre_run(PROMPT)
    assert rows(active)["calls"] == []
    error = chat.client.error("continuity/explain", {"runId": answer["runId"]})
    assert error.code == -32016


def test_the_run_of_a_passthrough_prompt_is_recorded(start_chat: StartChat, shop: Repository) -> None:
    """Its record explains the prompt only; as a baseline it would attribute every dirty file to the run."""
    shop.write({"src/mail.py": "dirty = 1\n"})
    chat = draft_each_change(start_chat())
    chat.turn(PROMPT)
    before = chat.pre_run("/simplify")
    answer = chat.post_run(before, "/simplify", assistant={"parts": [chat.edit("src/cart.py", "class Cart: ...\n")]})
    body = chat.artifact(answer["artifacts"][0]["id"])["body"]
    assert "src/cart.py" in body
    assert "src/mail.py" not in body
    assert kinds(chat.pre_run("go on")) == []


def test_explaining_the_next_pre_run_matches_it_and_records_nothing(
    start_chat: StartChat, active: MemorySidecar, shop: Repository
) -> None:
    chat = start_chat()
    for prompt in (PROMPT, "and now fix it", "Explain how mail is sent to customers by src/mail.py"):
        shop.write({"src/invoice.py": f"# {prompt}\n"})
        before = rows(active)
        explanation = explain_next(chat, prompt)
        assert rows(active) == before
        answer = chat.pre_run(prompt)
        assert (explanation["blocks"], explanation["system"]) == (answer["blocks"], answer["system"])
        assert (explanation["status"], explanation["action"], explanation["runId"]) == ("notRun", "inject", "would-be")
        assert explanation["metadata"]["stateIds"] == answer["metadata"]["stateIds"]
        assert explanation["items"] == explain(chat, answer)["items"]
        assert explanation["statements"] == explain(chat, answer)["statements"]
        chat.post_run(answer, prompt)


@pytest.mark.parametrize(("prompt", "changes"), [("/compact", {}), (PROMPT, {"isLocalModel": True})])
def test_a_prompt_that_would_pass_through_has_a_reason(
    start_chat: StartChat, prompt: str, changes: dict[str, Any]
) -> None:
    explanation = explain_next(start_chat(), prompt, **changes)
    assert (explanation["action"], explanation["items"], explanation["blocks"]) == ("passthrough", [], [])
    assert explanation["reason"] in ("slashCommand", "localModel")


def test_passive_mode_shows_what_it_would_send(start_chat: StartChat) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    explanation = explain_next(chat, PROMPT)
    assert (explanation["action"], explanation["reason"]) == ("passthrough", "passive")
    assert "context:src/cart.py" in [item["item"] for item in explanation["items"]]


def test_a_follow_up_of_codex_is_explained_with_the_statements_its_session_has(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    chat.turn(PROMPT)
    answer = chat.pre_run("go on")
    assert "Never use floats" not in sent(answer)
    assert "Never use floats for money. (AGENTS.md:3)" in [
        statement["text"] for statement in explain(chat, answer)["statements"]
    ]


def test_the_first_prompt_of_codex_is_explained_with_the_statements_that_it_sent(start_chat: StartChat) -> None:
    chat = start_chat("codex")
    answer = chat.pre_run(PROMPT)
    assert [block["kind"] for block in answer["blocks"]][:2] == ["anchor", "context"]
    assert "Never use floats for money. (AGENTS.md:3)" in [
        statement["text"] for statement in explain(chat, answer)["statements"]
    ]


def listed(answer: Any, reason: str) -> int:
    """Return how many files an answer lists, or only counts, as omitted for a reason."""
    trimmed = [entry for entry in answer["metadata"]["trimmed"] if entry["item"].startswith("context:")]
    return sum(bool(entry["reason"] == reason) for entry in trimmed) + counted(answer, f"more files: {reason}")


def counted(answer: Any, what: str) -> int:
    """Return the number in an omission of the context."""
    reasons = [str(entry["reason"]) for entry in answer["metadata"]["trimmed"] if entry["item"] == "context"]
    return next((int(reason.partition(" ")[0]) for reason in reasons if reason.endswith(what)), 0)


def test_every_candidate_is_shown_trimmed_with_a_reason_or_counted(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    body = "".join(f"    discount_{n} = {n}\n" for n in range(30))
    files = {f"src/cart_{n:02}.py": f"def discount_total_{n:02}(cart):\n{body}    return cart\n" for n in range(30)}
    files |= {f"lib/mail_{n:03}.py": f"def send_{n:03}(letter):\n    return letter\n" for n in range(120)}
    chat = start_chat(cwd=make_repository(files, name="many").path)
    chat.client.request("codebase/index", {"cwd": str(chat.cwd)})
    answer = chat.pre_run("Why is the discount total of the cart wrong?")
    items = [item for item in explain(chat, answer)["items"] if item["item"].startswith("context:")]
    all_files = len(items) + counted(answer, "matching less") + listed(answer, "over the limit of the context")
    assert all_files == 16
    shown = sum(len(item["regions"]) for item in items)
    assert shown > 0
    assert all(region["score"] for item in items for region in item["regions"])


def test_the_regions_of_a_file_that_are_not_shown_are_counted(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    body = "".join(f"    discount_{n} = {n}\n" for n in range(30))
    code = "\n\n".join(f"def discount_total_{n:02}(cart):\n{body}    return cart\n" for n in range(25))
    chat = start_chat(cwd=make_repository({"src/cart.py": code, "src/mail.py": "x = 1\n"}, name="counted").path)
    answer = chat.pre_run("Why is the discount total of the cart wrong?")
    (item,) = [item for item in explain(chat, answer)["items"] if item["item"] == "context:src/cart.py"]
    left = counted(answer, "more regions over the limit of the context")
    assert 0 < len(item["regions"]) == 25 - left
    chat.post_run(answer)
    assert counted(chat.pre_run("go on"), "more regions over the limit of the context") == 0
    again = chat.pre_run("Look at src/cart.py again")
    (item,) = [item for item in explain(chat, again)["items"] if item["item"] == "context:src/cart.py"]
    assert 0 < len(item["regions"]) == left - counted(again, "more regions over the limit of the context")


def test_named_files_that_are_not_shown_are_counted(
    start_chat: StartChat, make_repository: Callable[..., Repository]
) -> None:
    files = {f"src/part_{n:03}.py": f"def part_{n:03}(cart):\n    return cart\n" for n in range(120)}
    chat = start_chat(cwd=make_repository(files, name="named").path)
    answer = chat.pre_run("Rename the functions in " + ", ".join(files))
    items = [item for item in explain(chat, answer)["items"] if item["item"].startswith("context:")]
    unnamed = listed(answer, "named, but other files match the request better")
    assert unnamed == 120 - len(items) - listed(answer, "over the limit of the context") >= 100
    assert len(answer["metadata"]["trimmed"]) < 100
