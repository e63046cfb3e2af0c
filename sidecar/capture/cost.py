"""What a run's anchor did to the provider's prompt cache. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

DEARER = 2.0
"""So many times the share of tokens written to the cache, and not read from it, is no longer chance."""


class CacheUse(NamedTuple):
    """One run's use of the provider's prompt cache, in tokens, and the anchor it went with."""

    anchor_id: str | None
    read: int
    written: int

    @property
    def missed(self) -> float:
        """Share of the cacheable tokens that had to be written."""
        return self.written / (self.read + self.written) if self.read + self.written else 0.0


def cache_use(anchor_id: str | None, usage: Mapping[str, Any] | None) -> CacheUse | None:
    """Reads the use from what the host reported; None where it reports none."""
    if usage is None or usage.get("cacheReadTokens") is None or usage.get("cacheCreationTokens") is None:
        return None
    return CacheUse(anchor_id, int(usage["cacheReadTokens"]), int(usage["cacheCreationTokens"]))


def breaks_cache(before: CacheUse | None, now: CacheUse | None) -> bool:
    """Says whether another anchor than in the session's last run made the provider write its prefix anew.

    Tokens are sums over a run's calls, so it is their share that tells: one miss at its beginning, then reads again.
    """
    if before is None or now is None or None in (before.anchor_id, now.anchor_id):
        return False
    if before.anchor_id == now.anchor_id:
        return False
    return now.written > before.written and now.missed >= DEARER * before.missed
