"""Metrics that decide the rollout."""

from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository

PROMPT = "The discounted price is wrong for odd cents, correct discounted_price"


def test_passive_mode_shows_potential_savings(sidecar: MemorySidecar, project: Repository) -> None:
    conversation = Conversation(sidecar.client, project.path)
    turns = [conversation.turn(PROMPT), conversation.turn("continue"), conversation.turn("continue")]

    summary = sidecar.client.request("metrics/summary", {"projectPath": str(project.path)})

    figures = summary["passive"]
    would_inject = [turn["metadata"]["wouldInjectBytes"] for turn in turns]
    baseline = [turn["metadata"]["baselineBytes"] for turn in turns]
    assert figures["calls"] == 3
    assert figures["cacheHitRate"] == round(2 / 3, 4)
    assert figures["injectedBytesPerTurn"] == round(sum(would_inject) / 3, 1)
    assert figures["reduction"] == round(1 - sum(would_inject) / sum(baseline), 4) > 0.5
    assert summary["active"]["calls"] == 0
    assert summary["measures"]["injectedBytes"] == 0
    assert summary["measures"]["runs"] == 3


def test_metrics_are_separate_per_project(sidecar: MemorySidecar, project: Repository) -> None:
    Conversation(sidecar.client, project.path).turn(PROMPT)

    other = sidecar.client.request("metrics/summary", {"projectPath": str(project.path.parent)})

    assert other["passive"]["calls"] == 0
