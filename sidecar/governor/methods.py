"""`governor/status` and `governor/rehydrate`."""

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, NotFound, PolicyDenied, StateDegraded
from sidecar.core.secrets.redact import redact
from sidecar.governor.model import (
    GovernorRehydrateParams,
    GovernorRehydrateResult,
    GovernorStatusParams,
    GovernorStatusResult,
    GovernorWord,
    PressureSignal,
    SnapshotFile,
    SnapshotShown,
    SnapshotStep,
)
from sidecar.governor.pressure import judged, signals_of
from sidecar.governor.snapshot import from_kept, keep_snapshot, marker_text
from sidecar.method import Lane, method
from sidecar.runs import KeptSnapshot, Place, records, snapshots


def status(call: Call, params: GovernorStatusParams) -> GovernorStatusResult:
    """Shows each pressure signal of a conversation beside its thresholds, the word on them, and the last snapshot."""
    with call.database.read() as tx:
        place = _place(tx, params.sub_chat_id)
        counters = records.sub_chat(tx, params.sub_chat_id).counters
        kept = snapshots.latest(tx, params.sub_chat_id)
    settings = call.process.settings(place.project)
    word = judged(counters, settings, shadow=settings.mode != "active")
    return GovernorStatusResult(
        governor=GovernorWord(action=word.action, reasons=list(word.reasons)),
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
        snapshot=_shown(kept) if kept is not None else None,
    )


def rehydrate(call: Call, params: GovernorRehydrateParams) -> GovernorRehydrateResult:
    """Asks for a fresh provider session by hand: the next pre-run begins one, with the carry-over and all packs.

    Keeps a snapshot first, and removes nothing. Asking again before that pre-run asks for the same one session. Works
    with the setting `rehydrate` off, since the user asks; in passive mode nothing could be carried over.
    """
    now_ms = call.now_ms()
    with call.database.write() as tx:
        place = _place(tx, params.sub_chat_id)
        settings = call.process.settings(place.project)
        if settings.mode != "active":
            raise PolicyDenied(
                f"Nothing is sent in mode {settings.mode}, so a fresh session would begin with nothing.",
                hint="Set `mode` to active.",
            )
        state = records.sub_chat(tx, params.sub_chat_id)
        counters = state.counters._replace(asked=redact(params.reason), refused_at=None)
        word = judged(counters, settings, shadow=False)
        last_run = next(iter(records.runs_told(tx, params.sub_chat_id, 1)), None)
        kept = keep_snapshot(tx, params.sub_chat_id, last_run.run_id if last_run else "", word.reasons, now_ms)
        records.put_sub_chat(
            tx, params.sub_chat_id, place.project, place.workspace, state._replace(counters=counters), now_ms
        )
    return GovernorRehydrateResult(
        governor=GovernorWord(action=word.action, reasons=list(word.reasons)),
        snapshot=_shown(kept),
        marker=marker_text(counters, from_kept(kept.value)),
    )


def _place(tx: apsw.Connection, sub_chat_id: str) -> Place:
    place = records.place_of(tx, sub_chat_id)
    if place is None:
        raise NotFound("Nothing is recorded of that sub-chat.", hint="It appears with its first run.")
    return place


def _shown(kept: KeptSnapshot) -> SnapshotShown:
    snapshot = from_kept(kept.value)
    return SnapshotShown(
        id=kept.id,
        run_id=kept.run_id,
        at=rfc3339(kept.at_ms),
        reasons=list(kept.reasons),
        objective=snapshot.objective,
        plan=snapshot.plan,
        todos=[SnapshotStep(content=content, status=status) for content, status in snapshot.todos],
        decisions=list(snapshot.decisions),
        risks=list(snapshot.risks),
        failing=list(snapshot.failing),
        files=[SnapshotFile(path=file.path, why=file.why) for file in snapshot.files],
        conclusion=snapshot.conclusion,
    )


METHODS = (
    method("governor/status", status, lane=Lane.SHARED, errors=(NotFound, StateDegraded)),
    method("governor/rehydrate", rehydrate, lane=Lane.SHARED, errors=(NotFound, PolicyDenied, StateDegraded, Busy)),
)
