"""`context/postCompact` and `context/continuation`: how a session goes on."""

from sidecar.call import Call
from sidecar.context import continuing
from sidecar.context.brackets import settled
from sidecar.context.composing import composed, remembered_in
from sidecar.context.ides import IDES, RESUME
from sidecar.context.layers import Wanted
from sidecar.context.recovery_model import (
    ContextContinuationParams,
    ContextContinuationResult,
    ContextPostCompactParams,
    ContextPostCompactResult,
    IdeContinuing,
    SessionWear,
)
from sidecar.context.remaining import remaining_of
from sidecar.context.sources import gather
from sidecar.core.errors import Busy, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory import preload
from sidecar.method import Lane, method


def post_compact(call: Call, params: ContextPostCompactParams) -> ContextPostCompactResult:
    """Gives what a session that was just compacted needs to go on where it stopped; the user does nothing.

    The bracket is FRESH again: the block has all layers and, this once, the HOT memories within the token's reach. The
    compaction is counted for the spawn decision; told twice it counts once. Nothing is written into the project.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    sources = gather(workspace.project, workspace.cwd, params.agent)
    remembered = remembered_in(call, workspace, params.token, "FRESH", is_first=True)
    counted, is_known = continuing.count_compaction(call, workspace, params.session_id, params.compaction_id, sources)
    told = continuing.Told(
        "",
        "FRESH",
        None,
        "",
        None,
        params.task or "",
        params.progress or "",
        tuple(params.pending_decisions),
        params.mode,
    )
    decision = continuing.decided(counted, continuing.following(sources.pipeline, told))
    shown = continuing.Shown(params.session_id, call.now(), decision, None)
    return ContextPostCompactResult(
        context=composed(sources, Wanted("FRESH", params.mode, params.task, remembered)),
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
    sources = gather(workspace.project, workspace.cwd, params.agent)
    told = _told(params)
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


def _told(params: ContextContinuationParams) -> continuing.Told:
    found = params.bracket
    if found is None and params.usage is not None:
        found = settled(remaining_of(params.usage.said).percent, None, 0.0)
    return continuing.Told(
        params.interaction_id or "",
        found,
        params.score,
        params.next_agent or "",
        params.agent_done,
        params.task or "",
        params.progress or "",
        tuple(params.pending_decisions),
        params.mode,
    )


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
    method("context/postCompact", post_compact, lane=Lane.WORKSPACE, errors=_ERRORS),
    method("context/continuation", continuation, lane=Lane.WORKSPACE, errors=_ERRORS),
)
