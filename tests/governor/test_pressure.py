"""The governor's decision as laws over its inputs."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sidecar.governor import after_run, after_snapshot, after_turnover, decide, signals_of
from sidecar.governor.pressure import IDLE_GAP_MS, MINUTE_MS
from sidecar.runs import Counters
from sidecar.settings.resolve import resolve

SETTINGS = resolve([])
RANK = {"ok": 0, "snapshot": 1, "rehydrate": 2}
THRESHOLDS = {"turns": (7, 12), "bytes": (90_000, 150_000), "files": (10, 18), "lines": (160, 280), "minutes": (25, 50)}


def counters(turns: int = 0, injected: int = 0, files: int = 0, lines: int = 0, minutes: int = 0) -> Counters:
    return Counters(
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
    st.integers(0, 700),
    st.integers(0, 200),
)


def action(pressure: Counters, *, snapshot: bool = True, rehydrate: bool = True) -> str:
    signals = signals_of(pressure, SETTINGS)
    return decide(signals, snapshot_allowed=snapshot, rehydrate_allowed=rehydrate).action


def values(pressure: Counters) -> dict[str, float]:
    return {
        "turns": pressure.turns,
        "bytes": sum(pressure.injected),
        "files": len(pressure.files),
        "lines": pressure.diff_lines,
        "minutes": pressure.active_ms // MINUTE_MS,
    }


@given(amounts)
def test_an_action_needs_two_signals_or_one_other_than_time_at_double(pressure: Counters) -> None:
    expected = "ok"
    for name, index in (("snapshot", 0), ("rehydrate", 1)):
        reached = {kind for kind, value in values(pressure).items() if value >= THRESHOLDS[kind][index]}
        doubled = {kind for kind in reached if values(pressure)[kind] >= 2 * THRESHOLDS[kind][index]}
        if len(reached) >= 2 or doubled - {"minutes"}:
            expected = name
    assert action(pressure) == expected


@given(st.integers(0, 100_000))
def test_time_alone_never_acts(minutes: int) -> None:
    assert action(counters(minutes=minutes)) == "ok"


@given(amounts, amounts)
def test_more_pressure_never_weakens_the_action(one: Counters, other: Counters) -> None:
    more = Counters(
        turns=max(one.turns, other.turns),
        injected=max(one.injected, other.injected),
        files=max(one.files, other.files, key=len),
        diff_lines=max(one.diff_lines, other.diff_lines),
        active_ms=max(one.active_ms, other.active_ms),
    )
    assert RANK[action(more)] >= max(RANK[action(one)], RANK[action(other)])


def test_reaching_a_threshold_counts() -> None:
    assert action(counters(turns=7, files=10)) == "snapshot"
    assert action(counters(turns=6, files=10)) == "ok"
    assert action(counters(turns=14)) == "snapshot"
    assert action(counters(turns=13)) == "ok"
    assert action(counters(lines=280, minutes=50)) == "rehydrate"


@given(amounts, st.booleans(), st.booleans())
def test_a_withheld_action_is_named_and_the_strongest_allowed_one_taken(
    pressure: Counters, snapshot: bool, rehydrate: bool
) -> None:
    due = action(pressure)
    word = decide(signals_of(pressure, SETTINGS), snapshot_allowed=snapshot, rehydrate_allowed=rehydrate)
    allowed = {"ok": True, "snapshot": snapshot, "rehydrate": rehydrate}
    strongest = max((name for name in RANK if RANK[name] <= RANK[due] and allowed[name]), key=RANK.__getitem__)
    assert word.action == strongest
    assert any(f"{due} is due" in reason for reason in word.reasons) == (word.action != due)
    assert bool(word.reasons) == (due != "ok")


def run(before: Counters, now_ms: int, *, run_ms: int = 0, diff_lines: int = 0, window: int = 10) -> Counters:
    return after_run(
        before, now_ms=now_ms, run_ms=run_ms, diff_lines=diff_lines, injected_bytes=5, files=("a",), window=window
    )


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**5)), max_size=20))
def test_counters_never_run_ahead_of_the_clock_or_backwards(steps: list[tuple[int, int, int]]) -> None:
    state, now_ms = Counters(), 1_000
    for gap_ms, run_ms, lines in steps:
        now_ms += gap_ms
        after = run(state, now_ms, run_ms=run_ms, diff_lines=lines)
        assert 0 <= after.active_ms - state.active_ms <= (gap_ms if state.turns else 0)
        assert after.diff_lines >= state.diff_lines
        assert len(after.injected) <= 10
        state = after
    assert state.turns == len(steps)


def test_the_first_run_sets_clock_and_baseline() -> None:
    first = run(Counters(), 10**12, run_ms=10**6, diff_lines=5_000)
    assert (first.active_ms, first.diff_lines, first.turns) == (0, 0, 1)
    second = run(first, 10**12 + MINUTE_MS, diff_lines=5_100)
    assert (second.active_ms, second.diff_lines) == (MINUTE_MS, 100)


def test_only_pauses_over_ten_minutes_do_not_count() -> None:
    first = run(Counters(), 0)
    assert run(first, IDLE_GAP_MS).active_ms == IDLE_GAP_MS
    assert run(first, IDLE_GAP_MS + 1).active_ms == 0
    long_run = run(first, IDLE_GAP_MS * 4, run_ms=IDLE_GAP_MS * 3)
    assert long_run.active_ms == IDLE_GAP_MS * 4
    after_a_night = run(first, IDLE_GAP_MS * 60, run_ms=IDLE_GAP_MS * 3)
    assert after_a_night.active_ms == IDLE_GAP_MS * 3


@given(amounts)
def test_a_snapshot_asks_for_no_other_without_new_pressure(pressure: Counters) -> None:
    reset = after_snapshot(pressure, 7, {"objective": "x"})
    assert action(reset, rehydrate=False) == "ok"
    assert reset.snapshot == {"objective": "x"}
    assert (reset.turns, reset.diff_lines, reset.active_ms) == (0, 0, 0)
    assert (reset.injected, reset.files) == (pressure.injected, pressure.files), "the session still has them"
    assert reset.last_diff_lines == pressure.last_diff_lines


@given(amounts)
def test_a_turnover_takes_all_pressure_away(pressure: Counters) -> None:
    fresh = after_turnover(pressure, 7, {"objective": "x"})
    assert action(fresh) == "ok"
    assert all(value == 0 for value in values(fresh).values())


@given(st.integers(1, 30_000), st.integers(0, 3), st.integers(0, 60), st.integers(0, 9))
def test_pressure_that_rises_gradually_snapshots_on_its_way_and_in_the_end_turns_the_session_over(
    injected: int, files: int, lines: int, minutes: int
) -> None:
    state, seen = Counters(), []
    for turn in range(60):
        state = after_run(
            state, now_ms=turn * minutes * MINUTE_MS, run_ms=0, diff_lines=turn * lines, injected_bytes=injected,
            files=tuple(f"{turn}-{number}" for number in range(files)), window=10,
        )  # fmt: skip
        seen.append(action(state))
        if seen[-1] == "snapshot":
            state = after_snapshot(state, turn * minutes * MINUTE_MS, {})
        elif seen[-1] == "rehydrate":
            break
    has_session_pressure = injected * 10 >= 150_000 and files * 60 >= 18
    assert not has_session_pressure or seen[-1] == "rehydrate"
    snapshots = [turn for turn, word in enumerate(seen) if word == "snapshot"]
    assert all(later - earlier > 1 for earlier, later in pairwise(snapshots)) or files > 2
