"""Governor: pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.pressure import Decision, decide, evaluate, signals_of
from sidecar.governor.pressure_counters import (
    RunPressure,
    after_compaction,
    after_new_session,
    after_refusal,
    after_run,
    after_snapshot,
    before_fresh_session,
    started_new_session,
    with_session,
)
from sidecar.governor.snapshot import Snapshot, marker_text, store_snapshot, structured_state

__all__ = [
    "RunPressure",
    "Snapshot",
    "Decision",
    "after_compaction",
    "after_refusal",
    "after_run",
    "after_snapshot",
    "after_new_session",
    "before_fresh_session",
    "decide",
    "with_session",
    "started_new_session",
    "evaluate",
    "store_snapshot",
    "marker_text",
    "signals_of",
    "structured_state",
]
