"""`context/bracket`: what the host reports counts before an estimate, and nonsense is refused."""

from typing import Any

import pytest

from tests.support.client import Client


def bracket(client: Client, **params: Any) -> Any:
    return client.request("context/bracket", params)


@pytest.mark.parametrize(
    ("remaining", "name", "budget", "layers", "memory"),
    [
        (60, "FRESH", 2500, 5, "none"),
        (59.9, "MODERATE", 2000, 5, "metadata"),
        (39.9, "DEPLETED", 1500, 3, "chunks"),
        (24.9, "CRITICAL", 800, 2, "full"),
    ],
)
def test_each_bracket_has_its_layers_its_budget_and_its_level_of_memory(
    client: Client, remaining: float, name: str, budget: int, layers: int, memory: str
) -> None:
    result = bracket(client, remainingPercent=remaining)
    assert (result["bracket"], result["budgetTokens"], result["memoryLevel"]) == (name, budget, memory)
    assert result["layers"] == ["L0", "L1", "L2", "L3", "L4"][:layers]


def test_reported_tokens_win_over_a_percentage_and_that_over_an_estimate(client: Client) -> None:
    estimate = {"promptCount": 10, "averageTokens": 1000, "maxTokens": 100_000}
    assert bracket(client, **estimate)["source"] == "estimated"
    assert bracket(client, **estimate)["remainingPercent"] == 90
    assert bracket(client, **estimate, remainingPercent=30)["bracket"] == "DEPLETED"
    reported = bracket(client, **estimate, remainingPercent=30, usedTokens=90_000)
    assert (reported["source"], reported["remainingPercent"], reported["bracket"]) == ("reported", 10, "CRITICAL")


def test_an_estimate_does_not_undercount_chinese(client: Client) -> None:
    text = "这个工具在不同的会话之间保持工作上下文的连续性" * 10
    result = bracket(client, promptCount=10, sampleText=text, maxTokens=4000)
    assert result["usedTokens"] >= 10 * len(text)
    assert result["bracket"] == "DEPLETED"


def test_the_remaining_percentage_is_clamped(client: Client) -> None:
    assert bracket(client, usedTokens=300, maxTokens=200)["remainingPercent"] == 0
    assert bracket(client, remainingPercent=1e9)["remainingPercent"] == 100


@pytest.mark.parametrize(
    "params",
    [
        {}, {"usedTokens": 5}, {"maxTokens": 5}, {"promptCount": 3, "averageTokens": 9}, {"remainingPercent": "half"},
        {"remainingPercent": True}, {"usedTokens": 5, "maxTokens": 0}, {"remainingPercent": None},
    ],
)  # fmt: skip
def test_invalid_usage_values_are_errors(client: Client, params: dict[str, Any]) -> None:
    assert client.error("context/bracket", params).code == -32602


def test_nan_on_the_wire_is_an_error(client: Client) -> None:
    client.send(b'{"jsonrpc":"2.0","id":"nan","method":"context/bracket","params":{"remainingPercent":NaN}}')
    client.wait_until_read()
    assert client.error("context/bracket", {"remainingPercent": "NaN"}).code == -32602


def test_hysteresis_is_off_by_default_and_configurable(client: Client) -> None:
    wavering = {"remainingPercent": 61, "previous": "MODERATE"}
    assert bracket(client, **wavering)["bracket"] == "FRESH"
    assert bracket(client, **wavering, hysteresis=5)["bracket"] == "MODERATE"
    assert bracket(client, remainingPercent=65, previous="MODERATE", hysteresis=5)["bracket"] == "FRESH"
    assert bracket(client, remainingPercent=58, previous="FRESH", hysteresis=5)["bracket"] == "MODERATE"
