"""Regions that a search shows: what a session was already shown is one line, the rest is packed into a budget. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sidecar.codebase.region_search import FoundRegion, numbered_lines
from sidecar.core.lru_cache import LruCache
from sidecar.core.token_estimate import estimate_tokens

SHOWN_SESSIONS = 64


class ShownRegions:
    """The regions that conversations received from searches, in memory. Thread-safe."""

    def __init__(self) -> None:
        self._by_session: LruCache[str, frozenset[tuple[str, str]]] = LruCache(SHOWN_SESSIONS)

    def of(self, session_id: str) -> frozenset[tuple[str, str]]:
        """Return path and digest of each region that a conversation received."""
        return self._by_session.get(session_id) or frozenset()

    def add(self, session_id: str, regions: Iterable[FoundRegion]) -> None:
        """Record regions that a conversation receives."""
        new = [(region.ranked.path, region.digest) for region in regions]
        self._by_session.put(session_id, self.of(session_id).union(new), 1)

    def forget(self, session_id: str | None) -> None:
        """Forget a conversation that lost its context; without an id, all of them."""
        if session_id is None:
            self._by_session.clear()
        else:
            self._by_session.put(session_id, frozenset(), 1)


class PackedRegions(NamedTuple):
    """Regions within a token budget, and the number of those that are over it."""

    regions: list[FoundRegion]
    texts: list[str]
    repeated: list[bool]
    omitted: int


def pack_regions(
    found: Sequence[FoundRegion], budget_tokens: int, shown: frozenset[tuple[str, str]] = frozenset()
) -> PackedRegions:
    """Choose regions in their order while their texts fit; one that was shown before is one line.

    Its text counts all the same: else the same query again would return worse regions in the place of the known ones.
    """
    packed = []
    left, order = budget_tokens, dict[str, int]()
    for region in found:
        repeated = (region.ranked.path, region.digest) in shown
        text = "\n".join(numbered_lines([region]))
        tokens = estimate_tokens(text)
        text = repeated_line(region) if repeated else text
        if tokens <= left:
            left -= tokens
            order.setdefault(region.ranked.path, len(order))
            packed.append((region, text, repeated))
    packed.sort(key=lambda entry: (order[entry[0].ranked.path], entry[0].lines[0][0]))
    return PackedRegions(
        [region for region, _, _ in packed],
        [text for _, text, _ in packed],
        [repeated for _, _, repeated in packed],
        len(found) - len(packed),
    )


def line_span(region: FoundRegion) -> str:
    """Return a region's first and last line."""
    return f"{region.lines[0][0]}-{region.lines[-1][0]}"


def repeated_line(region: FoundRegion) -> str:
    """Return the line for a region that was shown before."""
    return f"{region.ranked.path}:{line_span(region)} (shown above)"
