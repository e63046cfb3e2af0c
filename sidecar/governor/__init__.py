"""Governor: pressure on a session → ok, snapshot or rehydrate."""

from sidecar.governor.pressure import (
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
from sidecar.governor.snapshot import marker_text, store_snapshot, structured_state

__all__ = [
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
    "started_new_session",
    "store_snapshot",
    "structured_state",
    "with_session",
]
