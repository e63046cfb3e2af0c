"""Governor: pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.conversation_state import marker_text, snapshot_of, store_snapshot, structured_state
from sidecar.governor.pressure import (
    IDLE_GAP_MS,
    MAX_SESSIONS,
    MINUTE_MS,
    Decision,
    RunPressure,
    after_compaction,
    after_new_session,
    after_refusal,
    after_run,
    after_snapshot,
    before_fresh_session,
    decide,
    evaluate,
    signals_of,
    started_new_session,
    with_session,
)

__all__ = [
    "IDLE_GAP_MS",
    "MAX_SESSIONS",
    "MINUTE_MS",
    "Decision",
    "RunPressure",
    "after_compaction",
    "after_new_session",
    "after_refusal",
    "after_run",
    "after_snapshot",
    "before_fresh_session",
    "decide",
    "evaluate",
    "marker_text",
    "signals_of",
    "snapshot_of",
    "started_new_session",
    "store_snapshot",
    "structured_state",
    "with_session",
]
