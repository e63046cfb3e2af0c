"""`governor/status`."""

from sidecar.call import Call
from sidecar.core.errors import NotFound
from sidecar.governor.model import GovernorStatusParams, GovernorStatusResult, GovernorWord, PressureSignal
from sidecar.governor.pressure import decide, signals_of
from sidecar.method import Lane, method
from sidecar.runs import records


def status(call: Call, params: GovernorStatusParams) -> GovernorStatusResult:
    """Shows each pressure signal of a conversation beside its thresholds, and what they amount to."""
    with call.database.read() as tx:
        state = records.sub_chat(tx, params.sub_chat_id)
        project = records.project_of(tx, params.sub_chat_id)
    if project is None:
        raise NotFound("Nothing is recorded of that sub-chat.", hint="It appears with its first run.")
    settings = call.process.settings(project)
    signals = signals_of(state.counters, settings)
    word = decide(
        signals,
        snapshot_allowed=bool(settings["snapshot"]),
        rehydrate_allowed=bool(settings["rehydrate"]) and settings.mode == "active",
    )
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
            for signal in signals
        ],
    )


METHODS = (method("governor/status", status, lane=Lane.SHARED, errors=(NotFound,)),)
