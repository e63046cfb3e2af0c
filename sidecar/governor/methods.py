"""`governor/status` and `governor/rehydrate`."""

from dataclasses import replace

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, NotFound, PolicyDenied, StateDegraded
from sidecar.core.redact import redact
from sidecar.experiment.rollout import mode_of_chat
from sidecar.governor.model import (
    GovernorDecision,
    GovernorRehydrateParams,
    GovernorRehydrateResult,
    GovernorStatusParams,
    GovernorStatusResult,
    PressureSignal,
    SnapshotFile,
    SnapshotStep,
    StoredSnapshotView,
)
from sidecar.governor.pressure_decision import evaluate_pressure, signals_of
from sidecar.governor.snapshots import StoredSnapshot, latest_snapshot, marker_text, store_snapshot
from sidecar.method import Lane, method
from sidecar.runs import ConversationPlace, conversations, run_records


def status(call: Call, params: GovernorStatusParams) -> GovernorStatusResult:
    """Return each pressure signal of a conversation with its thresholds, the decision, and the last snapshot."""
    with call.database.read() as tx:
        conversation = _place_of(tx, params.sub_chat_id)
        counters = conversations.sub_chat(tx, params.sub_chat_id).counters
        snapshot = latest_snapshot(tx, params.sub_chat_id)
    settings = call.process.settings(conversation.project)
    mode = mode_of_chat(call, conversation.project, params.sub_chat_id)
    decision = evaluate_pressure(counters, settings, shadow=mode != "active")
    return GovernorStatusResult(
        governor=GovernorDecision(action=decision.action, reasons=list(decision.reasons)),
        signals=[
            PressureSignal(
                name=signal.name,
                value=float(signal.value),
                since_snapshot=float(signal.since_snapshot),
                snapshot_at=signal.snapshot_at,
                rehydrate_at=signal.rehydrate_at,
            )
            for signal in signals_of(counters)
        ],
        snapshot=_snapshot_view(snapshot) if snapshot is not None else None,
    )


def rehydrate(call: Call, params: GovernorRehydrateParams) -> GovernorRehydrateResult:
    """Request a fresh provider session: the next pre-run starts it, with the carry-over and all packs.

    A snapshot is stored first, and nothing is removed. A repeated request before that pre-run requests the same
    session. It works with the setting `rehydrate` off, because the user asks for it; in passive mode nothing could be
    carried over.
    """
    now_ms = call.now_ms()
    with call.database.write() as tx:
        conversation = _place_of(tx, params.sub_chat_id)
        settings = call.process.settings(conversation.project)
        mode = mode_of_chat(call, conversation.project, params.sub_chat_id)
        if mode != "active":
            raise PolicyDenied(
                f"In mode {mode} nothing is sent, so a fresh session would start without context.",
                hint="`settings/update` sets `mode` to active.",
            )
        state = conversations.sub_chat(tx, params.sub_chat_id)
        counters = replace(state.counters, rehydrate_reason=redact(params.reason))
        decision = evaluate_pressure(counters, settings, shadow=False)
        last_run = next(iter(run_records.run_summaries(tx, params.sub_chat_id, 1)), None)
        snapshot = store_snapshot(tx, params.sub_chat_id, last_run.run_id if last_run else "", decision.reasons, now_ms)
        conversations.put_sub_chat(
            tx,
            params.sub_chat_id,
            conversation.project,
            conversation.workspace,
            replace(state, counters=counters),
            now_ms,
        )
    return GovernorRehydrateResult(
        governor=GovernorDecision(action=decision.action, reasons=list(decision.reasons)),
        snapshot=_snapshot_view(snapshot),
        marker=marker_text(counters, snapshot.content),
    )


def _place_of(tx: apsw.Connection, sub_chat_id: str) -> ConversationPlace:
    conversation = conversations.conversation_place(tx, sub_chat_id)
    if conversation is None:
        raise NotFound("No run of that sub-chat is recorded.", hint="Its first run makes it known.")
    return conversation


def _snapshot_view(stored: StoredSnapshot) -> StoredSnapshotView:
    snapshot = stored.content
    return StoredSnapshotView(
        id=stored.id,
        run_id=stored.run_id,
        at=rfc3339(stored.at_ms),
        reasons=list(stored.reasons),
        objective=snapshot.objective,
        plan=snapshot.plan,
        todos=[SnapshotStep(content=content, status=status) for content, status in snapshot.todos],
        conclusions=list(snapshot.conclusions),
        decisions=list(snapshot.decisions),
        corrections=list(snapshot.corrections),
        risks=list(snapshot.risks),
        failing=list(snapshot.failing),
        files=[SnapshotFile(path=file.path, why=file.why) for file in snapshot.files],
    )


METHODS = (
    method("governor/status", status, lane=Lane.SHARED, errors=(NotFound, StateDegraded)),
    method("governor/rehydrate", rehydrate, lane=Lane.SHARED, errors=(NotFound, PolicyDenied, StateDegraded, Busy)),
)
