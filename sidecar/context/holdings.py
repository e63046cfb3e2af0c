"""What is kept of provider sessions, for removing it."""

from sidecar.storage.holding import Holding

HOLDINGS = (
    Holding("runs", "continuity_context_sessions", before="updated_at_ms < ?2", is_counted=False),
    Holding("runs", "continuity_context_halts", before="updated_at_ms < ?2", is_counted=False),
)
