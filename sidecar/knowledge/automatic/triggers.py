"""When a sync is due: by time, by sessions, by a moved head; with nothing configured never by itself. Pure."""

from typing import Literal, NamedTuple

from sidecar.settings.kinds import DURATION

Reason = Literal["threshold", "head_moved", "manual"]

_UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)


class Triggers(NamedTuple):
    """What the project's settings say; None and False: not by this."""

    staleness_ms: int | None = None
    sessions: int | None = None
    head_moved: bool = False


class Standing(NamedTuple):
    """How things are."""

    since_sync_ms: int | None
    """None when it was never synced, which counts as stale."""
    sessions: int
    head_moved: bool
    rollback_holds: bool = False
    """The user rolled back, and the head is as it was then."""


class Due(NamedTuple):
    """Whether a sync is due, why, and that in a sentence."""

    is_due: bool
    reason: Reason
    told: str


def due(triggers: Triggers, standing: Standing) -> Due:
    """Decides; a threshold of time has to be exceeded, one of sessions reached (decisions.md, Knowledge sync)."""
    if standing.rollback_holds:
        return Due(False, "manual", "A rollback holds until the repository's head moves on or somebody syncs.")
    since = standing.since_sync_ms
    if triggers.staleness_ms is not None and since is None:
        return Due(True, "threshold", "It was never synced.")
    if triggers.staleness_ms is not None and since is not None and since > triggers.staleness_ms:
        return Due(True, "threshold", "The last sync is longer ago than the staleness threshold.")
    if triggers.sessions is not None and standing.sessions >= triggers.sessions:
        return Due(True, "threshold", f"{standing.sessions} sessions ran since the last sync.")
    if triggers.head_moved and standing.head_moved:
        return Due(True, "head_moved", "The knowledge repository's head has moved since the last sync.")
    return Due(False, "manual", "Nothing that is configured asks for a sync.")


def duration_ms(text: str) -> int:
    """Gives a duration's milliseconds; raises ValueError for what is none."""
    found = DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return sum(int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS_MS, strict=True))
