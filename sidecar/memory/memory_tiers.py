"""The attention score, and what is due: tier changes, archiving, removal. Pure.

Everything follows from a memory's facts and the present moment: daily
steps and one step after many days have the same result.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Literal, NamedTuple

from sidecar.core.clock import DAY_MS, HOUR_MS, parse_time_ms
from sidecar.core.lazy_regex import lazy_regex
from sidecar.memory.entry import Tier

HALF_LIFE_DAYS: Mapping[str, float] = {"episodic": 14.0, "semantic": 60.0, "procedural": 90.0, "reflective": 60.0}

ACCESS_GAIN = 0.1
"""`access = 1 + 0.1·ln(1 + count)`."""

WARM_ACCESSES, WARM_EVIDENCE = 3, 2
"""Either of WARM_ACCESSES and WARM_EVIDENCE lifts a COLD memory to WARM."""

HOT_CONFIDENCE, HOT_EVIDENCE = 0.7, 5
"""More than HOT_CONFIDENCE together with at least HOT_EVIDENCE lifts a WARM memory to HOT."""

HOT_SCORE, WARM_SCORE = 0.7, 0.3
"""A score above HOT_SCORE is HOT; one from WARM_SCORE on is WARM."""

ARCHIVE_SCORE, ARCHIVE_DAYS = 0.1, 90
"""A memory whose score stays below ARCHIVE_SCORE for ARCHIVE_DAYS is archived."""


class ScoreInputs(NamedTuple):
    """Inputs of a memory's score and tier."""

    sector: str
    confidence: float
    evidence: int
    access_count: int
    last_ms: int
    """Time of the last access, or of the event."""


def recency(sector: str, since_ms: int) -> float:
    """Return the share that remains after this time without access: 1 at once, 0.5 after a half-life."""
    return float(0.5 ** (max(0, since_ms) / DAY_MS / HALF_LIFE_DAYS.get(sector, 60.0)))


def access(count: int) -> float:
    """Return the gain from use: 1 without any."""
    return 1.0 + ACCESS_GAIN * math.log(1 + max(0, count))


def score(inputs: ScoreInputs, now_ms: int, base_relevance: float = 1.0) -> float:
    """Return base relevance × recency × access × confidence, at most 1; without a query the base relevance is 1."""
    recent_share = recency(inputs.sector, now_ms - inputs.last_ms)
    return max(0.0, min(1.0, base_relevance * recent_share * access(inputs.access_count) * inputs.confidence))


def tier(inputs: ScoreInputs, now_ms: int) -> Tier:
    """Return the tier by score, one step higher if use or evidence lift it.

    The lift lasts while the score is in the tier below: in the end decay lowers everything.
    """
    value = score(inputs, now_ms)
    if value > HOT_SCORE:
        return "hot"
    if value >= WARM_SCORE:
        is_proven = inputs.confidence > HOT_CONFIDENCE and inputs.evidence >= HOT_EVIDENCE
        return "hot" if is_proven else "warm"
    is_used = inputs.access_count >= WARM_ACCESSES or inputs.evidence >= WARM_EVIDENCE
    return "warm" if is_used and value >= ARCHIVE_SCORE else "cold"


def stale_since_ms(inputs: ScoreInputs) -> int:
    """Return the moment from which the score is below ARCHIVE_SCORE, if nothing happens to the memory."""
    initial = access(inputs.access_count) * inputs.confidence
    if initial <= ARCHIVE_SCORE:
        return inputs.last_ms
    half_life = HALF_LIFE_DAYS.get(inputs.sector, 60.0)
    return inputs.last_ms + int(math.log2(initial / ARCHIVE_SCORE) * half_life * DAY_MS)


def is_stale(inputs: ScoreInputs, now_ms: int) -> bool:
    """Whether the score has been below ARCHIVE_SCORE for ARCHIVE_DAYS."""
    return now_ms - stale_since_ms(inputs) >= ARCHIVE_DAYS * DAY_MS


ArchiveReason = Literal["expired", "stale"]

SESSION_HOURS = 24
"""Session memories are removed at the next start, and after this many hours at the latest."""

DAILY_DAYS = 30
"""A daily memory is archived after this many days."""

RESTORED_TAG = "restored"
"""Tag of memories that the user took back from the archive; their file neither expires nor becomes stale."""

_DAY = lazy_regex(r"/(\d{4}-\d{2}-\d{2})(?:/|[-.])")


class UpkeepRow(NamedTuple):
    """Inputs of a memory's upkeep, without its text."""

    path: str
    position: int
    id: str
    owner: str
    retention: str
    sector: str
    confidence: float
    evidence: int
    access_count: int
    last_accessed_ms: int | None
    at_ms: int
    tier: Tier
    tags: str
    """JSON list."""


class TierChange(NamedTuple):
    """A memory with a new tier."""

    row: UpkeepRow
    to: Tier


class FileRemoval(NamedTuple):
    """A file to archive or remove, and why: its time is over, or all its entries have been stale for long."""

    path: str
    reason: ArchiveReason
    rows: tuple[UpkeepRow, ...]


class DueUpkeep(NamedTuple):
    """The changes that upkeep has to make."""

    tiers: tuple[TierChange, ...]
    archive: tuple[FileRemoval, ...]
    cleaned: tuple[FileRemoval, ...]
    """Session files to delete."""


def due_upkeep(rows: Iterable[UpkeepRow], now_ms: int) -> DueUpkeep:
    """Decide what is due; `rows` in file order. Durable memories never expire."""
    tiers: list[TierChange] = []
    archive: list[FileRemoval] = []
    cleaned: list[FileRemoval] = []
    for path, group in groupby(rows, lambda row: row.path):
        entries = tuple(group)
        reason = _expiry_reason(entries, now_ms)
        if reason is not None:
            (cleaned if entries[0].retention == "session" else archive).append(FileRemoval(path, reason, entries))
        else:
            tiers.extend(_tier_changes(entries, now_ms))
    return DueUpkeep(tuple(tiers), tuple(archive), tuple(cleaned))


def score_inputs_of(row: UpkeepRow) -> ScoreInputs:
    """Return what a memory's score depends on."""
    last_ms = max(row.at_ms, row.last_accessed_ms or 0)
    return ScoreInputs(row.sector, row.confidence, row.evidence, row.access_count, last_ms)


def _tier_changes(entries: Iterable[UpkeepRow], now_ms: int) -> Iterator[TierChange]:
    for row in entries:
        new_tier = tier(score_inputs_of(row), now_ms)
        if new_tier != row.tier:
            yield TierChange(row, new_tier)


def _expiry_reason(entries: tuple[UpkeepRow, ...], now_ms: int) -> ArchiveReason | None:
    retention = entries[0].retention
    if retention == "durable" or any(f'"{RESTORED_TAG}"' in row.tags for row in entries):
        return None
    if retention == "session":
        return "expired" if now_ms - max(row.at_ms for row in entries) >= SESSION_HOURS * HOUR_MS else None
    if now_ms - _start_ms(entries) >= DAILY_DAYS * DAY_MS:
        return "expired"
    return "stale" if all(is_stale(score_inputs_of(row), now_ms) for row in entries) else None


def _start_ms(entries: tuple[UpkeepRow, ...]) -> int:
    """Return the start of a file's day by its folder, else the time of its newest entry."""
    match = _DAY.search(entries[0].path)
    day_ms = parse_time_ms(match[1]) if match else None
    return day_ms if day_ms is not None else max(row.at_ms for row in entries)
