"""Measures of a run's pack: its precision and recall, and the effect of its anchor on the provider's prompt cache.

In passive mode also an upper bound of the reads it would have saved. Paths are compared here and never stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import apsw

from sidecar.capture.effects.run_activity import relative_to
from sidecar.capture.finished_run import FinishedRun
from sidecar.runs import CallRecord, DeliveredItem, SessionKey, entries, ledger, run_records
from sidecar.runs.model import FileUse, PackMetrics, RunUsage


def file_use(
    delivered: Collection[DeliveredItem],
    items_before: Mapping[str, DeliveredItem],
    read: set[str],
    written: set[str],
    created: set[str],
) -> FileUse | None:
    """Compare what a session received about files with what a run did with them; None if the run used no file.

    `delivered` belongs to this call, `items_before` is what the session had before it, `created` are new files.
    """
    used_files = (read | written) - created
    if not used_files:
        return None
    given_paths = {path for item in delivered if (path := entries.context_path(item.key)) is not None}
    before = {path: item for key, item in items_before.items() if (path := entries.context_path(key)) is not None}
    # What the agent read or wrote itself is recorded with zero bytes: nothing was sent.
    known_paths = given_paths | {path for path, item in before.items() if item.bytes}
    needed = used_files - (before.keys() - known_paths)
    content_paths = {path for path, item in before.items() if item.bytes and item.entry != entries.POINTER}
    content_paths |= {
        path
        for item in delivered
        if item.entry != entries.POINTER and (path := entries.context_path(item.key)) is not None
    }
    return FileUse(
        in_pack=_sorted(given_paths),
        used=_sorted(given_paths & used_files),
        needed=_sorted(needed),
        discovered=_sorted(needed - known_paths),
        repeated=_sorted((read & content_paths) - written),
    )


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths))


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


def cache_use(anchor_id: str | None, usage: RunUsage | None) -> CacheUse | None:
    """Read the cache use from the host's report; None if it has none."""
    if usage is None or usage.cache_read_tokens is None or usage.cache_creation_tokens is None:
        return None
    return CacheUse(anchor_id, usage.cache_read_tokens, usage.cache_creation_tokens)


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


def items_before_run(tx: apsw.Connection, run: FinishedRun) -> Mapping[str, DeliveredItem]:
    """Return what the run's session had before its pre-run. Call it before this run's own items are recorded."""
    pre_run = run.delivered_call
    if pre_run is None or pre_run.session_id is None:
        return {}
    return ledger.session_contents(
        tx, SessionKey(pre_run.sub_chat_id, pre_run.provider, pre_run.session_id, pre_run.shadow)
    ).items


def measure_run(tx: apsw.Connection, run: FinishedRun, items_before: Mapping[str, DeliveredItem]) -> PackMetrics | None:
    """Return the pack metrics of a run that used its pre-run's answer. Other runs are not evidence about a pack."""
    if run.delivered_call is None or not run.reached_provider:
        return None
    anchor_id = run.delivered_call.details.metadata.state_ids.anchor_pack_id
    cache_broken = _breaks_cache(tx, run, anchor_id)
    if cache_broken:
        run.call.log.warning("capture.anchor.broke_cache", provider=run.params.provider)
    return PackMetrics(
        anchor_id=anchor_id, file_use=_file_use(run.delivered_call, run, items_before), cache_broken=cache_broken
    )


def measures_of(metrics: PackMetrics | None) -> dict[str, float]:
    """Return the counters of a run's pack metrics."""
    if metrics is None:
        return {}
    use, measures = metrics.file_use, {"cacheBroken": 1.0} if metrics.cache_broken else {}
    if use is None:
        return measures
    return {
        "filesSent": len(use.in_pack), "filesSentAndUsed": len(use.used), "filesNeeded": len(use.needed),
        "filesDiscovered": len(use.discovered), "repeatedReads": len(use.repeated), "measuredRuns": 1, **measures,
    }  # fmt: skip


def estimate_of(run: FinishedRun) -> dict[str, float]:
    """Return the measures of an upper bound: the reads of regions that a pack would have shown, had it been sent."""
    pre_run, params = run.pre_run, run.params
    if pre_run is None or not run.is_shadow or params.assistant is None or not run.reached_provider:
        return {}
    shown = _shown_regions(pre_run)
    calls = [part for part in params.assistant.parts if str(part.get("type")).startswith("tool-")]
    reads = avoidable = 0
    read_bytes = carried = 0.0
    for number, part in enumerate(calls, 1):
        tool_input = part.get("input")
        if part.get("type") != "tool-Read" or not isinstance(tool_input, Mapping):
            continue
        reads += 1
        regions = shown.get(relative_to(params.cwd, str(tool_input.get("file_path", ""))) or "", [])
        seen = [region for region in regions if _shows(tool_input, region)]
        if seen:
            avoidable += 1
            size = sum(region.bytes for region in seen)
            read_bytes, carried = read_bytes + size, carried + size * (len(calls) + 1 - number)
            regions[:] = [region for region in regions if region not in seen]
    pack = pre_run.details.metadata.would_inject_bytes
    return {
        "estimateRuns": 1, "estimateReads": reads, "estimateAvoidableReads": avoidable,
        "estimateAvoidableBytes": read_bytes, "estimateAvoidableCarriedBytes": carried, "estimatePackBytes": pack,
        "estimatePackCarriedBytes": pack * (len(calls) + 1),
    }  # fmt: skip


class _ShownRegion(NamedTuple):
    first: int
    last: int
    bytes: float


def _shown_regions(pre_run: CallRecord) -> dict[str, list[_ShownRegion]]:
    """Return the regions of a pack by path; each has its part of the file's bytes."""
    shown: dict[str, list[_ShownRegion]] = {}
    for item in pre_run.details.items:
        path = entries.context_path(item.key)
        if path is None or item.disposition != "sent" or not item.regions:
            continue
        parts = (part for region in item.regions for part in region.lines.split(","))  # a gap divides a region
        spans = [tuple(map(int, part.split("-"))) for part in parts]
        lines = sum(span[-1] - span[0] + 1 for span in spans)
        shown[path] = [_ShownRegion(span[0], span[-1], item.bytes * (span[-1] - span[0] + 1) / lines) for span in spans]
    return shown


def _shows(tool_input: Mapping[str, Any], region: _ShownRegion) -> bool:
    """Whether a read shows a line of a region."""
    offset, limit = tool_input.get("offset"), tool_input.get("limit")
    first = offset if isinstance(offset, int) else 1
    return first <= region.last and (not isinstance(limit, int) or first + limit > region.first)


def _file_use(delivered: CallRecord, run: FinishedRun, items_before: Mapping[str, DeliveredItem]) -> FileUse | None:
    changed_before = delivered.details.baseline.changed or {}
    read, written = (
        {path for name in names if (path := relative_to(run.params.cwd, name)) is not None}
        for names in (run.activity.read, run.activity.written)
    )
    state = run.effects.state
    new = {file.path for file in state.all_changed if file.kind in _MADE} if state is not None else set()
    created = {
        path for path in (new & written) - changed_before.keys() if entries.counted_key(path) not in changed_before
    }
    return file_use(delivered.details.delivered, items_before, read, written, created=created)


def _breaks_cache(tx: apsw.Connection, run: FinishedRun, anchor_id: str | None) -> bool:
    session, usage = run.params.session.before, run.params.usage
    if session is None or usage is None:
        return False
    earlier = run_records.last_run_of_session(tx, run.params.sub_chat_id, session)
    before = cache_use(earlier.anchor_id, earlier.usage) if earlier is not None else None
    return breaks_cache(before, cache_use(anchor_id, usage))
