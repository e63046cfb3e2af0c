"""What is due: which tiers changed, which files go to the archive, which were for a session only. Pure."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Literal, NamedTuple

from sidecar.core.regex import regex
from sidecar.memory.entry import Tier
from sidecar.memory.upkeep.attention import DAY_MS, Standing, is_forgotten, tier

ArchiveReason = Literal["old", "faint"]

SESSION_HOURS = 24
"""What was kept for a session only is cleaned at the next start, and a day later at the latest."""

DAILY_DAYS = 30
"""A daily memory is archived after this many days."""

_DAY = regex(r"/(\d{4}-\d{2}-\d{2})(?:/|[-.])")


class Row(NamedTuple):
    """What a memory's upkeep depends on, without its words."""

    path: str
    position: int
    id: str
    owner: str
    keeping: str
    sector: str
    confidence: float
    evidence: int
    access_count: int
    last_accessed_ms: int | None
    at_ms: int
    tier: Tier


class TierChange(NamedTuple):
    """A memory whose tier is another one now."""

    row: Row
    to: Tier


class Archiving(NamedTuple):
    """A file that goes to the archive, and why: its day is long gone, or all in it has been faint for long."""

    path: str
    reason: ArchiveReason
    rows: tuple[Row, ...]


class Due(NamedTuple):
    """What upkeep has to do."""

    tiers: tuple[TierChange, ...]
    archive: tuple[Archiving, ...]
    cleaned: tuple[Archiving, ...]
    """Files of the session tier that go for good."""


def due(rows: Iterable[Row], now_ms: int) -> Due:
    """Says what is due; `rows` in the order of the files. Durable memories never expire."""
    tiers: list[TierChange] = []
    archive: list[Archiving] = []
    cleaned: list[Archiving] = []
    for path, group in groupby(rows, lambda row: row.path):
        entries = tuple(group)
        reason = _expiry(entries, now_ms)
        if reason is not None:
            (cleaned if entries[0].keeping == "session" else archive).append(Archiving(path, reason, entries))
        else:
            tiers.extend(_moved(entries, now_ms))
    return Due(tuple(tiers), tuple(archive), tuple(cleaned))


def standing_of(row: Row) -> Standing:
    """Gives what a memory's score depends on."""
    last_ms = max(row.at_ms, row.last_accessed_ms or 0)
    return Standing(row.sector, row.confidence, row.evidence, row.access_count, last_ms)


def _moved(entries: Iterable[Row], now_ms: int) -> Iterator[TierChange]:
    for row in entries:
        found = tier(standing_of(row), now_ms)
        if found != row.tier:
            yield TierChange(row, found)


def _expiry(entries: tuple[Row, ...], now_ms: int) -> ArchiveReason | None:
    keeping = entries[0].keeping
    if keeping == "durable":
        return None
    if keeping == "session":
        return "old" if now_ms - max(row.at_ms for row in entries) >= SESSION_HOURS * 3_600_000 else None
    if now_ms - _begun_ms(entries) >= DAILY_DAYS * DAY_MS:
        return "old"
    return "faint" if all(is_forgotten(standing_of(row), now_ms) for row in entries) else None


def _begun_ms(entries: tuple[Row, ...]) -> int:
    """Gives the beginning of a file's day, as its folder says, else when its newest entry is of."""
    found = _DAY.search(entries[0].path)
    try:
        day = date.fromisoformat(found[1]) if found else None
    except ValueError:
        day = None
    if day is None:
        return max(row.at_ms for row in entries)
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
