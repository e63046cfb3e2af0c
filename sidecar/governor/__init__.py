"""Pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.counting import (
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
from sidecar.governor.marker import marker_text
from sidecar.governor.pressure import Word, decide, judged, signals_of
from sidecar.governor.snapshot import Snapshot
from sidecar.governor.structured import keep_snapshot, structured_state

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
