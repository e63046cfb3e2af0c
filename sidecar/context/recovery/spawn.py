"""When a session is past mending and a new one should begin (intelligence-layer.md, Spawn Decision Criteria). Pure."""

from typing import NamedTuple

COMPACTIONS = 3
"""So many compactions in one session: its context is churning."""

SCORE_DROP = 0.15
"""A score that falls by more than this share after a compaction: it lost what mattered."""

CRITICAL_IN_A_ROW = 3
"""So many consecutive interactions in the last bracket: it does not recover."""


class Wear(NamedTuple):
    """What is known of a session's wear; scores are of any one scale, None where nobody told."""

    compactions: int = 0
    critical_in_a_row: int = 0
    last_score: float | None = None
    """The score before the session's last compaction."""
    score: float | None = None
    next_agent_pending: bool = False
    """Whether the agent is done and another one waits for its turn."""


def spawn_reasons(wear: Wear) -> tuple[str, ...]:
    """Gives every criterion that holds, in words; one is enough for a new session."""
    reasons = []
    if wear.compactions >= COMPACTIONS:
        reasons.append(f"{wear.compactions} compactions in this session (from {COMPACTIONS})")
    drop = _drop(wear)
    if drop > SCORE_DROP:
        reasons.append(f"the agent's score fell by {drop:.0%} (more than {SCORE_DROP:.0%})")
    if wear.critical_in_a_row >= CRITICAL_IN_A_ROW:
        reasons.append(f"the context window was CRITICAL {wear.critical_in_a_row} times in a row")
    if wear.next_agent_pending:
        reasons.append("the agent is done and the next one is waiting")
    return tuple(reasons)


def _drop(wear: Wear) -> float:
    if wear.score is None or not wear.last_score:
        return 0.0
    return (wear.last_score - wear.score) / wear.last_score
