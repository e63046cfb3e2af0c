"""Effects of time and use on memories: score, tiers, archive."""

from sidecar.memory.upkeep.decay import (
    ARCHIVE_SCORE,
    HOT_SCORE,
    WARM_SCORE,
    DueUpkeep,
    ScoreInputs,
    UpkeepRow,
    access,
    due_upkeep,
    is_stale,
    recency,
    score,
    stale_since_ms,
    tier,
)

__all__ = [
    "ARCHIVE_SCORE",
    "HOT_SCORE",
    "WARM_SCORE",
    "DueUpkeep",
    "ScoreInputs",
    "UpkeepRow",
    "access",
    "due_upkeep",
    "is_stale",
    "recency",
    "score",
    "stale_since_ms",
    "tier",
]
