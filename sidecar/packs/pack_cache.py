"""Packs by everything that they depend on, in memory and in the state file."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.codebase import RankedFile
from sidecar.core.lru_cache import LruCache
from sidecar.packs.context_pack import ContextFile, ShownRegion
from sidecar.runs.delivered_entries import SentRegion
from sidecar.storage.two_level_cache import Cache

RECENT_PACKS = 64
"""Number of decoded packs in memory, besides their texts in the hot cache."""


class PackKey(NamedTuple):
    """Everything a cached pack depends on; nothing that differs between conversations."""

    workspace: str
    task_fingerprint: str
    changed_files_hash: str
    head_commit: str
    provider: str
    mode: str
    budget_profile: str
    sources: str


class CachedPack(NamedTuple):
    """The anchor's lines and the context's files."""

    anchor: tuple[str, ...]
    files: tuple[ContextFile, ...]
    omitted: tuple[str, ...] = ()
    """Lines that did not fit into the anchor."""
    weaker: int = 0
    """Number of candidates for the context that match less than its files."""


NO_PACK = CachedPack((), ())


class PackCache:
    """Packs by key, in memory and in the state file."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 4
        self._cache = Cache(
            "continuity_pack_cache", PackKey._fields, process.database, process.hot_cache, limit,
            short_lived=("changed_files_hash", "head_commit"),
        )  # fmt: skip
        self._recent: LruCache[Hashable, object] = LruCache(RECENT_PACKS)
        self._lock = threading.Lock()
        self._builds: dict[PackKey, threading.Event] = {}

    def get(self, key: PackKey) -> CachedPack | None:
        """Return the pack for exactly this key."""
        pack = self.get_in_memory(key)
        if pack is None and (value := self._cache.get(tuple(key))) is not None:
            pack = _from_json(value)
            self._recent.put(key, pack, 1)
        return pack

    def get_in_memory(self, key: PackKey) -> CachedPack | None:
        """Return a recently used pack without reading the state file."""
        pack = self._recent.get(key)
        if not isinstance(pack, CachedPack):
            return None
        self._cache.mark_used(tuple(key))
        return pack

    @contextmanager
    def build_lock(self, key: PackKey, wait_ms: float) -> Iterator[None]:
        """Let one thread at a time build a pack: a second one waits at most `wait_ms`, and may then find it cached."""
        with self._lock:
            others = self._builds.get(key)
            mine = None if others else self._builds.setdefault(key, threading.Event())
        if others is not None:
            others.wait(wait_ms / 1000)
        try:
            yield
        finally:
            if mine is not None:
                with self._lock:
                    del self._builds[key]
                mine.set()

    def put(self, key: PackKey, pack: CachedPack, now_ms: int) -> None:
        """Store a pack."""
        self._recent.put(key, pack, 1)
        self._cache.put(tuple(key), partial(_to_json, pack), now_ms)


def _to_json(pack: CachedPack) -> dict[str, Any]:
    files = [
        [
            list(file.ranked),
            file.content,
            file.purpose,
            file.why,
            [_region_to_json(region) for region in file.regions],
            file.is_last,
        ]
        for file in pack.files
    ]  # fmt: skip
    return {"anchor": list(pack.anchor), "files": files, "omitted": list(pack.omitted), "weaker": pack.weaker}


def _region_to_json(region: ShownRegion) -> list[Any]:
    sent = [region.sent.name, region.sent.content]
    return [region.order, region.name, region.lines, sent, region.parts, region.goes_on]


def _from_json(value: dict[str, Any]) -> CachedPack:
    files: list[ContextFile] = []
    for (path, score, parts, matched, near), content, purpose, why, regions, is_last in value["files"]:
        ranked = RankedFile(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in near))
        shown = (
            ShownRegion(order, name, tuple((number, text) for number, text in lines), SentRegion(*sent), *rest)
            for order, name, lines, sent, *rest in regions
        )
        files.append(ContextFile(ranked, content, purpose, why, tuple(shown), is_last))
    return CachedPack(tuple(value["anchor"]), tuple(files), tuple(value["omitted"]), value["weaker"])
