"""The sums of a replay, and the reasons for misses."""

from typing import Any

from tests.replay.figures import TurnFigures, by, percentile, sums
from tests.replay.turn_figures import PackQuery, miss_reason
from tests.support.cases import together

LAST = PackQuery("main", "claude", "agent", "task", None, 0)


def turn(**changes: Any) -> TurnFigures:
    figures: dict[str, Any] = {
        "session": "one", "kind": "small", "line": 1, "chat": "chat", "provider": "claude", "mode": "agent",
        "provider_session": None, "action": "inject", "reason": None, "has_look_up": True, "hit": True,
        "miss_reason": None, "prompt_bytes": 10, "sent_bytes": 100, "anchor_bytes": 0, "injected_bytes": 100,
        "reused_bytes": 300, "baseline_bytes": 400,
        "partial": False, "ms": 5.0, "prepared_ms": 1.0, "settled": True, **changes,
    }  # fmt: skip
    return TurnFigures(**figures)


def test_sums_equal_those_of_the_turns() -> None:
    result = sums(
        [
            turn(hit=False, miss_reason="first prompt", sent_bytes=400, ms=900.0),
            turn(sent_bytes=40),
            turn(has_look_up=False, hit=False, sent_bytes=0, baseline_bytes=0),
        ]
    )
    assert (result.turns, result.look_ups, result.hits, result.hit_rate) == (3, 2, 1, 0.5)
    assert (result.sent_bytes_per_turn, result.baseline_bytes_per_turn, result.saved) == (146.7, 266.7, 0.45)
    assert (result.misses, result.over_host_deadline, result.median_ms, result.slowest_ms) == (
        {"first prompt": 1},
        1,
        5.0,
        900.0,
    )
    assert (result.measured_baseline_bytes_per_turn, result.measured_saved) == (None, None)
    assert sums([turn(measured_baseline_bytes=500)]).measured_saved == 0.8


def test_turns_without_look_ups_have_no_hit_rate() -> None:
    result = sums([turn(has_look_up=False, hit=False, baseline_bytes=0, sent_bytes=0)])
    assert (result.hit_rate, result.saved) == (None, None)


def test_turns_are_summed_by_name_in_order() -> None:
    result = by([turn(kind="b"), turn(kind="a"), turn(kind="b")], lambda turn: turn.kind)
    assert [(name, turn.turns) for name, turn in result.items()] == [("b", 2), ("a", 1)]


@together(("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0), (0.76, 4.0), (1.0, 4.0)])
def test_a_percentile_is_a_value_that_occurred(share: float, value: float) -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], share) == value


@together(
    ("now", "partial", "reason"),
    [
        (LAST._replace(worktree="other"), False, "first prompt"),
        (LAST._replace(provider="codex", task="b"), False, "other provider"),
        (LAST._replace(mode="plan", task="b"), False, "other mode"),
        (LAST._replace(task="b", edits=1), False, "other task"),
        (LAST._replace(token_mode="low"), False, "other budget"),
        (LAST._replace(edits=1), True, "deadline"),
        (LAST._replace(edits=1), False, "changed by the user"),
        (LAST, False, "changed by the run"),
    ],
)
def test_a_miss_has_the_first_reason_that_applies(now: PackQuery, partial: bool, reason: str) -> None:
    assert miss_reason(now, LAST, partial=partial) == reason
    assert miss_reason(now, None, partial=partial) == "first prompt"
