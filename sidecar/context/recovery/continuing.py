"""Decides whether a session goes on or a new one begins, and puts together what that one is told."""

from typing import NamedTuple

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.block.layers import digests_of
from sidecar.context.brackets import Bracket
from sidecar.context.project.chati_folder import write_own
from sidecar.context.project.constitution import fitted
from sidecar.context.project.governance import mode_of
from sidecar.context.project.handoff import handoff_of
from sidecar.context.project.pipeline import Pipeline, next_agent, score_of
from sidecar.context.project.sources import Sources
from sidecar.context.recovery.continuation_text import Continuation, continuation_text
from sidecar.context.recovery.spawn import Wear, spawn_reasons
from sidecar.context.recovery.wear import (
    Counted,
    Interaction,
    after_compaction,
    after_following,
    after_interaction,
    wear_of,
)
from sidecar.core.secrets.redact import redact
from sidecar.memory import Memory
from sidecar.workspace import Workspace

RULES_TOKENS = 1_000
CONTINUATION_FOLDER, CONTINUATION_FILE = "continuation", "latest.md"


class Told(NamedTuple):
    """What the host tells of the moment; None and empty is what it does not."""

    interaction_id: str = ""
    bracket: Bracket | None = None
    score: float | None = None
    next_agent: str = ""
    agent_done: bool | None = None
    task: str = ""
    progress: str = ""
    pending: tuple[str, ...] = ()
    mode: str | None = None


class Decision(NamedTuple):
    """The session's wear and every spawn criterion that holds."""

    wear: Wear
    next_agent: str
    reasons: tuple[str, ...]


def decide(call: Call, workspace: Workspace, session_id: str, sources: Sources, told: Told) -> Decision:
    """Counts the interaction and names the criteria that hold; the counts are kept per session."""
    pipeline = sources.pipeline
    score = told.score if told.score is not None else score_of(pipeline, sources.agent) if pipeline else None
    interaction = Interaction(told.interaction_id, told.bracket, sources.agent, score)
    with call.database.write() as tx:
        counted = after_interaction(store.counted_of(tx, workspace.project_key, session_id), interaction)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return decided(counted, following(pipeline, told))


def decided(counted: Counted, waiting: str) -> Decision:
    """Judges what was counted; `waiting` is the agent that waits while this one is done."""
    wear = wear_of(counted, next_agent_pending=bool(waiting))
    return Decision(wear, waiting, spawn_reasons(wear))


def following(pipeline: Pipeline | None, told: Told) -> str:
    """Names the agent that waits while this one is done: as the host says, else as the session file says."""
    if told.agent_done is False:
        return ""
    known = next_agent(pipeline, is_done=bool(told.agent_done)) if pipeline is not None else ""
    return told.next_agent or known if told.agent_done else known


def count_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: Sources
) -> Counted:
    """Counts a compaction by its id, unless it is known.

    The score it is held against is the session file's where the host told none.
    """
    with call.database.write() as tx:
        before = store.counted_of(tx, workspace.project_key, session_id)
        if compaction_id in before.compaction_ids:
            return before
        counted = after_compaction(_with_score(before, sources), compaction_id)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return counted


def follow_compaction(
    call: Call, workspace: Workspace, session_id: str, compaction_id: str, sources: Sources
) -> tuple[Counted, bool]:
    """Keeps that a compaction is over, counts it unless it was counted before it began, and says if all was known."""
    with call.database.write() as tx:
        before = store.counted_of(tx, workspace.project_key, session_id)
        if compaction_id in before.followed_ids:
            return before, True
        is_counted = compaction_id in before.compaction_ids
        counted = after_following(before if is_counted else _with_score(before, sources), compaction_id)
        store.put_counted(tx, workspace.project_key, session_id, counted, call.now_ms())
    return counted, False


def _with_score(before: Counted, sources: Sources) -> Counted:
    pipeline = sources.pipeline
    score = score_of(pipeline, sources.agent) if pipeline is not None else None
    is_told = before.agent == sources.agent and before.score is not None
    return after_interaction(before, Interaction(agent=sources.agent, score=None if is_told else score))


class Shown(NamedTuple):
    """What a continuation tells beside the project's own files."""

    session: str
    written_at: str
    """RFC 3339."""
    decision: Decision
    memories: tuple[Memory, ...] | None
    """None where they are told elsewhere."""


def continuation_of(sources: Sources, told: Told, shown: Shown) -> str:
    """Gives what a session needs to go on, as text; secrets are masked."""
    pipeline = sources.pipeline
    mode = mode_of(told.mode, pipeline.state if pipeline else "", sources.config, "")
    digests = digests_of(sources)
    handoff = sources.handoff
    return continuation_text(
        Continuation(
            session=redact(shown.session),
            written_at=shown.written_at,
            reasons=shown.decision.reasons,
            mode=mode.name,
            rules=fitted(digests, RULES_TOKENS).lines if digests else (),
            agent=sources.agent,
            next_agent=shown.decision.next_agent,
            pipeline=pipeline,
            handoff=handoff_of(handoff.path.rpartition("/")[2], handoff.text) if handoff is not None else None,
            task=told.task or (pipeline.task if pipeline else ""),
            progress=told.progress,
            pending=told.pending,
            memories=shown.memories,
        )
    )


def write_continuation(workspace: Workspace, text: str) -> str:
    """Writes the continuation file and gives its path below the project."""
    return write_own(workspace.project, CONTINUATION_FOLDER, CONTINUATION_FILE, text.encode("utf-8", "replace"))
