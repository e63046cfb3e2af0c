"""`context/postCompact` and `context/continuation`: how a session continues."""

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.block.compose_block import BlockRequest, compose_result, load_memories, task_text
from sidecar.context.brackets import Bracket, bracket_with_hysteresis, remaining_context
from sidecar.context.model import (
    ContextContinuationParams,
    ContextContinuationResult,
    ContextPostCompactParams,
    ContextPostCompactResult,
    IdeCapabilities,
    RestartCounters,
)
from sidecar.context.project.project_files import read_sources
from sidecar.context.recovery.continuation import (
    ContinuationInputs,
    RestartDecision,
    SessionFacts,
    build_continuation,
    count_interaction,
    evaluate,
    finish_compaction,
    waiting_agent,
    write_continuation,
)
from sidecar.context.recovery.resume_point import ResumePoint
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.ides import IDES, RESUME_COMMAND
from sidecar.memory import preload
from sidecar.method import Lane, method
from sidecar.workspace import Workspace


def post_compact(call: Call, params: ContextPostCompactParams) -> ContextPostCompactResult:
    """Return what a session that was just compacted needs to continue where it stopped, without action by the user.

    The bracket is FRESH again: the block has all layers and, this once, what `context/preCompact` captured and the HOT
    memories within the token's reach. Absent values are as sent then. The compaction counts towards a restart, once,
    whoever reported it. Nothing is written into the project.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    resume_point = _load_resume_point(call, workspace, params.session_id)
    compaction_id = params.compaction_id or (resume_point.compaction_id if resume_point is not None else None)
    if compaction_id is None:
        raise InvalidParams(
            "The compaction is not identified.", hint="Send `compactionId`, or call `context/preCompact` first."
        )
    agent, facts = _session_facts(params, resume_point, "FRESH")
    sources = read_sources(workspace.project, workspace.cwd, agent)
    captured_ids = (
        resume_point.memories if resume_point is not None and resume_point.compaction_id == compaction_id else ()
    )
    memories = load_memories(
        call,
        workspace,
        params.token,
        "FRESH",
        task=task_text(facts.task or None, sources),
        is_first=True,
        captured_ids=captured_ids,
    )
    record, is_known = finish_compaction(call, workspace, params.session_id, compaction_id, sources)
    decision = evaluate(record, waiting_agent(sources.pipeline, facts))
    inputs = ContinuationInputs(params.session_id, call.now(), decision, None)
    return ContextPostCompactResult(
        context=compose_result(sources, BlockRequest("FRESH", facts.mode, facts.task or None, memories)),
        prompt=build_continuation(sources, facts, inputs),
        compactions=record.compactions,
        restart=bool(decision.reasons),
        reasons=list(decision.reasons),
        duplicate=is_known,
    )


def continuation(call: Call, params: ContextContinuationParams) -> ContextContinuationResult:
    """Count an interaction and return whether a new session should start, with every criterion that is met.

    The criteria: 3 compactions, a score that fell by more than 15 %, CRITICAL 3 times in a row, or an agent that is
    done while another waits. If one is met, `.chati/continuation/latest.md` is written: rules, pipeline, task and
    progress, pending decisions, HOT memories within the token's reach.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    agent, facts = _session_facts(params, _load_resume_point(call, workspace, params.session_id), _bracket(params))
    facts = facts._replace(
        interaction_id=params.interaction_id or "",
        score=params.score,
        next_agent=params.next_agent or "",
        agent_done=params.agent_done,
    )
    sources = read_sources(workspace.project, workspace.cwd, agent)
    decision = count_interaction(call, workspace, params.session_id, sources, facts)
    ide = IDES[params.ide]
    text, path, warnings = None, None, list(sources.warnings)
    if decision.reasons or params.force:
        loaded = preload(call, workspace, params.token)
        inputs = ContinuationInputs(params.session_id, call.now(), decision, loaded.memories)
        text = build_continuation(sources, facts, inputs)
        try:
            path = write_continuation(workspace, text)
        except (PolicyDenied, WorkspaceUnavailable) as error:
            warnings.append(error.message)
    return ContextContinuationResult(
        restart=bool(decision.reasons),
        reasons=list(decision.reasons),
        counters=_restart_counters(decision),
        ide=IdeCapabilities(
            name=params.ide, restarts_automatically=ide.restarts_automatically, level1=ide.level_1, level2=ide.level_2
        ),
        path=path,
        prompt=text,
        resume_command=RESUME_COMMAND if path is not None else None,
        warnings=warnings,
    )


def _load_resume_point(call: Call, workspace: Workspace, session_id: str) -> ResumePoint | None:
    with call.database.read() as tx:
        return store.load_resume_point(tx, workspace.project_key, session_id)


def _session_facts(
    params: ContextContinuationParams | ContextPostCompactParams,
    resume_point: ResumePoint | None,
    bracket: Bracket | None,
) -> tuple[str | None, SessionFacts]:
    """Return the agent and the session's facts; values the host leaves out are as before the compaction."""
    before = resume_point or ResumePoint("", 0, 0)
    pending = before.pending or () if params.pending_decisions is None else tuple(params.pending_decisions)
    facts = SessionFacts(
        bracket=bracket,
        task=_first_known(params.task, before.task) or "",
        progress=_first_known(params.progress, before.progress) or "",
        pending=pending,
        mode=_first_known(params.mode, before.mode),
    )
    return _first_known(params.agent, before.agent), facts


def _first_known(reported: str | None, before: str | None) -> str | None:
    return before if reported is None else reported


def _bracket(params: ContextContinuationParams) -> Bracket | None:
    if params.bracket is None and params.usage is not None:
        return bracket_with_hysteresis(remaining_context(params.usage.reported).percent, None, 0.0)
    return params.bracket


def _restart_counters(decision: RestartDecision) -> RestartCounters:
    counters = decision.counters
    return RestartCounters(
        compactions=counters.compactions,
        critical_in_a_row=counters.critical_in_a_row,
        score_before=counters.last_score,
        score=counters.score,
        next_agent=decision.next_agent or None,
    )


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (
    method("context/postCompact", post_compact, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("context/continuation", continuation, lane=Lane.WORKSPACE, errors=_ERRORS),
)
