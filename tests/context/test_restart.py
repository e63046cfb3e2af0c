"""The restart criteria as specified: each suffices by itself, and the answer names each that is met."""

from hypothesis import given
from hypothesis import strategies as st

from sidecar.context import SessionCounters, restart_criteria

counters_strategy = st.builds(
    SessionCounters,
    st.integers(0, 6),
    st.integers(0, 6),
    st.none() | st.floats(0, 100),
    st.none() | st.floats(0, 100),
    st.booleans(),
)


@given(counters_strategy)
def test_exactly_the_met_criteria_are_listed(counters: SessionCounters) -> None:
    fell = (
        counters.score is not None and bool(counters.last_score) and (counters.last_score or 0) * 0.85 > counters.score
    )
    met = [counters.compactions >= 3, fell, counters.critical_in_a_row >= 3, counters.next_agent_pending]
    words = ["compactions", "score fell", "CRITICAL", "next one"]
    reasons = tuple(restart_criteria(counters).values())
    if counters.score is None or not counters.last_score or abs(counters.last_score * 0.85 - counters.score) > 1e-9:
        assert len(reasons) == sum(met)
        assert all(any(word in reason for reason in reasons) == is_met for word, is_met in zip(words, met, strict=True))


def test_a_drop_of_exactly_fifteen_percent_is_not_a_criterion() -> None:
    assert tuple(restart_criteria(SessionCounters(last_score=100, score=85)).values()) == ()
    assert tuple(restart_criteria(SessionCounters(last_score=100, score=84.9)).values()) == (
        "the agent's score fell by 15.1 % (limit: 15 %)",
    )


@given(counters_strategy, st.integers(0, 3), st.integers(0, 3))
def test_higher_counters_never_remove_a_reason(counters: SessionCounters, compactions: int, critical: int) -> None:
    worse = counters._replace(
        compactions=counters.compactions + compactions,
        critical_in_a_row=counters.critical_in_a_row + critical,
        next_agent_pending=True,
    )
    assert len(restart_criteria(worse)) >= len(restart_criteria(counters))
