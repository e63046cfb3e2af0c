"""`continuity/preRun`, step by step: settings, conversation, repository, packs, ledger, response, record."""

import string
from typing import NamedTuple

from sidecar.call import Call
from sidecar.core.clock import Deadline
from sidecar.governor import marker_text
from sidecar.packs.collect import PackInputs, collect_inputs
from sidecar.packs.composition import Composition, select_items
from sidecar.packs.model import GovernorBefore, PreRunParams, PreRunResult
from sidecar.packs.pre_run_record import record_passthrough, record_pre_run
from sidecar.packs.render import render_prompt
from sidecar.packs.request import PackRequest, load_request, sends_system_text
from sidecar.packs.task_pack import PackQuery, query_of_request, remember_query
from sidecar.runs import keys
from sidecar.runs.call_record import LowTokenReuse, PreRunMetadata, StateIds, SystemText


def pack_response(
    request: PackRequest, inputs: PackInputs, composition: Composition, token: str | None
) -> PreRunResult:
    """Return the response with its packs; the token is set when there is something to deliver."""
    active = request.settings.mode == "active"
    has_output = bool(composition.blocks) or composition.system is not None
    inject = active and has_output
    reason = None if inject else "passive" if not active else "nothingToSend"
    metadata = _metadata(request, inputs, composition, injects=inject)
    return PreRunResult(
        action="inject" if inject else "passthrough",
        reason=reason,
        prompt=render_prompt(composition.blocks, request.params.prompt) if inject else request.params.prompt,
        system=composition.system if inject else None,
        blocks=list(composition.blocks) if inject else [],
        governor=_governor_before(request, active=active),
        metadata=metadata,
        delivery_token=token if has_output else None,
    )


def _metadata(request: PackRequest, inputs: PackInputs, composition: Composition, *, injects: bool) -> PreRunMetadata:
    baseline = composition.injected_bytes + composition.reused_bytes
    plan = next((item for item, _ in composition.dispositions if item.key == keys.CONTRACT), None)
    return PreRunMetadata(
        cache_hit=inputs.cache_hit,
        file_hits=inputs.file_hits,
        file_misses=inputs.file_misses,
        injected_bytes=composition.injected_bytes if injects else 0,
        would_inject_bytes=composition.injected_bytes,
        reused_bytes=composition.reused_bytes,
        baseline_bytes=baseline,
        reused_percent=round(100 * composition.reused_bytes / baseline, 1) if baseline else 0.0,
        state_ids=StateIds(
            anchor_pack_id=composition.anchor.id if composition.anchor else None,
            context_pack_id=composition.context_id,
            delta_pack_id=composition.delta_id,
            plan_contract_id=plan.digest if plan else None,
        ),
        trimmed=[*inputs.omissions, *composition.trimmed],
        reuse=LowTokenReuse(delta_only=composition.reuse.delta_only, reason=composition.reuse.reason)
        if composition.reuse
        else None,
        partial=inputs.partial,
        proof=inputs.state.proof if inputs.state else None,
        elapsed_ms=round(request.call.elapsed_ms(), 2),
    )


def _governor_before(request: PackRequest, *, active: bool) -> GovernorBefore:
    starts_fresh = active and request.fresh
    return GovernorBefore(
        action=request.governor_decision.action,
        reasons=list(request.governor_decision.reasons),
        start_fresh_session=starts_fresh,
        marker=marker_text(request.sub_chat.counters, request.carryover)
        if starts_fresh and request.carryover is not None
        else None,
    )


def passthrough_response(call: Call, params: PreRunParams, reason: str, request: PackRequest | None) -> PreRunResult:
    """Return a response that passes the prompt through byte-identical.

    A pinned anchor remains: omitting the system text for one call would break the provider's prompt cache.
    """
    active = request is not None and request.settings.mode == "active"
    pinned = request.resumed_known.anchor if request is not None and active and sends_system_text(params) else None
    system = SystemText(id=pinned.id, text=pinned.text) if pinned else None
    reused_bytes = len(pinned.text.encode()) if pinned else 0
    governor = (
        _governor_before(request, active=False)
        if request
        else GovernorBefore(action="ok", reasons=[], start_fresh_session=False, marker=None)
    )
    return PreRunResult(
        action="passthrough",
        reason=reason,
        prompt=params.prompt,
        system=system,
        blocks=[],
        governor=governor,
        metadata=PreRunMetadata(
            cache_hit=False, file_hits=0, file_misses=0, injected_bytes=0, would_inject_bytes=0,
            reused_bytes=reused_bytes, baseline_bytes=reused_bytes, reused_percent=100.0 if reused_bytes else 0.0,
            state_ids=StateIds(
                anchor_pack_id=pinned.id if pinned else None,
                context_pack_id=None, delta_pack_id=None, plan_contract_id=None,
            ),
            trimmed=[], partial=reason == "deadline", proof=None, elapsed_ms=round(call.elapsed_ms(), 2),
        ),
        delivery_token=None,
    )  # fmt: skip


DEFAULT_DEADLINE_MS = 800

WHITE_SPACE = (
    string.whitespace + "\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
)
"""Characters that the host's `trim` strips before it looks for a slash (ECMAScript white space)."""


class PreRunDecision(NamedTuple):
    """The outcome of a call. Without a composition, the prompt passes through for `reason`."""

    reason: str
    request: PackRequest | None = None
    """None where the call ends before the conversation is loaded."""
    pack_query: PackQuery | None = None
    inputs: PackInputs | None = None
    composition: Composition | None = None


def run(call: Call, params: PreRunParams) -> PreRunResult:
    """Build the response for a run and record it."""
    decision = decide(call, params)
    call.cancellation.check()  # a response nobody receives is not recorded
    token = call.process.new_id()
    result = response_of(call, params, decision, token)
    if decision.pack_query is not None:
        remember_query(params.sub_chat_id, decision.pack_query)
    if decision.request is not None and decision.inputs is not None and decision.composition is not None:
        record_pre_run(decision.request, decision.inputs, decision.composition, result, token)
    elif decision.reason != "off":
        record_passthrough(call, params, decision.request, result, token)
    return result


def decide(call: Call, params: PreRunParams) -> PreRunDecision:
    """Build the packs without recording anything."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off" or params.is_local_model:
        return PreRunDecision("off" if settings.mode == "off" else "localModel")
    request = load_request(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return PreRunDecision("slashCommand", request)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    pack_query = query_of_request(request)
    inputs = collect_inputs(pack_query, params, request.known, deadline, new_task=request.task_is_new)
    if inputs.late:
        return PreRunDecision("deadline", request, pack_query)
    composition = select_items(request, inputs)
    if not _files_are_unchanged(pack_query, inputs, composition):
        retried = collect_inputs(pack_query, params, request.known, deadline, new_task=request.task_is_new)
        if not retried.late:
            inputs, composition = retried, select_items(request, retried)
    return PreRunDecision("", request, pack_query, inputs, composition)


def response_of(call: Call, params: PreRunParams, decision: PreRunDecision, token: str | None) -> PreRunResult:
    """Return the wire response; `token` is the delivery's, if there is one."""
    if decision.request is None or decision.inputs is None or decision.composition is None:
        return passthrough_response(call, params, decision.reason, decision.request)
    return pack_response(decision.request, decision.inputs, decision.composition, token)


def _files_are_unchanged(pack_query: PackQuery, inputs: PackInputs, composition: Composition) -> bool:
    """Whether the files shown are unchanged since the watcher reported them: some writes raise no event."""
    if inputs.state is None or not inputs.state.proof.startswith("watch"):
        return True
    shown = (keys.context_path(item.key) for item in composition.delivered if item.kind == "context")
    paths = [path for path in shown if path is not None]
    return not paths or pack_query.repository.verify_unchanged(paths)
