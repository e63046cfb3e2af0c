"""`continuity/preRun`, `continuity/explain`, the user's overrides, and the notifications around them."""

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.core.redact import redact
from sidecar.governor import after_compaction, after_new_session
from sidecar.method import Lane, method, notification
from sidecar.packs.carryover import carryover_items
from sidecar.packs.model import (
    ExplainedItem,
    ExplainedRegion,
    ExplainedStatement,
    ExplainParams,
    ExplainResult,
    MuteParams,
    OverrideKind,
    OverridesResult,
    PinParams,
    PreRunParams,
    PreRunResult,
    RepoChangedParams,
    SessionEventParams,
    UserOverride,
)
from sidecar.packs.overrides import Override, Overrides, is_item_name, load_overrides, put_override, revoke, statements
from sidecar.packs.pack_blocks import PackItem, Priority, render_block
from sidecar.packs.pre_run import (
    PreRunDecision,
    decide_pre_run,
    explained_items,
    passthrough_response,
    record_passthrough,
    record_pre_run,
    response_of,
)
from sidecar.packs.prefetch import schedule_rebuild
from sidecar.packs.request import load_carryover
from sidecar.runs import CallRecord, SessionKey, conversations, delete_sub_chat, entries, ledger, run_records
from sidecar.runs.model import Provider
from sidecar.runs.pre_run_record import Block, ItemRecord, SystemText, call_of_run, drop_pending, newest_call

if TYPE_CHECKING:
    import apsw


def pre_run(call: Call, params: PreRunParams, *, is_first: bool = True) -> PreRunResult:
    """Return what goes to the provider before a run: the packs this provider session does not have yet.

    The prompt passes through byte-identical when the mode is off or passive, when it begins with a slash, for a local
    model, when nothing is ready at the deadline, when the state cannot be read or written, in a control chat of a
    rollout, and when there is nothing to send. If `initialize` fails because the state cannot be opened, there is no
    pre-run, and the host sends the prompt unchanged. With a `system` text, which Claude gets on each call, a call
    without new blocks is still `inject`. What is sent counts as delivered once `continuity/postRun` confirms that the
    run reached the provider.
    """
    decision: PreRunDecision | None = None
    try:
        decision = decide_pre_run(call, params)
        call.cancellation.check()  # a response nobody receives is not recorded
        return _recorded_response(call, params, decision)
    except (StateDegraded, Busy) as error:
        if is_first and call.database.repair(error):
            return pre_run(call, params, is_first=False)
        call.log.warning("packs.unrecorded", kind=error.kind)
        return passthrough_response(
            call, params, "stateUnavailable", decision.request if decision is not None else None
        )


def _recorded_response(call: Call, params: PreRunParams, decision: PreRunDecision) -> PreRunResult:
    """Return the response once the run is recorded: what is sent without a record would be sent again."""
    token = call.process.new_id()
    result = response_of(call, params, decision, token)
    if decision.pack_query is not None:
        decision.pack_query.workspace.slices.packs.recent_queries.put(params.sub_chat_id, decision.pack_query)
    if decision.request is not None and decision.inputs is not None and decision.composition is not None:
        record_pre_run(decision.request, decision.placement, decision.inputs, decision.composition, result, token)
    elif decision.reason != "off" or decision.placement.decision is not None:
        record_passthrough(call, params, decision, result, token)
    return result


def continuation_text(call: Call, sub_chat_id: str, sendable_bytes: int, memories: str) -> str:
    """Return the block with which a compacted session continues: goal, open steps, what it found, and memories.

    `sendable_bytes` is what the call can send in all; what the runs found takes a share of it. Empty without anything.
    """
    items = carryover_items(load_carryover(call, sub_chat_id), sendable_bytes)
    text = f"Memories:\n{memories}"
    entry = entries.TextEntry(short_id(text))
    listed = (
        [PackItem("carryover:memories", "carryover", Priority.CARRYOVER, text, entry, "captured")] if memories else []
    )
    items = [item.escaped for item in (*items, *listed)]
    return render_block("carryover", items, "").text if items else ""


def explain(call: Call, params: ExplainParams) -> ExplainResult:
    """Show what a run's pre-run sent, or what one would send now, item by item, with the reasons.

    For a recorded run, this includes what passive mode would have sent, and why a prompt passed through. At most one
    member is accepted; without one, the newest recorded run of any project is shown. The last 400 pre-runs are
    recorded, a hypothetical one is not.
    """
    if params.pre_run is not None:
        return explain_next(call, params.pre_run)
    if params.run_id is not None:
        return explain_run(call, params.run_id)
    return explain_newest(call, params.project_path)


def explain_run(call: Call, run_id: str) -> ExplainResult:
    """Explain a recorded pre-run. Raise NotFound without a record."""
    with call.database.read() as tx:
        call_record = call_of_run(tx, run_id)
        if call_record is None:
            raise NotFound(
                "No pre-run is recorded under that run id.", hint=f"`state/status` lists the latest. {_NONE_WHILE_OFF}"
            )
        return _explain_record(tx, call_record)


def explain_newest(call: Call, project_path: str | None) -> ExplainResult:
    """Explain the newest recorded pre-run, of a project or of all. Raise NotFound without a record."""
    project = None if project_path is None else call.process.workspaces.get(project_path, None).project_key
    with call.database.read() as tx:
        call_record = newest_call(tx, project)
        if call_record is None:
            raise NotFound("No pre-run is recorded yet.", hint=_NONE_WHILE_OFF)
        return _explain_record(tx, call_record)


_NONE_WHILE_OFF = "None is recorded while the mode is off."


def _explain_record(tx: "apsw.Connection", call_record: CallRecord) -> ExplainResult:
    overrides = load_overrides(tx, call_record.project)
    session_anchor = ledger.session_contents(tx, _session_of(call_record)).anchor
    details, system, blocks = call_record.details, call_record.texts.system, list(call_record.texts.blocks)
    return ExplainResult(
        run_id=call_record.run_id,
        project=run_records.project_names(tx).get(call_record.project, call_record.project),
        provider=cast("Provider", call_record.provider),
        created_at=rfc3339(call_record.created_at_ms),
        status=call_record.status,
        action=details.action,
        reason=details.reason,
        items=_items(details.items, overrides),
        statements=_statements(
            _anchor_of(system, blocks) or (session_anchor.text if session_anchor else ""), overrides
        ),
        overrides=wire_overrides(overrides),
        system=system,
        blocks=blocks,
        metadata=details.metadata,
    )


def explain_next(call: Call, params: PreRunParams) -> ExplainResult:
    """Explain what a pre-run would send now, without recording it."""
    decision = decide_pre_run(call, params)
    result = response_of(call, params, decision, None)
    overrides = decision.request.overrides if decision.request is not None else {}
    anchor = (
        decision.composition.anchor.text if decision.composition is not None and decision.composition.anchor else ""
    )
    present = "\n".join(decision.inputs.pack.anchor) if decision.inputs is not None else ""
    return ExplainResult(
        run_id=params.run_id,
        project=redact(call.process.workspaces.get(params.cwd, params.project_path).project.name),
        provider=params.provider,
        created_at=call.now(),
        status="notRun",
        action=result.action,
        reason=result.reason,
        items=_items(explained_items(decision.composition.dispositions) if decision.composition else [], overrides),
        statements=_statements(f"{anchor}\n{present}", overrides),
        overrides=wire_overrides(overrides),
        system=result.system,
        blocks=result.blocks,
        metadata=result.metadata,
    )


def wire_overrides(overrides: Overrides) -> list[UserOverride]:
    """Return overrides in their wire form."""
    return [
        UserOverride(item=override.item, override=override.kind, why=override.why, at=rfc3339(override.at_ms))
        for override in overrides.values()
    ]


def _items(items: Iterable[ItemRecord], overrides: Overrides) -> list[ExplainedItem]:
    return [
        ExplainedItem(
            item=item.key, kind=item.kind, bytes=item.bytes, disposition=item.disposition, why=item.why,
            score=dict(item.score),
            regions=[
                ExplainedRegion(lines=region.lines, name=region.name, score=dict(region.score))
                for region in item.regions
            ],
            override=overrides[item.key].kind if item.key in overrides else None,
        )
        for item in items
    ]  # fmt: skip


def _statements(anchor: str, overrides: Overrides) -> list[ExplainedStatement]:
    return [
        ExplainedStatement(item=item, text=text, override=overrides[item].kind if item in overrides else None)
        for item, text in dict(statements(anchor)).items()
    ]


def _anchor_of(system: SystemText | None, blocks: list[Block]) -> str:
    return system.text if system else next((block.text for block in blocks if block.kind == entries.ANCHOR), "")


def _session_of(call_record: CallRecord) -> SessionKey | None:
    return (
        SessionKey(call_record.sub_chat_id, call_record.provider, call_record.session_id, call_record.shadow)
        if call_record.session_id is not None
        else None
    )


def pin(call: Call, params: PinParams) -> OverridesResult:
    """Always send an item: once to each session, and again when it changed.

    Applies to the project in all its worktrees. At most twelve files are sent, the most recently pinned.
    """
    return _store_override(call, params, "always")


def mute(call: Call, params: MuteParams) -> OverridesResult:
    """Never send an item, or mark its content as wrong.

    Applies to the project in all its worktrees. A session that has received a wrong statement of the anchor gets a
    retraction.
    """
    return _store_override(call, params, "wrong" if params.wrong else "never")


def _store_override(call: Call, params: PinParams, kind: OverrideKind) -> OverridesResult:
    project = call.process.workspaces.get(params.project_path, None).project_key
    if not params.revoke:
        _check_item(call, project, params.item, kind)
    with call.database.write() as tx:
        if params.revoke:
            if not is_item_name(params.item) and params.item not in load_overrides(tx, project):
                raise NotFound("No item has that name.", hint="Use a name that `continuity/explain` lists.")
            revoke(tx, project, params.item)
        else:
            put_override(tx, project, Override(params.item, kind, redact(params.why), call.now_ms()))
        overrides = load_overrides(tx, project)
    return OverridesResult(overrides=wire_overrides(overrides))


def _check_item(call: Call, project: str, item: str, kind: OverrideKind) -> None:
    """Raise NotFound for a name that no item has, and for a pinned file that no worktree in use has."""
    if not is_item_name(item):
        raise NotFound("No item has that name.", hint="Use a name that `continuity/explain` lists.")
    path = entries.context_path(item)
    if kind == "always" and path is not None:
        folders = [workspace.cwd for workspace in call.process.workspaces.of_project(project)]
        if not any(os.path.lexists(os.path.join(folder, path)) for folder in folders):
            raise NotFound(
                "No worktree of the project has that file.",
                hint="Use `context:` and the file's path from the top of the repository.",
            )


def repo_changed(call: Call, params: RepoChangedParams) -> None:
    """Index changed files and rebuild packs before the next pre-run needs them.

    A burst of hints causes one rebuild; a state that already has its packs causes none. The hint proves nothing.
    """
    for workspace in call.process.workspaces.in_folder(params.cwd):
        workspace.require()
        schedule_rebuild(call.process, workspace)


def session_event(call: Call, params: SessionEventParams) -> None:
    """Record what happened to a provider session outside a run.

    After reset, forked, rolledBack, compacted and deleted the session counts as unknown and receives the full packs
    again, except that a compacted or rolled back Claude session retains its system text. modeChanged changes nothing.
    Deleting a sub-chat, or one of its sessions by id, also deletes its runs, including a run that ends later;
    artifacts, memories and metric totals remain.
    """
    if params.event == "modeChanged":
        return
    if params.event == "deleted":
        with call.database.write() as tx:
            delete_sub_chat(tx, params.sub_chat_id, params.session_id, call.now_ms())
        return
    with call.database.write() as tx:
        # An unfinished run counts as not delivered: the session may have lost what the run was given.
        is_compaction = params.event == "compacted"
        if is_compaction or params.event == "rolledBack":
            ledger.drop_transcript(
                tx,
                params.provider,
                params.session_id,
                params.sub_chat_id,
                call.now_ms(),
                is_compaction=is_compaction,
            )
        else:
            ledger.drop_session(tx, params.provider, params.session_id, params.sub_chat_id)
        drop_pending(tx, params.sub_chat_id)
        _reset_pressure(tx, params, call.now_ms())
    call.process.slices.codebase.shown_regions.forget(params.session_id)


def _reset_pressure(tx: "apsw.Connection", params: SessionEventParams, now_ms: int) -> None:
    """Reset a conversation's pressure counters if its current session lost its context; ignore earlier sessions."""
    location = conversations.conversation_place(tx, params.sub_chat_id)
    state = conversations.sub_chat(tx, params.sub_chat_id)
    current = state.counters.sessions[-1:]
    if location is None or (params.session_id is not None and (params.session_id,) != current):
        return
    reset = {"compacted": after_compaction, "reset": after_new_session}.get(params.event)
    if reset is not None:
        state = replace(state, counters=reset(state.counters, now_ms))
        conversations.put_sub_chat(tx, params.sub_chat_id, location.project, location.workspace, state, now_ms)


METHODS = (
    method("continuity/preRun", pre_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable,), is_exact=True),
    method(
        "continuity/explain", explain, lane=Lane.SHARED, errors=(NotFound, WorkspaceUnavailable, StateDegraded, Busy)
    ),
    method("continuity/pin", pin, lane=Lane.SHARED, errors=(NotFound, WorkspaceUnavailable, StateDegraded)),
    method("continuity/mute", mute, lane=Lane.SHARED, errors=(NotFound, WorkspaceUnavailable, StateDegraded)),
)

NOTIFICATIONS = (
    notification("continuity/repoChanged", repo_changed, lane=Lane.SHARED),
    notification("continuity/sessionEvent", session_event, lane=Lane.WORKSPACE),
)
