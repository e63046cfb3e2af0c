"""Metrics of a run's pack: its precision and recall, and the effect of its anchor on the provider's prompt cache."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import apsw

from sidecar.capture.effects.tool_parts import relative_to
from sidecar.capture.run import FinishedRun
from sidecar.runs import Item, SessionKey, keys, ledger, records


class PackUse(NamedTuple):
    """Files of one run by their use, as sorted paths."""

    in_pack: tuple[str, ...]
    """Files that this call's pack contained."""
    used: tuple[str, ...]
    """Given files that the run then read or edited; their share is the pack's precision."""
    needed: tuple[str, ...]
    """Files that the run read or edited, and neither created nor knew from reading them earlier."""
    discovered: tuple[str, ...]
    """Needed files that the agent had to find by itself; the share of the others is the pack's recall."""
    repeated: tuple[str, ...]
    """Files read but not edited, although the session had their content. (An edit needs a read first.)"""


def pack_use(
    delivered: Collection[Item], items_before: Mapping[str, Item], read: set[str], written: set[str], created: set[str]
) -> PackUse | None:
    """Compare what a session received about files with what a run did with them; None if the run used no file.

    `delivered` belongs to this call, `items_before` is what the session had before it, `created` are new files.
    """
    used_files = (read | written) - created
    if not used_files:
        return None
    given_paths = {path for item in delivered if (path := keys.context_path(item.key)) is not None}
    before = {path: item for key, item in items_before.items() if (path := keys.context_path(key)) is not None}
    # What the agent read or wrote itself is recorded with zero bytes: nothing was sent.
    known_paths = given_paths | {path for path, item in before.items() if item.bytes}
    needed = used_files - (before.keys() - known_paths)
    content_paths = {path for path, item in before.items() if item.bytes and item.digest != keys.POINTER}
    content_paths |= {
        path for item in delivered if item.digest != keys.POINTER and (path := keys.context_path(item.key)) is not None
    }
    return PackUse(
        *(tuple(sorted(paths)) for paths in (
            given_paths, given_paths & used_files, needed, needed - known_paths, (read & content_paths) - written,
        ))
    )  # fmt: skip


COSTLIER = 2.0
"""Factor by which the share of written cache tokens must grow to rule out chance."""


class CacheUse(NamedTuple):
    """Use of the provider's prompt cache by a run, in tokens, and the run's anchor."""

    anchor_id: str | None
    read: int
    written: int

    @property
    def missed(self) -> float:
        """Share of the cacheable tokens that had to be written."""
        return self.written / (self.read + self.written) if self.read + self.written else 0.0


def cache_use(anchor_id: str | None, usage: Mapping[str, Any] | None) -> CacheUse | None:
    """Read the cache use from the host's report; None if it has none."""
    if usage is None or usage.get("cacheReadTokens") is None or usage.get("cacheCreationTokens") is None:
        return None
    return CacheUse(anchor_id, int(usage["cacheReadTokens"]), int(usage["cacheCreationTokens"]))


def breaks_cache(before: CacheUse | None, current: CacheUse | None) -> bool:
    """Whether a different anchor than in the session's previous run made the provider rewrite its cached prefix.

    Tokens are sums over all calls of a run, so the share is compared: one miss at the start, then reads again.
    """
    if before is None or current is None or None in (before.anchor_id, current.anchor_id):
        return False
    if before.anchor_id == current.anchor_id:
        return False
    return current.written > before.written and current.missed >= COSTLIER * before.missed


_MADE = ("untracked", "added")
"""Kinds of changed files that no commit contains yet."""


class RunMeasures(NamedTuple):
    """Stored metrics of a run, and its counters."""

    record: dict[str, Any]
    measures: dict[str, float]


def items_before_run(tx: apsw.Connection, run: FinishedRun) -> Mapping[str, Item]:
    """Return what the run's session had before its pre-run. Call it before this run's own items are recorded."""
    pre_run = run.delivered_call
    if pre_run is None or pre_run.session_id is None:
        return {}
    return ledger.session_contents(tx, SessionKey(pre_run.provider, pre_run.session_id, pre_run.shadow)).items


def measure_run(tx: apsw.Connection, run: FinishedRun, items_before: Mapping[str, Item]) -> RunMeasures:
    """Measure a run that used its pre-run's answer. Any other run is no evidence about a pack."""
    if run.delivered_call is None or not run.reached_provider:
        return RunMeasures({}, {})
    record: dict[str, Any] = {"anchor": run.delivered_call.record["metadata"]["stateIds"]["anchorPackId"]}
    measures: dict[str, float] = {}
    use = _pack_use(run, items_before)
    if use is not None:
        record["files"] = use._asdict()
        measures = {
            "packGiven": len(use.in_pack), "packUsed": len(use.used), "filesNeeded": len(use.needed),
            "filesFound": len(use.discovered), "repeatedReads": len(use.repeated), "measuredRuns": 1,
        }  # fmt: skip
    if _breaks_cache(tx, run, record["anchor"]):
        record["cacheBroken"] = True
        measures["cacheBroken"] = 1
        run.call.log.warning("capture.anchor.broke_cache", provider=run.params.provider)
    return RunMeasures(record, measures)


def _pack_use(run: FinishedRun, items_before: Mapping[str, Item]) -> PackUse | None:
    delivered = (
        [Item(*item) for item in run.delivered_call.record["delivered"]] if run.delivered_call is not None else []
    )
    earlier = (run.delivered_call.record["changed"] if run.delivered_call is not None else None) or {}
    read, written = (
        {path for name in names if (path := relative_to(run.params.cwd, name)) is not None}
        for names in (run.activity.read, run.activity.written)
    )
    state = run.effects.state
    new = {file.path for file in state.changed if file.kind in _MADE} if state is not None else set()
    return pack_use(delivered, items_before, read, written, created=(new & written) - earlier.keys())


def _breaks_cache(tx: apsw.Connection, run: FinishedRun, anchor_id: str | None) -> bool:
    session, usage = run.params.session.before, run.params.usage
    if session is None or usage is None:
        return False
    earlier_usage, earlier = records.last_run_metrics(tx, run.params.sub_chat_id, session)
    before = cache_use((earlier or {}).get("anchor"), earlier_usage)
    return breaks_cache(before, cache_use(anchor_id, usage.model_dump(by_alias=True)))
