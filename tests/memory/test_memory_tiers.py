"""The attention score and the tiers, over simulated years: laws that hold for every memory."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clock import DAY_MS
from sidecar.memory import SECTORS, Sector
from sidecar.memory.memory_tiers import (
    ARCHIVE_SCORE,
    HOT_SCORE,
    WARM_SCORE,
    DueUpkeep,
    ScoreInputs,
    UpkeepRow,
    access,
    due_upkeep,
    is_stale,
    recency,
    score,
    stale_since_ms,
    tier,
)
from tests.support.cases import together

NOW_MS = 1_772_357_400_000
RANK = {"cold": 0, "warm": 1, "hot": 2}
YEARS_DAYS = 4 * 365

inputs_strategy = st.builds(
    ScoreInputs,
    st.sampled_from(SECTORS),
    st.floats(0, 1),
    st.integers(0, 50),
    st.integers(0, 1_000),
    st.integers(NOW_MS - 200 * DAY_MS, NOW_MS),
)
days = st.integers(0, YEARS_DAYS)


@given(inputs_strategy, days)
def test_a_score_is_between_0_and_1_and_never_rises_with_time_alone(inputs: ScoreInputs, after: int) -> None:
    before, later = (score(inputs, NOW_MS + shift * DAY_MS) for shift in (0, after))
    assert 0.0 <= later <= before <= 1.0


@given(inputs_strategy, days, st.integers(1, 100))
def test_use_confidence_and_relevance_never_lower_a_score(inputs: ScoreInputs, after: int, more: int) -> None:
    now_ms = NOW_MS + after * DAY_MS
    value = score(inputs, now_ms)
    assert score(inputs._replace(access_count=inputs.access_count + more), now_ms) >= value
    assert score(inputs._replace(confidence=min(1.0, inputs.confidence + more / 100)), now_ms) >= value
    assert score(inputs._replace(last_ms=now_ms), now_ms) >= value
    assert score(inputs, now_ms, base_relevance=0.5) <= value


@given(inputs_strategy, days)
def test_a_tier_falls_with_time_and_is_at_most_one_above_its_score(inputs: ScoreInputs, after: int) -> None:
    now_ms = NOW_MS + after * DAY_MS
    assert RANK[tier(inputs, now_ms + DAY_MS)] <= RANK[tier(inputs, now_ms)]
    value = score(inputs, now_ms)
    by_score = 2 if value > HOT_SCORE else 1 if value >= WARM_SCORE else 0
    assert by_score <= RANK[tier(inputs, now_ms)] <= by_score + 1


@given(inputs_strategy)
def test_in_the_end_every_memory_is_cold_and_stale(inputs: ScoreInputs) -> None:
    end_ms = NOW_MS + 20 * 365 * DAY_MS
    assert tier(inputs, end_ms) == "cold"
    assert is_stale(inputs, end_ms)


@given(inputs_strategy, days)
def test_a_memory_is_stale_after_ninety_days_below_the_archive_score(inputs: ScoreInputs, after: int) -> None:
    start_ms = stale_since_ms(inputs)
    assert score(inputs, start_ms + DAY_MS) < ARCHIVE_SCORE
    if start_ms > inputs.last_ms:
        assert score(inputs, start_ms - DAY_MS) >= ARCHIVE_SCORE
    now_ms = NOW_MS + after * DAY_MS
    assert is_stale(inputs, now_ms) == (now_ms - start_ms >= 90 * DAY_MS)


def test_the_factors_match_the_specification() -> None:
    for sector, half_life in (("episodic", 14), ("semantic", 60), ("procedural", 90), ("reflective", 60)):
        assert recency(sector, half_life * DAY_MS) == 0.5
    assert (recency("semantic", 0), access(0)) == (1.0, 1.0)
    assert round(access(9), 6) == 1.230259
    assert get_args(Sector) == SECTORS


rows = st.builds(
    UpkeepRow,
    st.sampled_from((
        "shared/durable/a.md", "shared/daily/2026-02-20/b.md", "shared/daily/2026-01-02/c.md", "dev/daily/d.md",
        "shared/session/e.md",
    )),
    st.integers(0, 3),
    st.uuids().map(str),
    st.just("shared"),
    st.just("daily"),
    st.sampled_from(SECTORS),
    st.floats(0, 1),
    st.integers(0, 9),
    st.integers(0, 9),
    st.none() | st.integers(NOW_MS - 100 * DAY_MS, NOW_MS),
    st.integers(NOW_MS - 100 * DAY_MS, NOW_MS),
    st.sampled_from(("hot", "warm", "cold")),
)  # fmt: skip


def in_file_order(rows_given: list[UpkeepRow]) -> list[UpkeepRow]:
    """Return rows as the index does: in file order, with the retention of their folder."""
    indexed = [row._replace(retention=row.path.split("/")[1], position=at) for at, row in enumerate(rows_given)]
    return sorted(indexed, key=lambda row: (row.path, row.position))


def after_upkeep(rows_given: list[UpkeepRow], due_upkeep: DueUpkeep) -> list[UpkeepRow]:
    """Return the rows after upkeep."""
    removed = {removal.path for removal in (*due_upkeep.archive, *due_upkeep.cleaned)}
    moved = {change.row.id: change.to for change in due_upkeep.tiers}
    return [row._replace(tier=moved.get(row.id, row.tier)) for row in rows_given if row.path not in removed]


@given(st.lists(rows, max_size=8, unique_by=lambda row: row.id), st.integers(1, 500), st.integers(1, 40))
def test_one_upkeep_after_many_days_equals_daily_upkeep(upkeep_rows: list[UpkeepRow], span: int, step: int) -> None:
    start = in_file_order(upkeep_rows)
    daily = start
    for day in range(0, span, step):
        daily = after_upkeep(daily, due_upkeep(daily, NOW_MS + day * DAY_MS))
    end_ms = NOW_MS + span * DAY_MS
    assert after_upkeep(daily, due_upkeep(daily, end_ms)) == after_upkeep(start, due_upkeep(start, end_ms))


@given(st.lists(rows, max_size=8, unique_by=lambda row: row.id), days)
def test_upkeep_done_leaves_nothing_due_and_no_durable_memory_expires(upkeep_rows: list[UpkeepRow], after: int) -> None:
    start, now_ms = in_file_order(upkeep_rows), NOW_MS + after * DAY_MS
    once = due_upkeep(start, now_ms)
    assert due_upkeep(after_upkeep(start, once), now_ms) == DueUpkeep((), (), ())
    assert all(row.retention != "durable" for removal in (*once.archive, *once.cleaned) for row in removal.rows)


@together(
    ("confidence", "evidence", "accesses", "days", "expected"),
    [
        (0.7, 1, 0, 0, "warm"), (0.71, 1, 0, 0, "hot"), (0.3, 1, 0, 0, "warm"), (0.29, 1, 0, 0, "cold"),
        (0.9, 5, 0, 60, "hot"), (0.9, 4, 0, 60, "warm"), (0.7, 9, 0, 6, "warm"), (0.2, 1, 3, 0, "warm"),
        (0.2, 1, 2, 0, "cold"), (0.1, 2, 0, 0, "warm"), (0.1, 1, 0, 0, "cold"), (0.09, 9, 0, 0, "cold"),
    ],
)  # fmt: skip
def test_a_tier_begins_at_its_bound(confidence: float, evidence: int, accesses: int, days: int, expected: str) -> None:
    inputs = ScoreInputs("semantic", confidence, evidence, accesses, 0)
    assert tier(inputs, days * DAY_MS) == expected


def test_a_memory_becomes_stale_exactly_at_the_limit() -> None:
    inputs = ScoreInputs("semantic", 0.1, 1, 0, 0)
    assert is_stale(inputs, 90 * DAY_MS)
    assert not is_stale(inputs, 90 * DAY_MS - 1)
