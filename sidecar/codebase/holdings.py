"""The caches of what repositories contain, for emptying them; worktrees and projects share them."""

from sidecar.storage.holding import Holding

HOLDINGS = (
    Holding("caches", "continuity_file_cache", "", "used_at_ms < ?2"),
    Holding("caches", "continuity_search_cache", "", "used_at_ms < ?2"),
)
