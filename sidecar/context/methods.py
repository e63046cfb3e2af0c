"""`context/bracket`, `context/compose` and `context/continuation`."""

import os

from sidecar.call import Call
from sidecar.context import continuing
from sidecar.context.brackets import BRACKETS, Bracket, settled
from sidecar.context.data import data_of, layers_of
from sidecar.context.ides import IDES, RESUME
from sidecar.context.layers import Wanted, compose
from sidecar.context.model import (
    ContextBracketParams,
    ContextBracketResult,
    ContextComposeParams,
    ContextComposeResult,
    TrimmedPart,
)
from sidecar.context.recovery_model import (
    ContextContinuationParams,
    ContextContinuationResult,
    IdeContinuing,
    SessionWear,
)
from sidecar.context.remaining import remaining_of
from sidecar.context.remembered import CONTINUATION, Remembered, asks_for_memories
from sidecar.context.sources import gather
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.tokens import estimate_tokens
from sidecar.memory import preload
from sidecar.method import Lane, method
from sidecar.workspace import Workspace


def bracket(call: Call, params: ContextBracketParams) -> ContextBracketResult:
    """Gives the bracket of a context window: FRESH from 60 % that remain, MODERATE from 40, DEPLETED from 25, CRITICAL.

    Reported tokens count before a percentage, that before an estimate of prompts × average tokens. With a margin
    (hysteresis) a roomier bracket than the previous one begins only so far beyond its bound; a tighter one at once.
    """
    remaining = remaining_of(params.said)
    margin = params.hysteresis
    if margin is None:
        margin = float(call.settings(params.project_path)["context.hysteresisPercent"])
    found = settled(remaining.percent, params.previous, margin)
    bounds = BRACKETS[found]
    return ContextBracketResult(
        bracket=found,
        remaining_percent=remaining.percent,
        source=remaining.source,
        used_tokens=remaining.used_tokens,
        budget_tokens=bounds.tokens,
        layers=list(bounds.layers),
        memory_level=bounds.memory,
        behavior=bounds.behavior,
    )


def compose_block(call: Call, params: ContextComposeParams) -> ContextComposeResult:
    """Gives the `<chati-context>` block for an agent's prompt: the bracket's layers within its token budget.

    Reads the project's own files (constitution, configuration, agents, session, hand-offs; without them its
    instruction files) and writes nothing. Constitution and mode are there in every bracket; memories by its level:
    none when fresh, but once after a compaction or resume. Texts are data: secrets are masked, and none can forge the
    block's structure.
    """
    found = _bracket(params)
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    sources = gather(workspace.project, workspace.cwd, params.agent)
    is_first = params.after_compaction or params.resumed
    remembered = _remembered(call, workspace, params.token, found, is_first=is_first)
    composed = compose(sources, Wanted(found, params.mode, params.task, remembered))
    return ContextComposeResult(
        block=composed.text,
        data=data_of(found, composed.elements),
        bracket=found,
        layers=layers_of(composed.elements),
        tokens=estimate_tokens(composed.text),
        budget_tokens=BRACKETS[found].tokens,
        trimmed=[TrimmedPart(layer=one.layer, part=one.part, reason=one.reason) for one in composed.trimmed],
        warnings=list(composed.warnings),
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
        text = continuing.continuation_of(call, workspace, params.session_id, sources, told, decision, params.token)
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


def _bracket(params: ContextComposeParams) -> Bracket:
    if params.bracket is not None:
        return params.bracket
    if params.usage is None:
        raise InvalidParams(
            "A block is made for a bracket.", hint="Send `bracket` as `context/bracket` gave it, or `usage`."
        )
    return settled(remaining_of(params.usage.said).percent, None, 0.0)


def _remembered(call: Call, workspace: Workspace, token: str | None, found: Bracket, *, is_first: bool) -> Remembered:
    """The HOT memories within reach, where the bracket tells of any."""
    has_continuation = os.path.isfile(os.path.join(workspace.project, CONTINUATION))
    if not asks_for_memories(found, is_first=is_first):
        return Remembered(has_continuation=has_continuation)
    loaded = preload(call, workspace, token)
    return Remembered(loaded.memories, loaded.total, is_first, has_continuation, loaded.warning)


METHODS = (
    method("context/bracket", bracket, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method(
        "context/compose", compose_block, lane=Lane.SHARED, errors=(WorkspaceUnavailable, PolicyDenied, StateDegraded)
    ),
    method(
        "context/continuation",
        continuation,
        lane=Lane.WORKSPACE,
        errors=(WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy),
    ),
)
