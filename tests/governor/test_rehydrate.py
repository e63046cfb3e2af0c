"""Pressure on a conversation, from outside: snapshot, fresh session with carry-over, status."""

from typing import Any

import pytest

from tests.support.conversation import Conversation, bash, kinds
from tests.support.memory_sidecar import MemorySidecar
from tests.support.shop import PROMPT, StartChat, set_settings, text_of
from tests.support.thresholds import Thresholds

QUICK = {"turns": (1, 2)}


def status(chat: Conversation) -> Any:
    return chat.client.request("governor/status", {"subChatId": chat.sub_chat_id})


def under_pressure(chat: Conversation, thresholds: Thresholds) -> Any:
    """Run turns until a rehydrate is due: turns at four times their threshold, as the window is not reported."""
    set_settings(chat, rehydrate=True, snapshot=False)
    thresholds(**QUICK)
    for _ in range(8):
        answer = chat.turn("go on")
        if "rehydrate" in str(answer["after"]["governor"]):
            break
    return answer


def test_low_pressure_is_ok(start_chat: StartChat) -> None:
    answer = start_chat().turn(PROMPT)
    assert answer["governor"] == {"action": "ok", "reasons": [], "startFreshSession": False, "marker": None}
    assert answer["after"]["governor"] == {"action": "ok", "reasons": []}


def test_a_snapshot_continues_the_session_and_restarts_its_counting(
    start_chat: StartChat, thresholds: Thresholds
) -> None:
    chat = start_chat()
    thresholds(**QUICK)
    assert chat.turn(PROMPT)["after"]["governor"]["action"] == "ok"
    assert chat.turn("go on")["after"]["governor"]["action"] == "snapshot"
    third = chat.turn("go on")
    assert third["governor"]["startFreshSession"] is False
    assert third["after"]["governor"]["action"] == "ok"


@pytest.mark.parametrize("provider", ["claude", "codex"])
def test_rehydrate_starts_a_fresh_session_with_the_carry_over_and_the_full_packs(
    start_chat: StartChat, provider: str, thresholds: Thresholds
) -> None:
    chat = start_chat(provider)
    first = chat.turn(PROMPT, lambda: [bash("pytest", "FAILED tests/test_cart.py::test_total\n1 failed in 0.1s\n")])
    before = chat.pre_run("Change it")
    parts = [chat.edit("src/cart.py", "class Cart: ...\n"), {"type": "text", "text": "Cart is empty now."}]
    chat.post_run(before, assistant={"parts": parts}, todos=[{"content": "Fill it", "status": "pending"}])
    assert under_pressure(chat, thresholds)["after"]["governor"]["action"] == "rehydrate"

    fresh = chat.pre_run("go on")
    assert fresh["governor"]["startFreshSession"] is True
    assert fresh["governor"]["reasons"]
    carried = text_of(fresh, "carryover")
    assert kinds(fresh)[-3:] == ["context", "carryover", "delta"]
    assert f"Goal: {PROMPT}" in carried
    assert "- Fill it (pending)" in carried
    assert "src/cart.py" in carried
    assert "tests/test_cart.py::test_total" in carried
    if provider == "claude":
        assert fresh["system"] == first["system"]
    else:
        assert kinds(fresh)[0] == "anchor"
    chat.post_run(fresh, session="fresh")

    after = chat.turn("go on", session="fresh")
    assert "carryover" not in kinds(after)
    assert after["governor"]["startFreshSession"] is False
    assert after["after"]["governor"]["action"] == "ok"


def test_a_fresh_session_that_never_started_is_requested_again(start_chat: StartChat, thresholds: Thresholds) -> None:
    chat = start_chat()
    under_pressure(chat, thresholds)
    fresh = chat.pre_run("go on")
    chat.post_run(fresh, outcome="notStarted", session=None)
    chat.session_id = "session"
    again = chat.pre_run("go on")
    assert again["governor"]["startFreshSession"] is True
    assert "carryover" in kinds(again)


def test_a_session_started_by_the_host_has_no_pressure(start_chat: StartChat, thresholds: Thresholds) -> None:
    chat = start_chat()
    under_pressure(chat, thresholds)
    old = chat.session_id
    chat.session_id = None
    assert chat.pre_run("go on")["governor"] == {
        "action": "ok", "reasons": [], "startFreshSession": False, "marker": None,
    }  # fmt: skip
    chat.session_id = old
    assert chat.pre_run("go on")["governor"]["startFreshSession"] is True, "the session that was left has its pressure"


def test_a_session_started_by_the_host_fulfils_a_rehydrate_request(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    chat.client.request("governor/rehydrate", {"subChatId": chat.sub_chat_id, "reason": "it forgets"})
    chat.session_id = None
    answer = chat.pre_run("go on")
    assert answer["governor"]["reasons"] == ["requested: it forgets"]
    assert "carryover" in kinds(answer)


def test_a_slash_command_under_pressure_continues_its_session_with_its_anchor(
    start_chat: StartChat, thresholds: Thresholds
) -> None:
    chat = start_chat()
    first = chat.turn(PROMPT)
    under_pressure(chat, thresholds)
    for prompt, changes in (("/compact", {}), ("go on", {"deadlineMs": 1})):
        slash = chat.pre_run(prompt, **changes)
        assert slash["action"] == "passthrough"
        assert slash["governor"]["startFreshSession"] is False
        assert slash["system"] == first["system"]


def test_passive_mode_never_starts_a_fresh_session(start_chat: StartChat, thresholds: Thresholds) -> None:
    chat = start_chat()
    set_settings(chat, mode="passive")
    answer = under_pressure(chat, thresholds)
    assert answer["after"]["governor"]["action"] == "ok"
    assert "rehydrate is due" in answer["after"]["governor"]["reasons"][-1]
    assert chat.pre_run("go on")["governor"]["startFreshSession"] is False
    assert status(chat)["governor"]["action"] == "ok"


def test_lock_files_and_generated_code_do_not_count_as_growth(start_chat: StartChat) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    chat.turn("go on", lambda: [chat.edit("package-lock.json", "x\n" * 900), chat.edit("app.min.js", "x\n" * 900)])
    (lines,) = [signal for signal in status(chat)["signals"] if signal["name"] == "diffLines"]
    assert lines["value"] == 0


def test_status_shows_each_signal_with_its_thresholds(start_chat: StartChat, active: MemorySidecar) -> None:
    chat = start_chat()
    chat.turn(PROMPT)
    active.clock.advance(5 * 60_000)
    chat.turn("go on", lambda: [chat.edit("src/mail.py", "line\n" * 30)])
    signals = {signal["name"]: signal for signal in status(chat)["signals"]}
    assert signals["turns"] == {"name": "turns", "value": 2, "sinceSnapshot": 2, "snapshotAt": 7, "rehydrateAt": 24}
    assert {name: (signal["snapshotAt"], signal["rehydrateAt"]) for name, signal in signals.items()} == {
        "turns": (7, 24), "injectedBytes": (90_000, 300_000), "files": (10, 36), "diffLines": (160, 560),
        "minutes": (25, 100), "bracket": (2, 3),
    }  # fmt: skip
    assert signals["minutes"]["value"] == 5
    assert signals["diffLines"]["value"] == 30 + 5
    assert signals["files"]["value"] >= 1
    assert signals["injectedBytes"]["value"] > 500
    assert status(chat)["governor"] == {"action": "ok", "reasons": []}
    chat.post_run(chat.pre_run("go on", usage={"usedTokens": 190, "maxTokens": 200}))
    (turns,) = [signal for signal in status(chat)["signals"] if signal["name"] == "turns"]
    assert (turns["value"], turns["rehydrateAt"]) == (3, 12), "in a full window"


def test_status_of_an_unknown_conversation_is_not_found(start_chat: StartChat) -> None:
    assert start_chat().client.error("governor/status", {"subChatId": "nobody"}).data["kind"] == "notFound"
