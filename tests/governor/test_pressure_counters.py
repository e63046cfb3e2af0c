"""The governor's decision as properties of its inputs."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import SessionRecord
from sidecar.governor import (
    IDLE_GAP_MS,
    MAX_SESSIONS,
    MINUTE_MS,
    GovernorAction,
    RunPressure,
    after_compaction,
    after_new_session,
    after_request,
    after_snapshot,
    counters_after_run,
    decide_action,
    evaluate_pressure,
    signals_of,
    started_new_session,
    with_session,
)
from sidecar.runs import PressureCounters
from sidecar.settings import Settings, resolve_layers

SETTINGS = resolve_layers([])
REHYDRATES = resolve_layers([("global", {"rehydrate": True})])
RANK = {"ok": 0, "snapshot": 1, "rehydrate": 2}
THRESHOLDS = {"turns": (7, 12), "bytes": (90_000, 150_000), "files": (10, 18), "lines": (160, 280), "minutes": (25, 50)}
UNKNOWN, MODERATE, DEPLETED, CRITICAL = None, 1, 2, 3
FACTORS = {CRITICAL: 1, DEPLETED: 2, UNKNOWN: 2}
"""Of the thresholds for a rehydrate, by bracket; with more room there is none."""


def counters(
    turns: int = 0, injected: int = 0, files: int = 0, lines: int = 0, minutes: int = 0, bracket: int | None = UNKNOWN
) -> PressureCounters:
    return PressureCounters(
        bracket=bracket,
        turns=turns,
        injected=(injected,),
        files=tuple(str(number) for number in range(files)),
        diff_lines=lines,
        active_ms=minutes * MINUTE_MS,
    )


amounts = st.builds(
    counters,
    st.integers(0, 30),
    st.integers(0, 400_000),
    st.integers(0, 45),
    st.integers(0, 1400),
    st.integers(0, 200),
    st.sampled_from([UNKNOWN, 0, MODERATE, DEPLETED, CRITICAL]),
)


def action(pressure: PressureCounters, *, snapshot: bool = True, rehydrate: bool = True) -> str:
    return decide_action(signals_of(pressure), {}, suppressed(snapshot=snapshot, rehydrate=rehydrate)).action


def suppressed(*, snapshot: bool, rehydrate: bool) -> dict[GovernorAction, str]:
    off: dict[GovernorAction, str] = {} if snapshot else {"snapshot": "off"}
    return off if rehydrate else {**off, "rehydrate": "off"}


def values(pressure: PressureCounters) -> dict[str, float]:
    return {
        "turns": pressure.turns,
        "bytes": sum(pressure.injected),
        "files": len(pressure.files),
        "lines": pressure.diff_lines,
        "minutes": pressure.active_ms // MINUTE_MS,
    }


@given(amounts)
def test_an_action_needs_two_signals_or_one_at_twice_its_threshold(pressure: PressureCounters) -> None:
    expected = "ok"
    for name, index in (("snapshot", 0), ("rehydrate", 1)):
        factor = 1 if name == "snapshot" else FACTORS.get(pressure.bracket, 10**9)
        at = {kind: factor * thresholds[index] for kind, thresholds in THRESHOLDS.items()}
        reached = {kind for kind, value in values(pressure).items() if value >= at[kind]}
        doubled = {kind for kind in reached if values(pressure)[kind] >= 2 * at[kind]}
        if (pressure.bracket or 0) >= (CRITICAL if name == "rehydrate" else DEPLETED):
            reached.add("bracket")
        if name == "rehydrate" and not reached - {"lines", "minutes"}:
            continue
        if len(reached) >= 2 or doubled - ({"minutes"} if name == "snapshot" else {"minutes", "lines"}):
            expected = name
    assert action(pressure) == expected


@given(st.integers(0, 100_000))
def test_time_alone_never_acts(minutes: int) -> None:
    assert action(counters(minutes=minutes)) == "ok"


@given(amounts, amounts)
def test_more_pressure_never_weakens_the_action(left: PressureCounters, right: PressureCounters) -> None:
    combined = PressureCounters(
        turns=max(left.turns, right.turns),
        injected=max(left.injected, right.injected),
        files=max(left.files, right.files, key=len),
        diff_lines=max(left.diff_lines, right.diff_lines),
        active_ms=max(left.active_ms, right.active_ms),
        bracket=right.bracket,
    )
    left = replace(left, bracket=right.bracket)
    assert RANK[action(combined)] >= max(RANK[action(left)], RANK[action(right)])


def test_reaching_a_threshold_counts() -> None:
    assert action(counters(turns=7, files=10)) == "snapshot"
    assert action(counters(turns=6, files=10)) == "ok"
    assert action(counters(turns=14)) == "snapshot"
    assert action(counters(turns=13)) == "ok"
    assert action(counters(turns=24, minutes=100)) == "rehydrate"
    assert action(counters(turns=24, minutes=99)) == "snapshot"


def test_a_session_is_left_only_when_its_window_is_used_up() -> None:
    full = counters(turns=40, injected=400_000, files=60, lines=900, minutes=300)
    assert [action(replace(full, bracket=bracket)) for bracket in (0, MODERATE)] == ["snapshot", "snapshot"]
    assert [action(replace(full, bracket=bracket)) for bracket in (DEPLETED, CRITICAL, UNKNOWN)] == ["rehydrate"] * 3
    some = counters(turns=12, minutes=50)
    assert action(replace(some, bracket=DEPLETED)) == action(some) == "snapshot"
    assert action(replace(some, bracket=CRITICAL)) == "rehydrate"
    assert action(counters(lines=280, bracket=CRITICAL)) == "rehydrate", "a full window and much work"
    assert (
        action(counters(turns=11, injected=149_999, files=17, lines=279, minutes=49, bracket=CRITICAL)) != "rehydrate"
    )


@given(amounts, st.booleans(), st.booleans())
def test_a_suppressed_action_is_reported_and_the_strongest_allowed_one_taken(
    pressure: PressureCounters, snapshot: bool, rehydrate: bool
) -> None:
    due = action(pressure)
    decision = decide_action(signals_of(pressure), {}, suppressed(snapshot=snapshot, rehydrate=rehydrate))
    allowed = {"ok": True, "snapshot": snapshot, "rehydrate": rehydrate}
    strongest = max((name for name in RANK if RANK[name] <= RANK[due] and allowed[name]), key=RANK.__getitem__)
    assert decision.action == strongest
    assert any(f"{due} is due" in reason for reason in decision.reasons) == (decision.action != due)
    assert bool(decision.reasons) == (due != "ok")


def run(before: PressureCounters, now_ms: int, *, duration_ms: int = 0, diff_lines: int = 0) -> PressureCounters:
    pressure = RunPressure(now_ms, duration_ms, diff_lines, injected_bytes=5, files=("a",))
    return counters_after_run(before, pressure)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**5)), max_size=20))
def test_counters_never_exceed_the_clock_or_decrease(steps: list[tuple[int, int, int]]) -> None:
    state, now_ms = PressureCounters(), 1_000
    for gap_ms, duration_ms, lines in steps:
        now_ms += gap_ms
        after = run(state, now_ms, duration_ms=duration_ms, diff_lines=lines)
        assert 0 <= after.active_ms - state.active_ms <= (gap_ms if state.turns else 0)
        assert after.diff_lines >= state.diff_lines
        assert len(after.injected) <= 10
        state = after
    assert state.turns == len(steps)


def test_the_first_run_sets_clock_and_baseline() -> None:
    first = run(PressureCounters(), 10**12, duration_ms=10**6, diff_lines=5_000)
    assert (first.active_ms, first.diff_lines, first.turns) == (0, 0, 1)
    second = run(first, 10**12 + MINUTE_MS, diff_lines=5_100)
    assert (second.active_ms, second.diff_lines) == (MINUTE_MS, 100)


def test_bytes_before_a_snapshot_leave_its_window_one_call_at_a_time() -> None:
    def new_bytes(pressure: PressureCounters) -> float:
        return {signal.name: signal.since_snapshot for signal in signals_of(pressure)}["injectedBytes"]

    pressure = PressureCounters()
    for number in range(3):
        pressure = run(pressure, number * MINUTE_MS)
    assert new_bytes(pressure) == 15
    pressure = after_snapshot(pressure, 0)
    for number in range(1, 13):
        pressure = run(pressure, (3 + number) * MINUTE_MS)
        assert new_bytes(pressure) == 5 * min(number, 10)


def test_only_pauses_over_ten_minutes_do_not_count() -> None:
    first = run(PressureCounters(), 0)
    assert run(first, 600_000).active_ms == IDLE_GAP_MS == 600_000
    assert run(first, IDLE_GAP_MS + 1).active_ms == 0
    long_run = run(first, IDLE_GAP_MS * 4, duration_ms=IDLE_GAP_MS * 3)
    assert long_run.active_ms == IDLE_GAP_MS * 4
    after_a_night = run(first, IDLE_GAP_MS * 60, duration_ms=IDLE_GAP_MS * 3)
    assert after_a_night.active_ms == IDLE_GAP_MS * 3


@given(amounts)
def test_a_snapshot_triggers_no_other_without_new_pressure_and_removes_none(pressure: PressureCounters) -> None:
    covered = after_snapshot(pressure, 7)
    assert action(covered, rehydrate=False) == "ok"
    assert values(covered) == values(pressure)
    assert (action(covered) == "rehydrate") == (action(pressure) == "rehydrate")


@given(amounts)
def test_a_new_session_has_no_pressure(pressure: PressureCounters) -> None:
    fresh = after_new_session(pressure, 7)
    assert action(fresh) == "ok"
    assert all(value == 0 for value in values(fresh).values())
    assert fresh.last_diff_lines == pressure.last_diff_lines


pressures = st.builds(
    RunPressure,
    st.just(0),
    st.just(0),
    st.integers(0, 200),
    st.integers(0, 40_000),
    st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=4).map(tuple),
    st.sampled_from(["FRESH", "MODERATE", "DEPLETED", "CRITICAL"]),
    st.none() | st.floats(0, 100),
    st.booleans(),
)


MORE: dict[str, Callable[[RunPressure], RunPressure]] = {
    "bytes": lambda less: less._replace(injected_bytes=400_000),
    "files": lambda less: less._replace(files=(*less.files, *"0123456789")),
    "bracket": lambda less: less._replace(bracket="CRITICAL"),
    "handover": lambda less: less._replace(next_agent_pending=True),
    "time": lambda less: less._replace(duration_ms=10**7),
}


@given(st.lists(st.tuples(pressures, st.sampled_from(sorted(MORE))), max_size=30))
def test_a_run_with_more_of_anything_never_weakens_the_decision(runs: list[tuple[RunPressure, str]]) -> None:
    less = more = PressureCounters()
    for run_, name in runs:
        less, more = counters_after_run(less, run_), counters_after_run(more, MORE[name](run_))
        actions = [evaluate_pressure(counted, REHYDRATES, shadow=False).action for counted in (less, more)]
        assert RANK[actions[1]] >= RANK[actions[0]]


@given(st.lists(pressures, min_size=2, max_size=40), st.booleans(), st.booleans())
def test_no_action_comes_twice_without_new_pressure(runs: list[RunPressure], rehydrate: bool, obeys: bool) -> None:
    settings = REHYDRATES if rehydrate else SETTINGS
    state, stated = PressureCounters(), set[str]()
    for run_ in runs:
        state = counters_after_run(state, run_)
        decision = evaluate_pressure(state, settings, shadow=False)
        state = after_request(state, decision.causes)
        if decision.action == "rehydrate":
            assert not set(decision.causes) <= stated
        stated |= set(decision.causes)
        if decision.action == "rehydrate" and obeys:
            state, stated = after_new_session(state, 0), set()
        elif decision.action != "ok":
            state = after_snapshot(state, 0)
        if decision.action == "snapshot":
            assert evaluate_pressure(state, settings, shadow=False).action == "ok"


@given(st.integers(0, 30_000), st.integers(0, 3), st.integers(0, 60), st.integers(0, 9))
def test_gradually_rising_pressure_takes_snapshots_and_finally_rehydrates(
    injected: int, files: int, lines: int, minutes: int
) -> None:
    state = PressureCounters()
    seen: list[str] = []
    while len(seen) < 4 * THRESHOLDS["turns"][1]:
        turn = len(seen)
        given_files = tuple(f"{turn}-{number}" for number in range(files))
        now_ms = turn * minutes * MINUTE_MS
        state = counters_after_run(state, RunPressure(now_ms, 0, turn * lines, injected, given_files))
        seen.append(action(state))
        if seen[-1] == "rehydrate":
            break
        if seen[-1] == "snapshot":
            state = after_snapshot(state, now_ms)
    assert seen[-1] == "rehydrate"
    snapshots = [turn for turn, decision in enumerate(seen) if decision == "snapshot"]
    assert all(later - earlier > 1 for earlier, later in pairwise(snapshots))


def test_a_signal_at_twice_its_threshold_is_described_as_sufficient() -> None:
    decision = evaluate_pressure(counters(turns=14), SETTINGS, shadow=False)
    assert decision.reasons == ("14 turns since the last snapshot (twice 7)",)


def test_a_full_context_window_counts_as_a_signal_but_not_alone() -> None:
    assert action(replace(counters(), bracket=3)) == "ok"
    assert action(replace(counters(turns=7), bracket=2)) == "snapshot"
    decision = evaluate_pressure(replace(counters(turns=7), bracket=2), SETTINGS, shadow=False)
    assert decision.reasons[-1] == "the context window is DEPLETED"
    assert decision.counted_triggers == ("turns", "bracket")


def test_each_restart_criterion_and_a_user_request_force_a_rehydrate() -> None:
    for counted in (
        PressureCounters(session=SessionRecord(compactions=3)),
        PressureCounters(session=SessionRecord(critical_in_a_row=3)),
        PressureCounters(session=SessionRecord(score_before=90, score=70)),
        PressureCounters(next_agent_pending=True),
    ):
        assert evaluate_pressure(counted, REHYDRATES, shadow=False).action == "rehydrate"
        assert evaluate_pressure(counted, SETTINGS, shadow=False).action == "ok"
    forced = evaluate_pressure(PressureCounters(rehydrate_reason="start over"), SETTINGS, shadow=False)
    assert (forced.action, forced.reasons, forced.suppressed) == ("rehydrate", ("requested: start over",), None)
    assert (forced.counted_triggers, forced.causes) == (("forced",), ("requested",))
    assert evaluate_pressure(PressureCounters(rehydrate_reason=""), SETTINGS, shadow=True).action == "ok"


def test_only_a_session_that_started_with_the_run_counts_as_new() -> None:
    known = PressureCounters(sessions=("a", "b"))
    assert started_new_session(known, "b", "c", fresh_requested=True)
    assert started_new_session(known, None, "c", fresh_requested=False), "the user began anew"
    assert not started_new_session(known, "b", "b", fresh_requested=True), "the host resumed all the same"
    assert not started_new_session(known, "b", "a", fresh_requested=True), "the host went back to another one"
    assert not started_new_session(known, "b", "c", fresh_requested=False), "resumed under another id, or forked"


def test_a_bracket_covered_by_a_snapshot_triggers_another_only_when_it_worsens() -> None:
    def after(bracket_before: int) -> PressureCounters:
        return replace(counters(turns=7), bracket=2, bracket_before=bracket_before)

    assert action(after(2)) == "ok"
    assert action(after(1)) == "snapshot"


@pytest.mark.parametrize("settings", [REHYDRATES, SETTINGS], ids=["on", "off"])
def test_a_request_is_stated_once_and_again_only_for_a_new_cause(settings: Settings) -> None:
    def stated(pressure: PressureCounters) -> tuple[str, ...]:
        return evaluate_pressure(pressure, settings, shadow=False).causes

    due = counters(turns=48)
    assert stated(due) == ("turns",)
    requested = after_request(due, stated(due))
    assert stated(requested) == ("turns",), "the call before the next run states the same request"
    later = replace(requested, turns=49)
    assert (stated(later), evaluate_pressure(later, settings, shadow=False).suppressed) == ((), None)
    fuller = replace(later, files=tuple(f"{number}.py" for number in range(72)))
    assert stated(fuller) == ("turns", "files")
    assert stated(replace(after_request(fuller, ("turns", "files")), turns=50)) == ()
    again = replace(later, rehydrate_reason="start over")
    assert evaluate_pressure(again, settings, shadow=False).action == "rehydrate", "the user may always ask"


def test_the_diff_and_time_alone_never_make_a_fresh_session_due() -> None:
    assert action(replace(counters(), diff_lines=10_000)) == "snapshot"
    assert action(replace(counters(), diff_lines=10_000, active_ms=100 * MINUTE_MS)) == "snapshot"
    assert action(replace(counters(turns=24), diff_lines=560)) == "rehydrate"


def test_of_two_suppressed_actions_the_stronger_is_reported() -> None:
    settings = resolve_layers([("global", {"snapshot": False, "rehydrate": False})])
    decision = evaluate_pressure(counters(turns=48), settings, shadow=False)
    assert (decision.action, decision.suppressed) == ("ok", "rehydrate")


def test_an_earlier_session_of_the_conversation_is_not_new() -> None:
    counters = PressureCounters()
    for session in ("one", "two", "one"):
        counters = with_session(counters, session)
    assert counters.sessions == ("two", "one")
    for session in ("one", "two"):
        assert not started_new_session(counters, None, session, fresh_requested=True)
    assert started_new_session(counters, "one", "three", fresh_requested=True)
    assert not started_new_session(counters, "one", "three", fresh_requested=False)
    for number in range(MAX_SESSIONS):
        counters = with_session(counters, f"more-{number}")
    assert len(counters.sessions) == MAX_SESSIONS
    assert started_new_session(counters, None, "one", fresh_requested=False)


def test_a_compaction_leaves_a_session_without_what_it_received() -> None:
    before = counters(turns=5, injected=40_000, files=3, lines=20, minutes=4, bracket=DEPLETED)
    after = after_compaction(replace(before, bracket_before=MODERATE), 7)
    assert (after.bracket, after.bracket_before, after.compacted_at_ms) == (0, 0, 7)
    assert (values(after)["bytes"], after.files) == (0, ())
    assert after.diff_lines == 20
