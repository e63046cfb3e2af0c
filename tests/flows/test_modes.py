"""The modes off, passive and active: passive only measures; passthrough is byte-identical."""

import pytest

from tests.support.conversation import Conversation, kinds
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"


def test_the_default_mode_is_passive_and_only_measures(sidecar: MemorySidecar, project: Repository) -> None:
    conversation = Conversation(sidecar.client, project.path)
    first = conversation.turn(PROMPT)
    second = conversation.turn("continue")

    for turn, prompt in ((first, PROMPT), (second, "continue")):
        assert (turn["action"], turn["reason"], turn["prompt"]) == ("passthrough", "passive", prompt)
        assert (turn["system"], turn["blocks"]) == (None, [])
        assert turn["metadata"]["injectedBytes"] == 0
    assert first["metadata"]["wouldInjectBytes"] > 500
    assert second["metadata"]["wouldInjectBytes"] < 150, "the shadow ledger remembers what would have been sent"
    assert not list(project.path.glob(".chati*"))
    assert project.git("status", "--porcelain") == ""


def test_simulated_deliveries_do_not_count_in_active_mode(sidecar: MemorySidecar, project: Repository) -> None:
    conversation = Conversation(sidecar.client, project.path)
    conversation.turn(PROMPT)
    sidecar.client.request("settings/update", {"settings": {"mode": "active"}})

    activated = conversation.turn("continue")

    assert kinds(activated) == ["context", "delta"]
    assert activated["system"] is not None
    pressure = sidecar.client.request("governor/status", {"subChatId": conversation.sub_chat_id})
    signals = {signal["name"]: signal["value"] for signal in pressure["signals"]}
    assert signals["injectedBytes"] == activated["metadata"]["injectedBytes"]


@pytest.mark.parametrize(
    ("prompt", "changes", "reason"),
    [
        ("/compact", {}, "slashCommand"),
        ("  /review the prices", {}, "slashCommand"),
        (PROMPT, {"isLocalModel": True}, "localModel"),
        (PROMPT, {"deadlineMs": 1}, "deadline"),
    ],
)
def test_passthrough_prompts_are_byte_identical(
    conversation: Conversation, prompt: str, changes: dict[str, object], reason: str
) -> None:
    answer = conversation.pre_run(prompt, **changes)

    assert (answer["action"], answer["reason"]) == ("passthrough", reason)
    assert answer["prompt"] == prompt
    assert answer["blocks"] == []
    assert answer["deliveryToken"] is None


def test_off_does_nothing_at_all(active: MemorySidecar, project: Repository) -> None:
    active.client.request("settings/update", {"settings": {"mode": "off"}})
    conversation = Conversation(active.client, project.path)

    before = conversation.pre_run(PROMPT)
    after = conversation.post_run(before, PROMPT)

    assert (before["action"], before["reason"], before["prompt"]) == ("passthrough", "off", PROMPT)
    assert after["accepted"] is False


def test_a_slash_prompt_retains_the_pinned_anchor_for_the_providers_cache(
    conversation: Conversation,
) -> None:
    first = conversation.turn(PROMPT)

    slash = conversation.pre_run("/compact")

    assert slash["prompt"] == "/compact"
    assert slash["system"] == first["system"]
