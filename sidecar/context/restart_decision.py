"""Whether a session continues or a new one starts: the criteria, and the counters on which they depend."""

from typing import NamedTuple

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.agent_pipeline_parser import AgentPipeline, agent_score, next_agent
from sidecar.context.brackets import Bracket
from sidecar.context.project_files import ProjectSources
from sidecar.context.restart_counters import (
    Interaction,
    SessionRecord,
    with_compaction,
    with_finished_compaction,
    with_interaction,
)
from sidecar.workspace import Workspace

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
        met["compactions"] = f"{counters.compactions} compactions in this session (limit: {COMPACTION_LIMIT})"
    drop = _drop(counters)
    if drop > SCORE_DROP:
        met["score"] = f"the agent's score fell by {100 * drop:.3g} % (limit: {100 * SCORE_DROP:.0f} %)"
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


class ContinuationFacts(NamedTuple):
    """The host's report about the session; None or empty for what is not reported."""

    interaction_id: str = ""
    bracket: Bracket | None = None
    score: float | None = None
    next_agent: str = ""
    agent_done: bool | None = None
    task: str = ""
    progress: str = ""
    pending: tuple[str, ...] = ()
    mode: str | None = None


class RestartDecision(NamedTuple):
    """The session's counters and every restart criterion that is met."""

    counters: SessionCounters
    next_agent: str
    reasons: tuple[str, ...]


def count_interaction(
    call: Call, workspace: Workspace, session_id: str, sources: ProjectSources, facts: ContinuationFacts
) -> RestartDecision:
    """Count the interaction, store the session's counters, and return the criteria that are met."""
    pipeline = sources.pipeline
    score = facts.score if facts.score is not None else agent_score(pipeline, sources.agent) if pipeline else None
    interaction = Interaction(facts.interaction_id, facts.bracket, sources.agent, score)
    with call.database.write() as tx:
        record = with_interaction(store.load_session_record(tx, workspace.project_key, session_id), interaction)
        store.save_session_record(tx, workspace.project_key, session_id, record, call.now_ms())
    return restart_decision(record, waiting_agent(pipeline, facts))


def restart_decision(record: SessionRecord, waiting: str) -> RestartDecision:
    """Evaluate stored counters. `waiting` is the agent that waits while the present one is done."""
    counters = session_counters(record, next_agent_pending=bool(waiting))
    return RestartDecision(counters, waiting, tuple(restart_criteria(counters).values()))


def waiting_agent(pipeline: AgentPipeline | None, facts: ContinuationFacts) -> str:
    """Return the agent that waits while this one is done: as reported by the host or by the session file."""
    if facts.agent_done is False:
        return ""
    known = next_agent(pipeline, is_done=bool(facts.agent_done)) if pipeline is not None else ""
    return facts.next_agent or known if facts.agent_done else known


def count_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: ProjectSources
) -> SessionRecord:
    """Count a compaction by its id, unless it is known.

    Later scores are compared with the session file's score when the host reported none.
    """
    with call.database.write() as tx:
        before = store.load_session_record(tx, workspace.project_key, session_id)
        if compaction_id in before.compaction_ids:
            return before
        record = with_compaction(_with_project_score(before, sources), compaction_id)
        store.save_session_record(tx, workspace.project_key, session_id, record, call.now_ms())
    return record


def finish_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: ProjectSources
) -> tuple[SessionRecord, bool]:
    """Record that a compaction is over, and count it if not announced. Return whether both were known."""
    with call.database.write() as tx:
        before = store.load_session_record(tx, workspace.project_key, session_id)
        if compaction_id in before.finished_ids:
            return before, True
        is_counted = compaction_id in before.compaction_ids
        record = with_finished_compaction(before if is_counted else _with_project_score(before, sources), compaction_id)
        store.save_session_record(tx, workspace.project_key, session_id, record, call.now_ms())
    return record, False


def _with_project_score(before: SessionRecord, sources: ProjectSources) -> SessionRecord:
    pipeline = sources.pipeline
    score = agent_score(pipeline, sources.agent) if pipeline is not None else None
    is_reported = before.agent == sources.agent and before.score is not None
    return with_interaction(before, Interaction(agent=sources.agent, score=None if is_reported else score))
