"""The attention score and the tiers, over simulated years: laws that hold for every memory."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.clock import DAY_MS
from sidecar.memory import SECTORS, Sector
from sidecar.memory.upkeep import (
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

NOW_MS = 1_772_357_400_000
RANK = {"cold": 0, "warm": 1, "hot": 2}
YEARS_DAYS = 4 * 365

standings = st.builds(
    ScoreInputs,
    st.sampled_from(SECTORS),
    st.floats(0, 1),
    st.integers(0, 50),
    st.integers(0, 1_000),
    st.integers(NOW_MS - 200 * DAY_MS, NOW_MS),
)
days = st.integers(0, YEARS_DAYS)


@given(standings, days)
def test_a_score_is_between_0_and_1_and_never_rises_with_time_alone(standing: ScoreInputs, after: int) -> None:
    before, later = (score(standing, NOW_MS + shift * DAY_MS) for shift in (0, after))
    assert 0.0 <= later <= before <= 1.0


@given(standings, days, st.integers(1, 100))
def test_use_confidence_and_relevance_never_lower_a_score(standing: ScoreInputs, after: int, more: int) -> None:
    now_ms = NOW_MS + after * DAY_MS
    found = score(standing, now_ms)
    assert score(standing._replace(access_count=standing.access_count + more), now_ms) >= found
    assert score(standing._replace(confidence=min(1.0, standing.confidence + more / 100)), now_ms) >= found
    assert score(standing._replace(last_ms=now_ms), now_ms) >= found
    assert score(standing, now_ms, base_relevance=0.5) <= found


@given(standings, days)
def test_a_tier_falls_with_time_and_is_at_most_one_above_its_score(standing: ScoreInputs, after: int) -> None:
    now_ms = NOW_MS + after * DAY_MS
    assert RANK[tier(standing, now_ms + DAY_MS)] <= RANK[tier(standing, now_ms)]
    found = score(standing, now_ms)
    by_score = 2 if found > HOT_SCORE else 1 if found >= WARM_SCORE else 0
    assert by_score <= RANK[tier(standing, now_ms)] <= by_score + 1


@given(standings)
def test_in_the_end_every_memory_is_cold_and_stale(standing: ScoreInputs) -> None:
    end_ms = NOW_MS + 20 * 365 * DAY_MS
    assert tier(standing, end_ms) == "cold"
    assert is_stale(standing, end_ms)


@given(standings, days)
def test_a_memory_is_stale_after_ninety_days_below_the_archive_score(standing: ScoreInputs, after: int) -> None:
    begun_ms = stale_since_ms(standing)
    assert score(standing, begun_ms + DAY_MS) < ARCHIVE_SCORE
    if begun_ms > standing.last_ms:
        assert score(standing, begun_ms - DAY_MS) >= ARCHIVE_SCORE
    now_ms = NOW_MS + after * DAY_MS
    assert is_stale(standing, now_ms) == (now_ms - begun_ms >= 90 * DAY_MS)


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


def filed(found: list[UpkeepRow]) -> list[UpkeepRow]:
    """Gives rows as the index does: in the order of the files, each kept as its folder says."""
    kept = [row._replace(retention=row.path.split("/")[1], position=at) for at, row in enumerate(found)]
    return sorted(kept, key=lambda row: (row.path, row.position))


def done(found: list[UpkeepRow], due_upkeep: DueUpkeep) -> list[UpkeepRow]:
    """Gives the rows after what was due was done."""
    gone = {one.path for one in (*due_upkeep.archive, *due_upkeep.cleaned)}
    moved = {change.row.id: change.to for change in due_upkeep.tiers}
    return [row._replace(tier=moved.get(row.id, row.tier)) for row in found if row.path not in gone]


@given(st.lists(rows, max_size=8, unique_by=lambda row: row.id), st.integers(1, 500), st.integers(1, 40))
def test_one_upkeep_after_many_days_equals_daily_upkeep(found: list[UpkeepRow], span: int, step: int) -> None:
    start = filed(found)
    daily = start
    for day in range(0, span, step):
        daily = done(daily, due_upkeep(daily, NOW_MS + day * DAY_MS))
    end_ms = NOW_MS + span * DAY_MS
    assert done(daily, due_upkeep(daily, end_ms)) == done(start, due_upkeep(start, end_ms))


@given(st.lists(rows, max_size=8, unique_by=lambda row: row.id), days)
def test_upkeep_done_leaves_nothing_due_and_no_durable_memory_expires(found: list[UpkeepRow], after: int) -> None:
    start, now_ms = filed(found), NOW_MS + after * DAY_MS
    once = due_upkeep(start, now_ms)
    assert due_upkeep(done(start, once), now_ms) == DueUpkeep((), (), ())
    assert all(row.retention != "durable" for one in (*once.archive, *once.cleaned) for row in one.rows)


@pytest.mark.parametrize(
    ("confidence", "evidence", "accesses", "days", "found"),
    [
        (0.7, 1, 0, 0, "warm"), (0.71, 1, 0, 0, "hot"), (0.3, 1, 0, 0, "warm"), (0.29, 1, 0, 0, "cold"),
        (0.9, 5, 0, 60, "hot"), (0.9, 4, 0, 60, "warm"), (0.7, 9, 0, 6, "warm"), (0.2, 1, 3, 0, "warm"),
        (0.2, 1, 2, 0, "cold"), (0.1, 2, 0, 0, "warm"), (0.1, 1, 0, 0, "cold"), (0.09, 9, 0, 0, "cold"),
    ],
)  # fmt: skip
def test_a_tier_begins_at_its_bound(confidence: float, evidence: int, accesses: int, days: int, found: str) -> None:
    standing = ScoreInputs("semantic", confidence, evidence, accesses, 0)
    assert tier(standing, days * DAY_MS) == found


def test_a_memory_becomes_stale_exactly_at_the_limit() -> None:
    standing = ScoreInputs("semantic", 0.1, 1, 0, 0)
    assert is_stale(standing, 90 * DAY_MS)
    assert not is_stale(standing, 90 * DAY_MS - 1)
