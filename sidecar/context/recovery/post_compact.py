"""`context/postCompact` and `context/continuation`: how a session goes on."""

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.block.compose_block import composed, remembered_in, task_of
from sidecar.context.block.layers import Wanted
from sidecar.context.brackets import Bracket, settled
from sidecar.context.model import (
    ContextContinuationParams,
    ContextContinuationResult,
    ContextPostCompactParams,
    ContextPostCompactResult,
    IdeContinuing,
    SessionWear,
)
from sidecar.context.project.project_files import gather
from sidecar.context.recovery import continuation as continuing
from sidecar.context.recovery.continuation import IDES, RESUME
from sidecar.context.recovery.resume_point import Halt
from sidecar.context.window import remaining_of
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory import preload
from sidecar.method import Lane, method
from sidecar.workspace import Workspace


def post_compact(call: Call, params: ContextPostCompactParams) -> ContextPostCompactResult:
    """Gives what a session that was just compacted needs to go on where it stopped; the user does nothing.

    The bracket is FRESH again: the block has all layers and, this once, what `context/preCompact` captured and the HOT
    memories within the token's reach. What is not told is as it was told then. The compaction is counted for the spawn
    decision, once, whoever told of it. Nothing is written into the project.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    halt = _halt(call, workspace, params.session_id)
    compaction_id = params.compaction_id or (halt.compaction_id if halt is not None else None)
    if compaction_id is None:
        raise InvalidParams(
            "Which compaction this is was not said.", hint="Send `compactionId`, or call `context/preCompact` before."
        )
    agent, told = _told_of(params, halt, "FRESH")
    sources = gather(workspace.project, workspace.cwd, agent)
    kept = halt.memories if halt is not None and halt.compaction_id == compaction_id else ()
    remembered = remembered_in(
        call, workspace, params.token, "FRESH", task=task_of(told.task or None, sources), is_first=True, kept=kept
    )
    counted, is_known = continuing.follow_compaction(call, workspace, params.session_id, compaction_id, sources)
    decision = continuing.decided(counted, continuing.following(sources.pipeline, told))
    shown = continuing.Shown(params.session_id, call.now(), decision, None)
    return ContextPostCompactResult(
        context=composed(sources, Wanted("FRESH", told.mode, told.task or None, remembered)),
        prompt=continuing.continuation_of(sources, told, shown),
        compactions=counted.compactions,
        spawn=bool(decision.reasons),
        reasons=list(decision.reasons),
        duplicate=is_known,
    )


def continuation(call: Call, params: ContextContinuationParams) -> ContextContinuationResult:
    """Counts an interaction and says whether a new session should begin, with every criterion that holds.

    A new one is due after 3 compactions, a score that fell by more than 15 %, CRITICAL 3 times in a row, or when the
    agent is done and another waits. Then `.chati/continuation/latest.md` is written: rules, pipeline, task and
    progress, pending decisions, HOT memories within the token's reach.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    agent, told = _told_of(params, _halt(call, workspace, params.session_id), _bracket(params))
    told = told._replace(
        interaction_id=params.interaction_id or "",
        score=params.score,
        next_agent=params.next_agent or "",
        agent_done=params.agent_done,
    )
    sources = gather(workspace.project, workspace.cwd, agent)
    decision = continuing.decide(call, workspace, params.session_id, sources, told)
    ide = IDES[params.ide]
    text, path, warnings = None, None, list(sources.warnings)
    if decision.reasons or params.force:
        loaded = preload(call, workspace, params.token)
        shown = continuing.Shown(params.session_id, call.now(), decision, loaded.memories)
        text = continuing.continuation_of(sources, told, shown)
        try:
            path = continuing.write_continuation(workspace, text)
        except (PolicyDenied, WorkspaceUnavailable) as error:
            warnings.append(error.message)
    return ContextContinuationResult(
        spawn=bool(decision.reasons),
        reasons=list(decision.reasons),
        wear=_wear(decision),
        ide=IdeContinuing(name=params.ide, spawns_itself=ide.spawns_itself, level1=ide.level_1, level2=ide.level_2),
        path=path,
        prompt=text,
        resume_command=RESUME if path is not None else None,
        warnings=warnings,
    )


def _halt(call: Call, workspace: Workspace, session_id: str) -> Halt | None:
    with call.database.read() as tx:
        return store.halt_of(tx, workspace.project_key, session_id)


def _told_of(
    params: ContextContinuationParams | ContextPostCompactParams, halt: Halt | None, bracket: Bracket | None
) -> tuple[str | None, continuing.Told]:
    """Gives the agent, and what is told of the moment; what the host leaves out is as it was before the compaction."""
    before = halt or Halt("", 0, 0)
    pending = before.pending or () if params.pending_decisions is None else tuple(params.pending_decisions)
    told = continuing.Told(
        bracket=bracket,
        task=_first(params.task, before.task) or "",
        progress=_first(params.progress, before.progress) or "",
        pending=pending,
        mode=_first(params.mode, before.mode),
    )
    return _first(params.agent, before.agent), told


def _first(said: str | None, before: str | None) -> str | None:
    return before if said is None else said


def _bracket(params: ContextContinuationParams) -> Bracket | None:
    if params.bracket is None and params.usage is not None:
        return settled(remaining_of(params.usage.said).percent, None, 0.0)
    return params.bracket


def _wear(decision: continuing.Decision) -> SessionWear:
    wear = decision.wear
    return SessionWear(
        compactions=wear.compactions,
        critical_in_a_row=wear.critical_in_a_row,
        score_before=wear.last_score,
        score=wear.score,
        next_agent=decision.next_agent or None,
    )


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy)

METHODS = (
    method("context/postCompact", post_compact, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("context/continuation", continuation, lane=Lane.WORKSPACE, errors=_ERRORS),
)
