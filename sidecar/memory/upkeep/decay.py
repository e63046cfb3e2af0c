"""The attention score, and what time and use make of a memory (intelligence-layer.md 4.6; decisions.md). Pure.

All of it follows from a memory's facts and the present moment: a step taken daily and one step after many days come to
the same.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import groupby
from typing import Literal, NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.memory.entry import Tier

DAY_MS = 86_400_000

HALF_LIFE_DAYS: Mapping[str, float] = {"episodic": 14.0, "semantic": 60.0, "procedural": 90.0, "reflective": 60.0}

ACCESS_GAIN = 0.1
"""`access = 1 + 0.1·ln(1 + count)`."""

WARM_ACCESSES, WARM_EVIDENCE = 3, 2
"""Either lifts a COLD memory to WARM."""

HOT_CONFIDENCE, HOT_EVIDENCE = 0.7, 5
"""More than the one and at least the other lift a WARM memory to HOT."""

HOT_SCORE, WARM_SCORE = 0.7, 0.3
"""A score above the first is HOT, one from the second on WARM."""

ARCHIVE_SCORE, ARCHIVE_DAYS = 0.1, 90
"""A memory whose score stays below the first for the second is archived."""


class Standing(NamedTuple):
    """What a memory's score and tier depend on."""

    sector: str
    confidence: float
    evidence: int
    access_count: int
    last_ms: int
    """When it was accessed last, or happened."""


def recency(sector: str, since_ms: int) -> float:
    """Gives the share that is left after so many milliseconds without access: 1 at once, a half after a half-life."""
    return float(0.5 ** (max(0, since_ms) / DAY_MS / HALF_LIFE_DAYS.get(sector, 60.0)))


def access(count: int) -> float:
    """Gives what being used lifts a score by: 1 when it never was."""
    return 1.0 + ACCESS_GAIN * math.log(1 + max(0, count))


def score(standing: Standing, now_ms: int, base_relevance: float = 1.0) -> float:
    """Gives base relevance × recency × access × confidence, at most 1; without a question the relevance is 1."""
    left = recency(standing.sector, now_ms - standing.last_ms)
    return max(0.0, min(1.0, base_relevance * left * access(standing.access_count) * standing.confidence))


def tier(standing: Standing, now_ms: int) -> Tier:
    """Gives the tier by score, one step higher where use or evidence lift it.

    What lifts a memory lasts as long as its score stays in the tier below: in the end decay brings down everything.
    """
    found = score(standing, now_ms)
    if found > HOT_SCORE:
        return "hot"
    if found >= WARM_SCORE:
        is_proven = standing.confidence > HOT_CONFIDENCE and standing.evidence >= HOT_EVIDENCE
        return "hot" if is_proven else "warm"
    is_used = standing.access_count >= WARM_ACCESSES or standing.evidence >= WARM_EVIDENCE
    return "warm" if is_used and found >= ARCHIVE_SCORE else "cold"


def faint_since_ms(standing: Standing) -> int:
    """Gives the moment from which the score is below `ARCHIVE_SCORE`, if nothing happens to the memory."""
    begun = access(standing.access_count) * standing.confidence
    if begun <= ARCHIVE_SCORE:
        return standing.last_ms
    half_life = HALF_LIFE_DAYS.get(standing.sector, 60.0)
    return standing.last_ms + int(math.log2(begun / ARCHIVE_SCORE) * half_life * DAY_MS)


def is_forgotten(standing: Standing, now_ms: int) -> bool:
    """Says whether the score has been below `ARCHIVE_SCORE` for `ARCHIVE_DAYS`."""
    return now_ms - faint_since_ms(standing) >= ARCHIVE_DAYS * DAY_MS


# What is due: which tiers changed, which files go to the archive, which were for a session only. Pure.


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
