"""Measures a run: what its pack was worth, and what its anchor did to the provider's prompt cache."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import apsw

from sidecar.capture.effects.tool_parts import relative_to
from sidecar.capture.run import Finished
from sidecar.runs import Item, SessionKey, keys, ledger, records

# Whether a pack was any good: what of it the agent used, what it lacked, what was read all the same. Pure.


class Worth(NamedTuple):
    """One run's files, by path, sorted."""

    given: tuple[str, ...]
    """What this call's pack told of."""
    used: tuple[str, ...]
    """What of it the run then read or edited: their share is the pack's precision."""
    needed: tuple[str, ...]
    """What the run read or edited and neither made nor knew from its own earlier reading."""
    found: tuple[str, ...]
    """What of it the agent had to find by itself: the rest's share is the pack's recall."""
    repeated: tuple[str, ...]
    """What it read though the session had been given content of it, and did not edit: an edit needs a read first."""


def worth_of(
    delivered: Collection[Item], had: Mapping[str, Item], read: set[str], written: set[str], made: set[str]
) -> Worth | None:
    """Compares what a session was told of files with what a run did with them; None for a run that used none.

    `delivered` is this call's, `had` what the session had before it, `made` the files that the run created.
    """
    looked_at = (read | written) - made
    if not looked_at:
        return None
    given = {path for item in delivered if (path := keys.context_path(item.key)) is not None}
    before = {path: item for key, item in had.items() if (path := keys.context_path(key)) is not None}
    # What the agent read or wrote itself was noted without bytes: nothing was sent.
    told = given | {path for path, item in before.items() if item.bytes}
    needed = looked_at - (before.keys() - told)
    shown = {path for path, item in before.items() if item.bytes and item.digest != keys.POINTER}
    shown |= {
        path for item in delivered if item.digest != keys.POINTER and (path := keys.context_path(item.key)) is not None
    }
    return Worth(
        *(tuple(sorted(paths)) for paths in (
            given, given & looked_at, needed, needed - told, (read & shown) - written,
        ))
    )  # fmt: skip


# What a run's anchor did to the provider's prompt cache. Pure.


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


_MADE = ("untracked", "added")
"""Kinds of a changed file that is in no commit yet."""


class Measured(NamedTuple):
    """What is kept with the run, and what is counted."""

    record: dict[str, Any]
    measures: dict[str, float]


def had_before(tx: apsw.Connection, one: Finished) -> Mapping[str, Item]:
    """Gives what the run's session had before its pre-run; to be asked before this run's own is noted."""
    given = one.given
    if given is None or given.session_id is None:
        return {}
    return ledger.known(tx, SessionKey(given.provider, given.session_id, given.shadow)).items


def measured(tx: apsw.Connection, one: Finished, had: Mapping[str, Item]) -> Measured:
    """Measures a run that used the answer of its pre-run; another one says nothing of a pack."""
    if one.given is None or not one.reached:
        return Measured({}, {})
    record: dict[str, Any] = {"anchor": one.given.record["metadata"]["stateIds"]["anchorPackId"]}
    measures: dict[str, float] = {}
    worth = _worth(one, had)
    if worth is not None:
        record["files"] = worth._asdict()
        measures = {
            "packGiven": len(worth.given), "packUsed": len(worth.used), "filesNeeded": len(worth.needed),
            "filesFound": len(worth.found), "repeatedReads": len(worth.repeated), "measuredRuns": 1,
        }  # fmt: skip
    if _breaks_cache(tx, one, record["anchor"]):
        record["cacheBroken"] = True
        measures["cacheBroken"] = 1
        one.call.log.warning("capture.anchor.broke_cache", provider=one.params.provider)
    return Measured(record, measures)


def _worth(one: Finished, had: Mapping[str, Item]) -> Worth | None:
    delivered = [Item(*item) for item in one.given.record["delivered"]] if one.given is not None else []
    earlier = (one.given.record["changed"] if one.given is not None else None) or {}
    read, written = (
        {path for name in names if (path := relative_to(one.params.cwd, name)) is not None}
        for names in (one.work.read, one.work.written)
    )
    state = one.observed.state
    new = {file.path for file in state.changed if file.kind in _MADE} if state is not None else set()
    return worth_of(delivered, had, read, written, made=(new & written) - earlier.keys())


def _breaks_cache(tx: apsw.Connection, one: Finished, anchor_id: str | None) -> bool:
    session, usage = one.params.session.before, one.params.usage
    if session is None or usage is None:
        return False
    earlier_usage, earlier = records.last_in_session(tx, one.params.sub_chat_id, session)
    before = cache_use((earlier or {}).get("anchor"), earlier_usage)
    return breaks_cache(before, cache_use(anchor_id, usage.model_dump(by_alias=True)))
