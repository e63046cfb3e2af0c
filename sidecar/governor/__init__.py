"""Pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.pressure import Word, decide, judged, signals_of
from sidecar.governor.pressure_counters import (
    RunPressure,
    after_compaction,
    after_refusal,
    after_run,
    after_snapshot,
    after_turnover,
    before_new_session,
    in_session,
    is_renewed,
)
from sidecar.governor.snapshot import Snapshot, keep_snapshot, marker_text, structured_state

__all__ = [
    "RunPressure",
    "Snapshot",
    "Word",
    "after_compaction",
    "after_refusal",
    "after_run",
    "after_snapshot",
    "after_turnover",
    "before_new_session",
    "decide",
    "in_session",
    "is_renewed",
    "judged",
    "keep_snapshot",
    "marker_text",
    "signals_of",
    "structured_state",
]
