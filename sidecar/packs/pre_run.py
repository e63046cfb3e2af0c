"""`continuity/preRun`, step by step: settings, conversation, repository, packs, ledger, response, record.

The record holds the task, the pending delivery and its explanation, metrics, and the run's baseline: the state of the
worktree when a run begins, which post-run compares with the state afterwards.
"""

import string
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sidecar.call import Call, Process
from sidecar.codebase import RepositoryState, StateUnavailable
from sidecar.context import record_compaction
from sidecar.core.clean_text import line_count, utf8_size
from sidecar.core.clock import Deadline
from sidecar.core.errors import Busy, SidecarError, StateDegraded
from sidecar.core.redact import redact
from sidecar.daily_metrics import count_call, labelled, latency_bucket
from sidecar.experiment import ChatFacts
from sidecar.experiment.rollout import Placement, place_chat, record_arm
from sidecar.governor import marker_text
from sidecar.packs.collect_inputs import PackInputs, collect_inputs
from sidecar.packs.composition import Composition, select_items
from sidecar.packs.context_pack import shows_content
from sidecar.packs.delta_files import Differences
from sidecar.packs.model import GovernorBefore, PreRunParams, PreRunResult
from sidecar.packs.pack_blocks import PackItem, Priority, render_prompt
from sidecar.packs.request import PackQuery, PackRequest, after_reported_compaction, load_request, query_of_request
from sidecar.runs import CallRecord, DeliveredItem, conversations, entries, ledger, run_records, store_session
from sidecar.runs.pre_run_record import (
    LATE_FILES,
    CallDetails,
    CallTexts,
    Disposition,
    ItemRecord,
    LowTokenReuse,
    PreRunMetadata,
    StateIds,
    SystemText,
    WorktreeBaseline,
    add_baseline,
    call_of_run,
    is_late,
    record_call,
)
from sidecar.settings.resolve import Settings
from sidecar.system.worker_threads import await_future
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    import apsw


def baseline_of(state: RepositoryState | None) -> WorktreeBaseline:
    """Return the head and the digests of what differs from it; nothing if the state is unknown."""
    if state is None:
        return WorktreeBaseline()
    return WorktreeBaseline(head=state.head, changed=entries.changes_of(state).digests)


def current_baseline(process: Process, workspace: Workspace, wait_ms: int) -> WorktreeBaseline:
    """Return the baseline if it is known within `wait_ms`, so that a passthrough is not delayed."""
    repository = workspace.slices.repository
    cached = repository.cached_state()
    if cached is not None:
        return baseline_of(cached[0])
    if not wait_ms:
        return baseline_of(None)
    lookup = process.background.submit(repository.state)
    if not await_future(lookup, wait_ms) or lookup.exception() is not None:
        return baseline_of(None)
    return baseline_of(lookup.result())


def record_baseline_later(process: Process, workspace: Workspace, token: str) -> None:
    """Add the baseline to a call's record once it is known, where the call could not wait for it."""
    try:
        process.background.start(_record_baseline, process, workspace, token)
    except RuntimeError:
        process.log.warning("packs.baseline.unknown", kind="ending")


def _record_baseline(process: Process, workspace: Workspace, token: str) -> None:
    """Record the baseline as late: the run has begun, so its first writes may be part of the baseline."""
    try:
        state = workspace.slices.repository.state()
        with process.database.write(durable=False, keep_generation=True) as tx:
            add_baseline(tx, token, baseline_of(state))
    except (StateUnavailable, SidecarError, OSError) as error:
        process.log.warning("packs.baseline.unknown", kind=type(error).__name__)


BASELINE_WAIT_MS = 150
"""Maximum wait of a passthrough for the worktree's baseline, milliseconds."""


MIN_RECORD_WAIT_MS = 200.0
"""Wait for others who write the state file, also after the deadline: without a record the prompt passes through."""


class PreRunDecision(NamedTuple):
    """The outcome of a call. Without a composition, the prompt passes through for `reason`."""

    reason: str
    placement: Placement
    request: PackRequest | None = None
    """None if the call ends before the conversation is loaded."""
    pack_query: PackQuery | None = None
    inputs: PackInputs | None = None
    composition: Composition | None = None


def record_passthrough(
    call: Call, params: PreRunParams, decision: PreRunDecision, result: PreRunResult, token: str
) -> None:
    """Record why a prompt passed through, and after a missed deadline its task, so that a follow-up is recognized.

    Such a record explains and delivers nothing; post-run only reads the baseline from it, if it is known.
    """
    workspace, request = call.process.workspaces.get(params.cwd, params.project_path), decision.request
    session = request.session.session_id if request is not None and request.session is not None else None
    shadow, now_ms = request is not None and request.is_shadow, call.now_ms()
    details = _passthrough_details(call.process, workspace, result)
    call_record = CallRecord(
        delivery_token=token,
        run_id=params.run_id,
        sub_chat_id=params.sub_chat_id,
        project=workspace.project_key,
        workspace=workspace.key,
        provider=params.provider,
        session_id=session,
        shadow=shadow,
        status="dropped",
        created_at_ms=now_ms,
        details=details,
        texts=CallTexts(system=result.system),
    )
    try:
        has_new_facts = request is not None and request.has_new_facts
        keeps_state = result.reason != "deadline" and not has_new_facts
        wait_ms = max(MIN_RECORD_WAIT_MS, (params.deadline_ms or DEFAULT_DEADLINE_MS) - call.elapsed_ms())
        with call.database.write(durable=False, keep_generation=keeps_state, wait_ms=wait_ms) as tx:
            if request is not None and result.reason == "deadline":
                _put_task(tx, request, now_ms)
            if request is not None and has_new_facts:
                _store_facts(tx, request, now_ms)
            if decision.placement.change is not None:
                record_arm(call, tx, decision.placement.change)
            record_call(tx, call_record)
            measures = {labelled("passedThrough", reason=result.reason or "unknown"): 1.0}
            if result.reason == "deadline":
                measures[latency_bucket(result.metadata.elapsed_ms)] = 1.0
            count_call(tx, workspace.project_key, params.provider, shadow=shadow, now_ms=now_ms, measures=measures)
        if details.baseline.changed is None and result.reason != "off":
            record_baseline_later(call.process, workspace, token)
    except (StateDegraded, Busy) as error:  # the prompt passes through anyway
        call.log.warning("packs.passthrough.unrecorded", kind=error.kind)


def _passthrough_details(process: Process, workspace: Workspace, result: PreRunResult) -> CallDetails:
    """Return what is recorded of a passthrough: at most a pinned anchor, and the baseline as far as it is known."""
    anchor = result.system and PackItem(
        entries.ANCHOR,
        "anchor",
        Priority.ANCHOR,
        result.system.text,
        entries.TextEntry(result.system.id),
        "stays pinned",
    )
    wait_ms = BASELINE_WAIT_MS if result.reason != "deadline" else 0
    return CallDetails(
        action=result.action,
        reason=result.reason,
        metadata=result.metadata,
        is_passthrough=True,
        items=explained_items([(anchor, "alreadyDelivered")] if anchor else []),
        baseline=WorktreeBaseline() if result.reason == "off" else current_baseline(process, workspace, wait_ms),
    )


def _changed_line_counts(differences: Differences | None) -> dict[str, int] | None:
    """Changed lines per file; None where the differences were not read."""
    if differences is None:
        return None
    new = {path: line_count(text) for path, text in differences.new_files.items()}
    return new | {path: diff.added + diff.removed for path, diff in differences.diffs.items()}


def explained_items(dispositions: Iterable[tuple[PackItem, Disposition]]) -> tuple[ItemRecord, ...]:
    """Return the recorded explanation of each item."""
    return tuple(
        ItemRecord(
            key=item.key, kind=item.kind, bytes=item.bytes, disposition=disposition, why=item.why,
            score=dict(item.score), regions=item.regions,
        )
        for item, disposition in dispositions
    )  # fmt: skip


def _put_task(tx: "apsw.Connection", request: PackRequest, now_ms: int) -> None:
    stored, workspace = conversations.sub_chat(tx, request.params.sub_chat_id), request.workspace
    state = replace(request.sub_chat, task=request.task, counters=stored.counters)
    conversations.put_sub_chat(tx, request.params.sub_chat_id, workspace.project_key, workspace.key, state, now_ms)


def _store_facts(tx: "apsw.Connection", request: PackRequest, now_ms: int) -> None:
    """Store what the request states about its session and was not known."""
    store_session(tx, request.resumed, now_ms)
    if request.resumed.key is not None:
        request.call.process.slices.codebase.shown_regions.forget(request.resumed.key.session_id)
    if request.has_new_compaction:
        project, session, sub_chat_id = request.workspace.project_key, request.resumed.key, request.params.sub_chat_id
        stored = conversations.sub_chat(tx, sub_chat_id)
        state = after_reported_compaction(stored, request.params)
        if session is not None and stored.counters.session_key(sub_chat_id) != session.session_id:
            record_compaction(tx, project, session.session_id, now_ms)
            state = replace(state, counters=replace(state.counters, session=stored.counters.session))
        conversations.put_sub_chat(tx, sub_chat_id, project, request.workspace.key, state, now_ms)


def record_pre_run(
    request: PackRequest,
    placement: Placement,
    inputs: PackInputs,
    composition: Composition,
    result: PreRunResult,
    token: str,
) -> None:
    """Record the task, the pending delivery, its explanation and the metrics, in one transaction."""
    params, now_ms = request.params, request.call.now_ms()
    is_other_task = request.sub_chat.task != request.task
    ends_shadow = request.sub_chat.counters.shadow and not request.is_shadow
    keeps_state = not (is_other_task or ends_shadow or request.has_new_facts)
    wait_ms = max(MIN_RECORD_WAIT_MS, (params.deadline_ms or DEFAULT_DEADLINE_MS) - request.call.elapsed_ms())
    with request.call.database.write(durable=False, keep_generation=keeps_state, wait_ms=wait_ms) as tx:
        if is_other_task:
            _put_task(tx, request, now_ms)
            run_records.name_project(tx, request.workspace.project_key, redact(request.workspace.project.name))
        if ends_shadow:
            ledger.drop_shadow_sessions(tx, params.sub_chat_id)
        if request.has_new_facts:
            _store_facts(tx, request, now_ms)
        if placement.change is not None:
            record_arm(request.call, tx, placement.change)
        record_call(tx, _call_record(request, inputs, composition, result, token, now_ms))
        project, provider = request.workspace.project_key, params.provider
        measures = _measures(request, result)
        if _lacks_pack(inputs, composition):
            measures[labelled("withoutPack", reason="deadline")] = 1
        count_call(tx, project, provider, shadow=request.is_shadow, now_ms=now_ms, measures=measures)
    if inputs.state is None:
        record_baseline_later(request.call.process, request.workspace, token)


def _measures(request: PackRequest, result: PreRunResult) -> dict[str, float]:
    metadata, is_hit, continues = result.metadata, result.metadata.cache_hit, request.session is not None
    bracket = request.reported_bracket
    return {
        "calls": 1, "cacheHits": is_hit, **({"followUps": 1} if continues else {}),
        **({"followUpHits": 1} if continues and is_hit else {}),
        "injectedBytes": metadata.injected_bytes, "wouldInjectBytes": metadata.would_inject_bytes,
        "reusedBytes": metadata.reused_bytes, "baselineBytes": metadata.baseline_bytes,
        "fileHits": metadata.file_hits, "fileMisses": metadata.file_misses,
        "elapsedMs": metadata.elapsed_ms, latency_bucket(metadata.elapsed_ms): 1, "partial": metadata.partial,
        **({labelled("bracket", bracket=bracket): 1} if bracket else {}),
    }  # fmt: skip


def _lacks_pack(inputs: PackInputs, composition: Composition) -> bool:
    """Whether files were late and the call shows neither code nor the repository's lines of the anchor."""
    shows_lines = composition.anchor_is_new and bool(inputs.pack.anchor) and inputs.state is not None
    shows_code = any(shows_content(item) for item in composition.delivered)
    return is_late(inputs.omissions, LATE_FILES) and not (shows_lines or shows_code)


def count_given_up(call: Call, project: str, provider: str, run_id: str, *, shadow: bool) -> None:
    """Count a prompt whose hook did not wait for the answer, unless it is counted as one without packs already."""
    with call.database.write(durable=False) as tx:
        record = call_of_run(tx, run_id)
        if record is not None and (record.details.is_passthrough or record.details.lacks_pack):
            return
        measures = {labelled("passedThrough" if record is None else "withoutPack", reason="hookGaveUp"): 1.0}
        count_call(tx, project, provider, shadow=shadow, now_ms=call.now_ms(), measures=measures)


def _delivered(request: PackRequest, composition: Composition) -> tuple[DeliveredItem, ...]:
    """The items the session will have. An anchor in the transcript is listed, because a compaction can lose it."""
    delivered = [item.as_delivery() for item in composition.delivered if not item.always_sent]
    anchor = composition.anchor
    if anchor is not None and composition.anchor_is_new and not request.sends_system_text:
        delivered.insert(0, DeliveredItem(entries.ANCHOR, entries.TextEntry(anchor.id), utf8_size(anchor.text)))
    for item, disposition in composition.dispositions:
        known_item = request.known.items.get(item.key)
        if (
            disposition == "alreadyDelivered"
            and item.is_known
            and known_item is not None
            and known_item.entry != item.entry
        ):
            delivered.append(DeliveredItem(item.key, item.entry, known_item.bytes))
    return tuple(delivered)


def _call_record(
    request: PackRequest, inputs: PackInputs, composition: Composition, result: PreRunResult, token: str, now_ms: int
) -> CallRecord:
    state = inputs.state
    head = state.head if state else None
    head_was_sent = any(
        item.key == entries.HEAD and disposition != "trimmed" for item, disposition in composition.dispositions
    )
    sent_head = head if inputs.differences is not None and head_was_sent else request.known.head_commit or head
    shown = [entries.context_path(item.key) for item in composition.delivered if shows_content(item)]
    details = CallDetails(
        action=result.action,
        reason=result.reason,
        metadata=result.metadata,
        delivered=_delivered(request, composition),
        files=tuple(path for path in shown if path is not None),
        anchor=composition.anchor if composition.anchor_is_new else None,
        is_fresh=request.fresh,
        bracket=request.reported_bracket,
        items=explained_items(composition.dispositions),
        baseline=replace(baseline_of(state), sent_head=sent_head, lines=_changed_line_counts(inputs.differences)),
    )
    params = request.params
    return CallRecord(
        delivery_token=token,
        run_id=params.run_id,
        sub_chat_id=params.sub_chat_id,
        project=request.workspace.project_key,
        workspace=request.workspace.key,
        provider=params.provider,
        session_id=request.session.session_id if request.session else None,
        shadow=request.is_shadow,
        status="pending",
        created_at_ms=now_ms,
        details=details,
        texts=CallTexts(system=composition.system, blocks=tuple(composition.blocks)),
    )


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
    plan = next((item for item, _ in composition.dispositions if item.key == entries.PLANNING_RULES), None)
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
            plan_contract_id=plan.entry.digest if plan and isinstance(plan.entry, entries.TextEntry) else None,
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
    pinned = request.resumed.contents.anchor if request is not None and active and request.sends_system_text else None
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


def _place(call: Call, params: PreRunParams, workspace: Workspace, settings: Settings) -> Placement:
    """Return the chat's place in the rollout, for a chat that may differ from the settings' mode."""
    origin = params.session.forked_from
    chat = ChatFacts(
        sub_chat_id=params.sub_chat_id,
        chat_id=params.chat_id,
        project=workspace.project_key,
        provider=params.provider,
        session_id=params.session.id,
        forked_from=origin.sub_chat_id if origin is not None else None,
        model=params.model,
        run_mode=params.mode,
        prompt_length=len(params.prompt),
        choice=params.continuity_mode,
    )
    return place_chat(call, chat, settings)


def decide_pre_run(call: Call, params: PreRunParams) -> PreRunDecision:
    """Build the packs without recording anything."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    is_plain = settings.is_full_rollout and params.continuity_mode is None
    placement = Placement(settings) if is_plain else _place(call, params, workspace, settings)
    settings = placement.settings
    if settings.mode == "off" or params.is_local_model:
        return PreRunDecision("off" if settings.mode == "off" else "localModel", placement)
    request = load_request(call, params, workspace, settings)
    if params.prompt.lstrip(WHITE_SPACE).startswith("/"):
        return PreRunDecision("slashCommand", placement, request)
    workspace.require()
    deadline = Deadline(call.received_ms + (params.deadline_ms or DEFAULT_DEADLINE_MS))
    pack_query = query_of_request(request)

    def collect() -> PackInputs:
        return collect_inputs(
            pack_query, params, request.known, request.recall_query, deadline, new_task=request.task_is_new,
            is_follow_up=request.context_limits.is_follow_up,
        )  # fmt: skip

    inputs = collect()
    composition = select_items(request, inputs)
    if not _files_are_unchanged(pack_query, inputs, composition):
        inputs = collect()
        composition = select_items(request, inputs)
    has_some = bool(composition.delivered or inputs.pack.anchor)
    if inputs.late and (request.fresh or not has_some):  # no session is left for one without packs
        return PreRunDecision("deadline", placement, request, pack_query)
    return PreRunDecision("", placement, request, pack_query, inputs, composition)


def response_of(call: Call, params: PreRunParams, decision: PreRunDecision, token: str | None) -> PreRunResult:
    """Return the wire response; `token` is the delivery's, if there is one."""
    if decision.request is None or decision.inputs is None or decision.composition is None:
        result = passthrough_response(call, params, decision.reason, decision.request)
    else:
        result = pack_response(decision.request, decision.inputs, decision.composition, token)
    rollout = decision.placement.decision
    if rollout is None:
        return result
    return result.model_copy(update={"metadata": result.metadata.model_copy(update={"rollout": rollout})})


def _files_are_unchanged(pack_query: PackQuery, inputs: PackInputs, composition: Composition) -> bool:
    """Whether the files shown are unchanged since the watcher reported them: some writes raise no event."""
    if inputs.state is None or not inputs.state.proof.startswith("watch"):
        return True
    shown = (entries.context_path(item.key) for item in composition.delivered if item.kind == "context")
    paths = [path for path in shown if path is not None]
    return not paths or pack_query.repository.verify_unchanged(paths)
