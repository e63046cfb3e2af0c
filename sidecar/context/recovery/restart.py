"""When a session is past mending and a new one should begin (intelligence-layer.md, Spawn Decision Criteria). Pure."""

from typing import NamedTuple

from sidecar.context.brackets import Bracket

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


# What a session's wear is counted from: its interactions, compactions and scores. Pure.


KEPT_IDS = 20
"""Compactions of a session that are known by their ids."""


class Counted(NamedTuple):
    """What is kept of a provider session; scores are on any one scale, None where nobody told."""

    compactions: int = 0
    critical_in_a_row: int = 0
    last_interaction: str = ""
    """The id of the interaction that was counted last; empty where it had none."""
    agent: str = ""
    """Whose score it is."""
    score: float | None = None
    score_before: float | None = None
    """That agent's score when the session was last compacted."""
    compaction_ids: tuple[str, ...] = ()
    """The compactions that were told by an id, the latest last."""
    followed_ids: tuple[str, ...] = ()
    """Those of them that were told as being over, the latest last."""
    unmatched: int = 0
    """1 when a compaction told by its id may yet be told as an event, -1 the other way round: it counts once."""


class Interaction(NamedTuple):
    """One interaction as the host told it; None and empty is what it did not tell."""

    id: str = ""
    bracket: Bracket | None = None
    agent: str = ""
    score: float | None = None


def after_interaction(counted: Counted, one: Interaction) -> Counted:
    """Counts an interaction; one told twice counts once. Another agent's score is not compared with this one's."""
    if one.agent != counted.agent:
        counted = counted._replace(agent=one.agent, score=None, score_before=None)
    if one.score is not None:
        counted = counted._replace(score=one.score)
    if one.bracket is None or (one.id and one.id == counted.last_interaction):
        return counted
    row = counted.critical_in_a_row + 1 if one.bracket == "CRITICAL" else 0
    return counted._replace(critical_in_a_row=row, last_interaction=one.id)


def after_compaction(counted: Counted, compaction_id: str = "") -> Counted:
    """Counts a compaction, told by its id or, without one, as an event; one told twice or both ways counts once.

    The window is roomy again, and the score so far is what later ones are held against.
    """
    if compaction_id and compaction_id in counted.compaction_ids:
        return counted
    if compaction_id:
        counted = counted._replace(compaction_ids=(*counted.compaction_ids, compaction_id)[-KEPT_IDS:])
    told_as = 1 if compaction_id else -1
    if counted.unmatched == -told_as:
        return counted._replace(unmatched=0)
    return counted._replace(
        compactions=counted.compactions + 1,
        critical_in_a_row=0,
        score_before=counted.score if counted.score is not None else counted.score_before,
        unmatched=told_as,
    )


def after_following(counted: Counted, compaction_id: str) -> Counted:
    """Counts a compaction, unless it was counted before it began, and keeps that it is over."""
    counted = after_compaction(counted, compaction_id)
    if compaction_id in counted.followed_ids:
        return counted
    return counted._replace(followed_ids=(*counted.followed_ids, compaction_id)[-KEPT_IDS:])


def wear_of(counted: Counted, *, next_agent_pending: bool) -> Wear:
    """Gives what the spawn criteria ask of a session."""
    return Wear(counted.compactions, counted.critical_in_a_row, counted.score_before, counted.score, next_agent_pending)
