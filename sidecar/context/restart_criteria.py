"""The criteria for starting a new session. Pure."""

from typing import NamedTuple

from sidecar.context.session_counters import SessionRecord

COMPACTION_LIMIT = 3
"""From this many compactions in one session on, its context is churning."""

SCORE_DROP = 0.15
"""A score that falls by more than this share after a compaction shows that it lost something important."""

CRITICAL_LIMIT = 3
"""After this many consecutive interactions in CRITICAL, the session does not recover."""


class SessionCounters(NamedTuple):
    """The counters that decide about a restart. Scores are on any one scale, None when not reported."""

    compactions: int = 0
    critical_in_a_row: int = 0
    last_score: float | None = None
    """The score before the session's last compaction."""
    score: float | None = None
    next_agent_pending: bool = False
    """Whether the agent is done and another one waits."""


def restart_criteria(counters: SessionCounters) -> dict[str, str]:
    """Return every restart criterion that is met, by name, in words; one is enough."""
    met = {}
    if counters.compactions >= COMPACTION_LIMIT:
        met["compactions"] = f"{counters.compactions} compactions in this session (from {COMPACTION_LIMIT})"
    drop = _drop(counters)
    if drop > SCORE_DROP:
        met["score"] = f"the agent's score fell by {drop:.0%} (more than {SCORE_DROP:.0%})"
    if counters.critical_in_a_row >= CRITICAL_LIMIT:
        met["critical"] = f"the context window was CRITICAL {counters.critical_in_a_row} times in a row"
    if counters.next_agent_pending:
        met["agentDone"] = "the agent is done and the next one is waiting"
    return met


def _drop(counters: SessionCounters) -> float:
    if counters.score is None or not counters.last_score:
        return 0.0
    return (counters.last_score - counters.score) / counters.last_score


def session_counters(record: SessionRecord, *, next_agent_pending: bool) -> SessionCounters:
    """Return the counters that the restart criteria use."""
    return SessionCounters(
        record.compactions, record.critical_in_a_row, record.score_before, record.score, next_agent_pending
    )
