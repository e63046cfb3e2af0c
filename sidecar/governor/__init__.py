"""Governor: pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.pressure_counters import (
    IDLE_GAP_MS,
    MAX_SESSIONS,
    MINUTE_MS,
    RunPressure,
    after_compaction,
    after_new_session,
    after_refusal,
    after_request,
    after_snapshot,
    before_fresh_session,
    counters_after_run,
    started_new_session,
    with_session,
)
from sidecar.governor.pressure_decision import (
    GovernorAction,
    PressureDecision,
    decide_action,
    evaluate_pressure,
    signals_of,
)
from sidecar.governor.snapshots import (
    Snapshot,
    TouchedFile,
    marker_text,
    snapshot_of,
    store_snapshot,
    structured_state,
    without_frame,
)
