"""Measures a run: what its pack was worth, and what its anchor did to the provider's prompt cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import apsw

from sidecar.capture.cost import breaks_cache, cache_use
from sidecar.capture.finished import Finished
from sidecar.capture.reading.parts import relative_to
from sidecar.capture.worth import Worth, worth_of
from sidecar.runs import Item, SessionKey, ledger, records

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
