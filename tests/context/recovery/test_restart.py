"""The spawn criteria as written: each is enough by itself, and each that holds is named."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import SessionCounters, restart_reasons

wears = st.builds(
    SessionCounters,
    st.integers(0, 6),
    st.integers(0, 6),
    st.none() | st.floats(0, 100),
    st.none() | st.floats(0, 100),
    st.booleans(),
)


@given(wears)
def test_exactly_the_met_criteria_are_listed(wear: SessionCounters) -> None:
    fell = wear.score is not None and bool(wear.last_score) and (wear.last_score or 0) * 0.85 > wear.score
    holds = [wear.compactions >= 3, fell, wear.critical_in_a_row >= 3, wear.next_agent_pending]
    words = ["compactions", "score fell", "CRITICAL", "next one"]
    told = restart_reasons(wear)
    if wear.score is None or not wear.last_score or abs(wear.last_score * 0.85 - wear.score) > 1e-9:
        assert len(told) == sum(holds)
        assert all(any(word in reason for reason in told) == held for word, held in zip(words, holds, strict=True))


def test_a_drop_of_exactly_fifteen_percent_is_not_a_criterion() -> None:
    assert restart_reasons(SessionCounters(last_score=100, score=85)) == ()
    assert restart_reasons(SessionCounters(last_score=100, score=84.9)) == (
        "the agent's score fell by 15% (more than 15%)",
    )


@given(wears, st.integers(0, 3), st.integers(0, 3))
def test_higher_counters_never_remove_a_reason(wear: SessionCounters, compactions: int, critical: int) -> None:
    worse = wear._replace(
        compactions=wear.compactions + compactions,
        critical_in_a_row=wear.critical_in_a_row + critical,
        next_agent_pending=True,
    )
    assert len(restart_reasons(worse)) >= len(restart_reasons(wear))
