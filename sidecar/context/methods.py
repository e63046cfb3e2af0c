"""`context/bracket`, `compose`, `preCompact`, `postCompact` and `continuation`.

What a session knows is saved before its window is compacted; afterwards it continues from there.
"""

import os

from pydantic import ValidationError

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.brackets import BRACKETS, Bracket, bracket_with_hysteresis, remaining_context
from sidecar.context.compose_block import (
    BlockRequest,
    compose_result,
    instructions_of_project,
    load_memories,
    task_text,
    without_instructions,
)
from sidecar.context.continuation_file import ContinuationInputs, build_continuation, write_continuation
from sidecar.context.model import (
    ContextBracketParams,
    ContextBracketResult,
    ContextComposeParams,
    ContextComposeResult,
    ContextContinuationParams,
    ContextContinuationResult,
    ContextPostCompactParams,
    ContextPostCompactResult,
    ContextPreCompactParams,
    ContextPreCompactResult,
    IdeCapabilities,
    RestartCounters,
)
from sidecar.context.project_files import SESSION, read_project_sources
from sidecar.context.restart_decision import (
    ContinuationFacts,
    RestartDecision,
    count_compaction,
    count_interaction,
    finish_compaction,
    restart_decision,
    waiting_agent,
)
from sidecar.context.store import ResumePoint, mask_secrets, receives_anchor, session_file_values
from sidecar.core.clock import DAY_MS
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.core.ide_rules_files import IDES, RESUME_COMMAND
from sidecar.memory import (
    SHARED,
    CaptureContext,
    CaptureResult,
    MemoryCaptureResult,
    Reach,
    SessionSummary,
    capture_session_summary,
    captured_until,
    preload,
    reach_of,
    read_transcript,
    session_memories,
    session_source,
    to_capture_result,
    to_session_summary,
)
from sidecar.method import Lane, method
from sidecar.session import save_session_values
from sidecar.transcripts.transcript_tail import read_tail
from sidecar.workspace import Workspace


def pre_compact(call: Call, params: ContextPreCompactParams) -> ContextPreCompactResult:
    """Save what a session knows before its window is compacted, so that `context/postCompact` continues from there.

    1. Capture the session summary: queued run results, the transcript since then, and what the host sends. 2. HOT and
    WARM memories are files already, so with the summary written, none of them exists only in our state. 3. Store the
    resume point in our state and, if the project has one, in `.chati/session.yaml`, whose other bytes stay unchanged.
    The compaction is counted here, and not again afterwards. The call is idempotent, and a repeated call completes one
    that crashed. Unless the mode is active, nothing is written into the project, and would-be captures are counted as
    suppressed.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, params.token)
    resume_point = _find_or_create_resume_point(call, workspace, params)
    if (stored_result := _stored_result(resume_point)) is not None:
        return stored_result
    sources = read_project_sources(workspace.project, workspace.cwd, params.agent)
    record = count_compaction(call, workspace, params.session_id, resume_point.compaction_id, sources)
    warnings: list[str] = []
    captured = _capture_summary(call, workspace, params, reach, resume_point, warnings)
    is_saved = _save_session_file(call, workspace, resume_point, record.compactions, warnings)
    result = ContextPreCompactResult(
        compaction_id=resume_point.compaction_id,
        captured=captured,
        hot=preload(call, workspace, params.token, "hot").total,
        warm=preload(call, workspace, params.token, "warm").total,
        saved=is_saved,
        compactions=record.compactions,
        warnings=warnings,
        duplicate=False,
    )
    _save_result(call, workspace, params.session_id, resume_point, result)
    return result


def _stored_result(resume_point: ResumePoint) -> ContextPreCompactResult | None:
    """Return the result of an earlier call; None without one, or if an earlier version with other fields stored it."""
    if resume_point.result is None:
        return None
    try:
        return ContextPreCompactResult.model_validate({**resume_point.result, "duplicate": True})
    except ValidationError:
        return None


def _find_or_create_resume_point(call: Call, workspace: Workspace, params: ContextPreCompactParams) -> ResumePoint:
    """Store the resume point once; a repeated call continues with the stored one."""
    compaction_id = params.compaction_id or _transcript_compaction_id(params.transcript_path)
    captured_until_ms = captured_until(call.process, workspace, params.session_id)
    with call.database.write() as tx:
        stored = store.load_resume_point(tx, workspace.project_key, params.session_id)
        if stored is not None and stored.compaction_id == compaction_id:
            return stored
        pending = None if params.pending_decisions is None else tuple(params.pending_decisions)
        reported = params.agent, params.mode, params.task, params.progress, pending
        resume_point = mask_secrets(ResumePoint(compaction_id, call.now_ms(), captured_until_ms, *reported))
        store.save_resume_point(tx, workspace.project_key, params.session_id, resume_point, call.now_ms())
    return resume_point


def _transcript_compaction_id(transcript_path: str | None) -> str:
    """Identify a compaction by the transcript's size at that moment."""
    try:
        size = os.stat(transcript_path).st_size if transcript_path is not None else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise InvalidParams(
            "The compaction is not identified.",
            hint="Send `compactionId`, or a `transcriptPath` that exists.",
        )
    return f"at-{size}"


def _capture_summary(
    call: Call,
    workspace: Workspace,
    params: ContextPreCompactParams,
    reach: Reach,
    resume_point: ResumePoint,
    warnings: list[str],
) -> MemoryCaptureResult | None:
    """Capture the session summary; None, with a warning, when that fails."""
    context = CaptureContext(call.process, workspace, reach, "preCompact", automatic=True)
    try:
        done = capture_session_summary(context, _session_summary(params, resume_point, warnings))
    except (PolicyDenied, StateDegraded, WorkspaceUnavailable, Busy) as error:
        warnings.append(f"The session summary is not captured: {error.message}")
        return None
    _save_memory_ids(call, workspace, params.session_id, resume_point, done)
    return to_capture_result(done)


def _session_summary(params: ContextPreCompactParams, resume_point: ResumePoint, warnings: list[str]) -> SessionSummary:
    """Combine the transcript since the last capture with what the host sends."""
    source = params.run_id or session_source(
        params.session_id, f"{resume_point.compaction_id}:{short_id(resume_point.at_ms)}"
    )
    summary = to_session_summary(params.session_id, source, params.summary, params.text, resume_point.at_ms)
    if params.transcript_path is None:
        return summary
    tail = read_tail(params.transcript_path, resume_point.captured_until_ms)
    if tail is None:
        warnings.append("The transcript cannot be read, so only what the host sent is captured.")
        return summary
    transcript_summary = read_transcript(tail.lines, resume_point.captured_until_ms, params.cwd)
    return summary._replace(
        utterances=transcript_summary.utterances + summary.utterances, errors=transcript_summary.errors + summary.errors
    )


def _save_memory_ids(
    call: Call, workspace: Workspace, session_id: str, resume_point: ResumePoint, done: CaptureResult
) -> None:
    """Store the ids of captured memories, also for a call that completes this one."""
    of_runs = session_memories(call.process, workspace, session_id, call.now_ms() - DAY_MS)
    ids = tuple(dict.fromkeys((*resume_point.memories, *of_runs, *done.new, *done.repeated)))
    if ids != resume_point.memories:
        with call.database.write() as tx:
            store.save_resume_point(
                tx, workspace.project_key, session_id, resume_point._replace(memories=ids), call.now_ms()
            )


def _save_session_file(
    call: Call, workspace: Workspace, resume_point: ResumePoint, compactions: int, warnings: list[str]
) -> bool:
    """Save the resume point in the project's session file, if there is one and the mode is active."""
    if call.process.settings(workspace.project_key).mode != "active":
        return False
    problem = save_session_values(workspace.project, session_file_values(resume_point, compactions))
    if problem:
        warnings.append(problem)
    return not problem and os.path.isfile(os.path.join(workspace.project, SESSION))


def _save_result(
    call: Call, workspace: Workspace, session_id: str, resume_point: ResumePoint, answer: ContextPreCompactResult
) -> None:
    """Store the result once everything is done; when the summary was not captured, the next call tries again."""
    if answer.captured is None:
        return
    with call.database.write() as tx:
        current = store.load_resume_point(tx, workspace.project_key, session_id)
        if current is not None and current.compaction_id == resume_point.compaction_id:
            completed = current._replace(result=answer.model_dump(mode="json", by_alias=True))
            store.save_resume_point(tx, workspace.project_key, session_id, completed, call.now_ms())


def post_compact(call: Call, params: ContextPostCompactParams) -> ContextPostCompactResult:
    """Return what a session that was just compacted needs to continue where it stopped, without action by the user.

    The bracket is FRESH again: the block has all layers and, this once, what `context/preCompact` captured and the HOT
    memories within the token's reach. Values not sent are those sent to `context/preCompact`. The compaction counts
    towards a restart, once, whoever reported it. Nothing is written into the project.
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
    sources = read_project_sources(workspace.project, workspace.cwd, agent)
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
    decision = restart_decision(record, waiting_agent(sources.pipeline, facts))
    inputs = ContinuationInputs(params.session_id, call.now(), decision, None)
    instructions = instructions_of_project(call, workspace)
    with call.database.read() as tx:
        has_anchor = store.receives_anchor(tx, params.session_id)
    request = BlockRequest(
        "FRESH",
        facts.mode,
        facts.task or None,
        without_instructions(memories, instructions),
        () if has_anchor else instructions,
    )
    return ContextPostCompactResult(
        context=compose_result(sources, request),
        prompt=build_continuation(sources, facts, inputs),
        compactions=record.compactions,
        restart=bool(decision.reasons),
        reasons=list(decision.reasons),
        duplicate=is_known,
    )


def continuation(call: Call, params: ContextContinuationParams) -> ContextContinuationResult:
    """Count an interaction and return whether a new session should start, with every criterion that is met.

    The criteria: 3 compactions, a score that fell by more than 15 %, CRITICAL 3 times in a row, or an agent that is
    done while another waits. If one is met, `.chati/continuation/latest.md` is written in active mode: rules, pipeline,
    task and progress, pending decisions, shared HOT memories, and private ones of the agent that continues, with its
    token.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    agent, facts = _session_facts(
        params, _load_resume_point(call, workspace, params.session_id), _current_bracket(params)
    )
    facts = facts._replace(
        interaction_id=params.interaction_id or "",
        score=params.score,
        next_agent=params.next_agent or "",
        agent_done=params.agent_done,
    )
    sources = read_project_sources(workspace.project, workspace.cwd, agent)
    decision = count_interaction(call, workspace, params.session_id, sources, facts)
    ide = IDES[params.ide]
    text, path, warnings = None, None, list(sources.warnings)
    if decision.reasons or params.force:
        loaded = preload(call, workspace, params.token)
        reader = decision.next_agent or sources.agent
        memories = tuple(memory for memory in loaded.memories if memory.owner in (SHARED, reader))
        inputs = ContinuationInputs(params.session_id, call.now(), decision, memories)
        text = build_continuation(sources, facts, inputs)
        path = _write_continuation(call, workspace, text, warnings)
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


def _write_continuation(call: Call, workspace: Workspace, text: str, warnings: list[str]) -> str | None:
    """Write the continuation file in active mode, and return its path; None, with a warning, when that fails."""
    if call.process.settings(workspace.project_key).mode != "active":
        return None
    try:
        return write_continuation(workspace, text)
    except (PolicyDenied, WorkspaceUnavailable) as error:
        warnings.append(error.message)
        return None


def _load_resume_point(call: Call, workspace: Workspace, session_id: str) -> ResumePoint | None:
    with call.database.read() as tx:
        return store.load_resume_point(tx, workspace.project_key, session_id)


def _session_facts(
    params: ContextContinuationParams | ContextPostCompactParams,
    resume_point: ResumePoint | None,
    bracket: Bracket | None,
) -> tuple[str | None, ContinuationFacts]:
    """Return the agent and the session's facts; values the host leaves out are as before the compaction."""
    before = resume_point or ResumePoint("", 0, 0)
    pending = before.pending or () if params.pending_decisions is None else tuple(params.pending_decisions)
    facts = ContinuationFacts(
        bracket=bracket,
        task=_first_known(params.task, before.task) or "",
        progress=_first_known(params.progress, before.progress) or "",
        pending=pending,
        mode=_first_known(params.mode, before.mode),
    )
    return _first_known(params.agent, before.agent), facts


def _first_known(reported: str | None, before: str | None) -> str | None:
    return before if reported is None else reported


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


def bracket(call: Call, params: ContextBracketParams) -> ContextBracketResult:  # noqa: ARG001  (every method takes both)
    """Return a window's bracket: FRESH from 60 % remaining, MODERATE from 40, DEPLETED from 25, otherwise CRITICAL.

    Reported tokens win over a percentage, and a percentage over an estimate from prompts × average tokens. With a
    margin (hysteresis) a roomier bracket than the previous one starts only that far above its bound; a tighter one at
    once.
    """
    remaining = remaining_context(params.reported)
    bracket_name = bracket_with_hysteresis(remaining.percent, params.previous, params.hysteresis)
    limits = BRACKETS[bracket_name]
    return ContextBracketResult(
        bracket=bracket_name,
        remaining_percent=remaining.percent,
        source=remaining.source,
        used_tokens=remaining.used_tokens,
        budget_tokens=limits.tokens,
        layers=list(limits.layers),
        memory_level=limits.memory,
        behavior=limits.behavior,
    )


def compose_block(call: Call, params: ContextComposeParams) -> ContextComposeResult:
    """Return the `<chati-context>` block for an agent's prompt: the bracket's layers within its token budget.

    The project's own files are read (constitution, configuration, agents, session, hand-offs; without them its
    instruction files), and nothing is written. Constitution and mode are in every bracket; memories depend on its
    level: none when FRESH, except once after a compaction or resume; HOT ones first, then those relevant to the task.
    The user's standing instructions are in every bracket, for a session that has no anchor. Texts are data: secrets are
    masked, and none can forge the block's structure.
    """
    return compose_for(call, params, has_anchor=_receives_anchor(call, params.session_id))


def compose_for(call: Call, params: ContextComposeParams, *, has_anchor: bool) -> ContextComposeResult:
    """Compose the block; a session with an anchor has the standing instructions in it."""
    bracket_name = _bracket(params)
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    sources = read_project_sources(workspace.project, workspace.cwd, params.agent)
    is_first = params.after_compaction or params.resumed
    task = task_text(params.task, sources)
    memories = load_memories(call, workspace, params.token, bracket_name, task=task, is_first=is_first)
    instructions = instructions_of_project(call, workspace)
    request = BlockRequest(
        bracket_name,
        params.mode,
        params.task,
        without_instructions(memories, instructions),
        () if has_anchor else instructions,
    )
    return compose_result(sources, request)


def _receives_anchor(call: Call, session_id: str | None) -> bool:
    if session_id is None:
        return False
    with call.database.read() as tx:
        return receives_anchor(tx, session_id)


def _bracket(params: ContextComposeParams) -> Bracket:
    current = _current_bracket(params)
    if current is None:
        raise InvalidParams(
            "`bracket` and `usage` are both missing.",
            hint="Send `bracket` as returned by `context/bracket`, or `usage`.",
        )
    return current


def _current_bracket(params: ContextComposeParams | ContextContinuationParams) -> Bracket | None:
    """Return the bracket that the host sends, or that of the usage it reports."""
    if params.bracket is None and params.usage is not None:
        return bracket_with_hysteresis(remaining_context(params.usage.reported).percent, None, 0.0)
    return params.bracket


METHODS = (
    method("context/bracket", bracket, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method(
        "context/compose", compose_block, lane=Lane.SHARED, errors=(WorkspaceUnavailable, PolicyDenied, StateDegraded)
    ),
    method("context/preCompact", pre_compact, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("context/postCompact", post_compact, lane=Lane.WORKSPACE, errors=(*_ERRORS, InvalidParams)),
    method("context/continuation", continuation, lane=Lane.WORKSPACE, errors=_ERRORS),
)
