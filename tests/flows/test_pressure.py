"""The governor: quiet at low pressure, a snapshot when it rises, a fresh session when allowed."""

from tests.support.conversation import Conversation, kinds
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository
from tests.support.thresholds import Thresholds

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"
MINUTE_MS = 60_000


def test_a_short_conversation_continues_without_a_restart(conversation: Conversation) -> None:
    turns = [conversation.turn(PROMPT), conversation.turn("continue"), conversation.turn("continue")]

    assert {turn["after"]["governor"]["action"] for turn in turns} == {"ok"}
    assert {turn["governor"]["action"] for turn in turns} == {"ok"}
    assert not any(turn["governor"]["startFreshSession"] for turn in turns)


def test_high_pressure_takes_a_snapshot_and_starts_a_fresh_session_with_it(
    active: MemorySidecar, project: Repository, thresholds: Thresholds
) -> None:
    thresholds(turns=(2, 1), minutes=(5, 2.5))
    active.client.request("settings/update", {"settings": {"rehydrate": True}})
    conversation = Conversation(active.client, project.path)
    todos = [{"content": "Round the discount", "status": "in_progress"}]
    conversation.turn(PROMPT, session="old", todos=todos)
    active.clock.advance(6 * MINUTE_MS)
    due = conversation.turn("continue", session="old", text="The rounding moved into the discount.")

    assert due["after"]["governor"]["action"] == "rehydrate"
    assert due["after"]["governor"]["reasons"] == [
        "2 turns in this session (from 2)",
        "6 active minutes in this session (from 5)",
    ]
    fresh = conversation.turn("continue", session="new")
    assert fresh["governor"]["startFreshSession"] is True
    assert kinds(fresh) == ["context", "carryover", "delta"]
    carried = fresh["blocks"][1]["text"]
    assert f"Goal: {PROMPT}" in carried
    assert "- Round the discount (in_progress)" in carried
    assert "Found and done, the latest first:\n- The rounding moved into the discount." in carried
    settled = conversation.turn("continue", session="new")
    assert settled["governor"]["startFreshSession"] is False, "a second turnover needs new pressure"
    assert kinds(settled) == []


def test_with_rehydrate_off_high_pressure_takes_a_snapshot_and_reports_the_suppressed_action(
    active: MemorySidecar, project: Repository, thresholds: Thresholds
) -> None:
    thresholds(turns=(1, 0.5))
    conversation = Conversation(active.client, project.path)
    conversation.turn(PROMPT)

    second = conversation.turn("continue")

    assert second["after"]["governor"]["action"] == "snapshot"
    assert second["after"]["governor"]["reasons"][-1] == "rehydrate is due but switched off in the settings"
