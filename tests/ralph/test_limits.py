"""Limits of a loop, and its waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.ralph import (
    FIRST_PAUSE_MS,
    MAX_BACKOFF_MS,
    MAX_PAUSE_MS,
    MAX_RESET_MS,
    RESET_MARGIN_MS,
    Limits,
    LoopUsage,
    backoff_ms,
    failure_limit_reached,
    format_duration,
    limit_reached,
    parse_duration_ms,
    pause_ms,
    wall_ms,
)
from tests.support.cases import together


@together(
    ("text", "expected"),
    [("90", 90_000), ("90s", 90_000), ("1.5h", 5_400_000), ("1h30m", 5_400_000), ("250ms", 250), ("2d", 172_800_000)],
)
def test_durations_are_parsed_with_their_units(text: str, expected: int) -> None:
    assert parse_duration_ms(text) == expected


@together("text", ["", "0", "0s", "-1s", "1 h", "h", "1h30", "1x", "∞", "9" * 30])
def test_invalid_durations_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a (valid )?duration"):
        parse_duration_ms(text)


@together(
    ("duration", "shown"),
    [(350, "350 ms"), (12_340, "12.3 s"), (60_000, "1 min"), (245_000, "4 min 5 s"), (7_800_000, "2 h 10 min")],
)
def test_durations_are_formatted_for_people(duration: float, shown: str) -> None:
    assert format_duration(duration) == shown


def test_unused_loop_reaches_no_limit_and_none_means_no_limit() -> None:
    free = Limits(max_iterations=0)
    assert limit_reached(Limits(), LoopUsage()) is None
    assert limit_reached(free, LoopUsage(10**6, 1e12, 10**12, 1e9, 10**6)) is None
    assert failure_limit_reached(free, LoopUsage(failures_in_row=10**6)) is None
    assert wall_ms(free, LoopUsage()) is None


@given(st.integers(1, 100), st.integers(0, 100))
def test_exactly_the_allowed_number_of_iterations_starts(most: int, done: int) -> None:
    assert (limit_reached(Limits(max_iterations=most), LoopUsage(iterations=done)) is None) == (done < most)


@given(st.one_of(st.none(), st.integers(1, 10**9)), st.one_of(st.none(), st.integers(1, 10**9)), st.floats(0, 1e9))
def test_iteration_is_limited_by_its_own_and_the_loops_time(own: int | None, most: int | None, elapsed: float) -> None:
    wall = wall_ms(Limits(iteration_ms=own, max_time_ms=most), LoopUsage(elapsed_ms=elapsed))
    assert (wall is None) == (own is None and most is None)
    if wall is not None:
        assert wall >= 1
        assert own is None or wall <= own
        assert most is None or elapsed >= most or elapsed + wall < most + 1


@given(st.integers(1, 10_000))
def test_backoff_doubles_up_to_a_minute(failures: int) -> None:
    assert backoff_ms(0) == 0
    assert 0 < backoff_ms(failures) <= backoff_ms(failures + 1) <= MAX_BACKOFF_MS


def test_pause_lasts_until_the_usage_limit_resets() -> None:
    now = 1_800_000_000_000
    assert pause_ms(now + 60_000, now, 1) == 60_000 + RESET_MARGIN_MS
    assert pause_ms(now - 5_000, now, 1) == RESET_MARGIN_MS, "it has just passed"
    assert pause_ms(now - 5_000, now, 2) == 2 * FIRST_PAUSE_MS, "it was misread"
    assert pause_ms(now + MAX_RESET_MS + 1, now, 1) == FIRST_PAUSE_MS
    assert pause_ms(None, now, 1) == FIRST_PAUSE_MS
    assert pause_ms(None, now, 99) == MAX_PAUSE_MS
