"""A delivery counts only if the host really sent it, and only in its session."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.conversation import Conversation, kinds
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"


def test_an_unused_pre_run_response_delivers_nothing(conversation: Conversation) -> None:
    unused = conversation.pre_run(PROMPT)
    conversation.post_run({**unused, "deliveryToken": None}, PROMPT)

    explained = conversation.client.request("continuity/explain", {"runId": unused["runId"]})
    again = conversation.pre_run("continue")

    assert explained["status"] == "dropped"
    assert kinds(again) == ["context", "delta"]
    assert again["metadata"]["reusedBytes"] == 0


@pytest.mark.parametrize(("prompt", "deadline_ms"), [(PROMPT, 1), ("/compact", 20_000)])
@pytest.mark.parametrize("session", [{"willResume": True, "isFork": True}, {"willResume": False, "isFork": False}])
def test_a_fork_or_fresh_session_without_packs_receives_all(
    conversation: Conversation, prompt: str, deadline_ms: int, session: dict[str, object]
) -> None:
    conversation.turn(PROMPT, session="old")
    passed = conversation.pre_run(prompt, session={"id": "old", **session}, deadlineMs=deadline_ms)
    conversation.post_run(passed, prompt, session="new")

    first = conversation.pre_run("continue")

    assert passed["action"] == "passthrough"
    assert kinds(first) == ["context", "delta"]
    assert first["metadata"]["reusedBytes"] == 0


def test_pressure_counts_only_confirmed_deliveries(active: MemorySidecar, project: Repository) -> None:
    conversation = Conversation(active.client, project.path)
    unused = conversation.pre_run(PROMPT)
    conversation.post_run({**unused, "deliveryToken": None}, PROMPT)

    pressure = active.client.request("governor/status", {"subChatId": conversation.sub_chat_id})

    signals = {signal["name"]: signal["value"] for signal in pressure["signals"]}
    assert (signals["injectedBytes"], signals["files"], signals["turns"]) == (0, 0, 1)


def test_a_compacted_session_receives_everything_again_except_its_system_text(
    conversation: Conversation,
) -> None:
    first = conversation.turn(PROMPT)
    conversation.turn("/compact")

    again = conversation.pre_run("continue")

    assert kinds(again) == ["context", "delta"]
    assert again["system"] == first["system"]
    assert again["metadata"]["reusedBytes"] == len(first["system"]["text"].encode())


def test_overrides_decide_what_is_sent_and_explain_shows_them(conversation: Conversation) -> None:
    words = {"projectPath": str(conversation.cwd)}
    conversation.client.request("continuity/pin", {**words, "item": "context:till/receipt.py"})
    conversation.client.request("continuity/mute", {**words, "item": "context:till/prices.py", "why": "I know it"})

    answer = conversation.pre_run(PROMPT)

    explained = conversation.client.request("continuity/explain", {"runId": answer["runId"]})
    fates = {item["item"]: (item["disposition"], item["override"]) for item in explained["items"]}
    assert fates["context:till/receipt.py"] == ("sent", "always")
    assert fates["context:till/prices.py"] == ("muted", "never")
    assert "print_receipt" in answer["prompt"]
    assert "def discounted_price" not in answer["prompt"]


def test_a_proposed_plan_reaches_the_session_that_executes_it(conversation: Conversation) -> None:
    plan = {"type": "tool-ExitPlanMode", "toolCallId": "p", "state": "call", "input": {"plan": "1. Round half up."}}
    before = conversation.pre_run(PROMPT, mode="plan")
    conversation.post_run(before, PROMPT, mode="plan", session="planning", assistant={"parts": [plan]})

    contract = conversation.pre_run("and the odd cents?", mode="plan")
    conversation.session_id = None
    work = conversation.turn("Carry it out")

    assert "1. Round half up." in contract["prompt"]
    assert contract["metadata"]["stateIds"]["planContractId"] != before["metadata"]["stateIds"]["planContractId"]
    assert "1. Round half up." in work["prompt"]
    assert "plan" not in kinds(conversation.pre_run("continue"))


def run_hook(active: MemorySidecar, project: Repository, event: str, **params: Any) -> tuple[str, dict[str, Any]]:
    """Run a hook of Claude Code; return what it adds to the agent's context, and the run to be stored."""
    given = {"session_id": "5f0c", "cwd": str(project.path), "prompt": PROMPT, "trigger": "auto"}
    result = active.client.request("hook/run", {"event": event, "input": given, "timeLeftMs": 20_000, **params})
    output: Mapping[str, Any] = (result["output"] or {}).get("hookSpecificOutput", {})
    return output.get("additionalContext", ""), result["openRun"]


def test_a_prompt_before_the_last_ones_post_run_repeats_nothing_that_was_printed(
    active: MemorySidecar, project: Repository
) -> None:
    first, ended = run_hook(active, project, "UserPromptSubmit")
    assert "card number" in first
    unanswered = {"openRun": ended, "unshownRuns": [ended["runId"]]}
    for _ in range(2):  # the first hook timed out, and its user repeats the prompt
        second, open_run = run_hook(active, project, "UserPromptSubmit", **unanswered)
        assert second == ""
    project.write({"till/prices.py": "A = 1\n"})
    run_hook(active, project, "Stop", openRun=ended, touched=[str(project.path / "till/prices.py")])
    explained = active.client.request("continuity/explain", {"runId": ended["runId"]})
    assert explained["status"] == "committed"
    run_hook(active, project, "Stop", openRun=open_run)
    third, _ = run_hook(active, project, "UserPromptSubmit")
    assert third == ""


@pytest.mark.parametrize("loss", ["never printed", "compacted"])
def test_a_prompt_before_the_last_ones_post_run_repeats_what_the_session_does_not_have(
    active: MemorySidecar, project: Repository, loss: str
) -> None:
    first, ended = run_hook(active, project, "UserPromptSubmit")
    unanswered = {"openRun": ended, "unshownRuns": [ended["runId"]]}
    if loss == "compacted":
        run_hook(active, project, "UserPromptSubmit", **unanswered)
        run_hook(active, project, "PreCompact", **unanswered)
    else:
        unanswered["openRun"] = {**ended, "deliveryToken": None}
    second, _ = run_hook(active, project, "UserPromptSubmit", **unanswered)
    assert "card number" in second
    assert "card number" in first
