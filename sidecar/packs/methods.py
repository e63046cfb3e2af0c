"""`continuity/preRun`, `continuity/explain`, the user's overrides, and the notifications around them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from sidecar.call import Call
from sidecar.context import record_compaction
from sidecar.core.errors import Busy, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.core.redact import redact
from sidecar.governor import after_compaction, after_new_session
from sidecar.method import Lane, method, notification
from sidecar.packs.explain import explain_newest, explain_next, explain_run, wire_overrides
from sidecar.packs.model import (
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
)
from sidecar.packs.overrides import Override, load_overrides, put_override, revoke
from sidecar.packs.pre_run import decide, record_passthrough, record_pre_run, response_of
from sidecar.packs.prefetch import schedule_rebuild
from sidecar.runs import delete_sub_chat, ledger, records

if TYPE_CHECKING:
    import apsw


def pre_run(call: Call, params: PreRunParams) -> PreRunResult:
    """Return what goes to the provider before a run: the packs this provider session does not have yet.

    The prompt passes through byte-identical when the mode is off or passive, when it begins with a slash, for a local
    model, and when nothing is ready at the deadline. What is sent counts as delivered once `continuity/postRun`
    confirms that the run reached the provider.
    """
    decision = decide(call, params)
    call.cancellation.check()  # a response nobody receives is not recorded
    token = call.process.new_id()
    result = response_of(call, params, decision, token)
    if decision.pack_query is not None:
        decision.pack_query.workspace.slices.packs.recent_queries.put(params.sub_chat_id, decision.pack_query)
    if decision.request is not None and decision.inputs is not None and decision.composition is not None:
        record_pre_run(decision.request, decision.inputs, decision.composition, result, token)
    elif decision.reason != "off":
        record_passthrough(call, params, decision.request, result, token)
    return result


def explain(call: Call, params: ExplainParams) -> ExplainResult:
    """Show what a run's pre-run sent, or what one would send now, item by item, with the reasons.

    For a recorded run, this includes what passive mode would have sent, and why a prompt passed through. A hypothetical
    pre-run is not recorded.
    """
    if params.pre_run is not None:
        return explain_next(call, params.pre_run)
    if params.run_id is not None:
        return explain_run(call, params.run_id)
    return explain_newest(call, params.project_path)


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
    with call.database.write() as tx:
        if params.revoke:
            revoke(tx, project, params.item)
        else:
            put_override(tx, project, Override(params.item, kind, redact(params.why), call.now_ms()))
        overrides = load_overrides(tx, project)
    return OverridesResult(overrides=wire_overrides(overrides))


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
        forget = ledger.drop_transcript if params.event in ("compacted", "rolledBack") else ledger.drop_session
        forget(tx, params.provider, params.session_id, params.sub_chat_id)
        records.drop_pending(tx, params.sub_chat_id)
        _reset_pressure(tx, params, call.now_ms())


def _reset_pressure(tx: "apsw.Connection", params: SessionEventParams, now_ms: int) -> None:
    """Reset a conversation's pressure counters if its current session lost its context; ignore earlier sessions."""
    location = records.conversation_place(tx, params.sub_chat_id)
    state = records.sub_chat(tx, params.sub_chat_id)
    current = state.counters.sessions[-1:]
    if location is None or (params.session_id is not None and (params.session_id,) != current):
        return
    if params.event == "compacted" and params.session_id is not None:
        record_compaction(tx, location.project, params.session_id, now_ms)
    reset = {"compacted": after_compaction, "reset": after_new_session}.get(params.event)
    if reset is not None:
        state = replace(state, counters=reset(state.counters, now_ms))
        records.put_sub_chat(tx, params.sub_chat_id, location.project, location.workspace, state, now_ms)


METHODS = (
    method("continuity/preRun", pre_run, lane=Lane.WORKSPACE, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    method(
        "continuity/explain", explain, lane=Lane.SHARED, errors=(NotFound, WorkspaceUnavailable, StateDegraded, Busy)
    ),
    method("continuity/pin", pin, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("continuity/mute", mute, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
)

NOTIFICATIONS = (
    notification("continuity/repoChanged", repo_changed, lane=Lane.SHARED),
    notification("continuity/sessionEvent", session_event, lane=Lane.WORKSPACE),
)
