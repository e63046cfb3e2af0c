"""The pack cache: the chosen context files of a task in a state of the repository."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from sidecar.call import Process
from sidecar.codebase import Ranked, Summary, from_json, to_json
from sidecar.packs.context_pack import ContextFile
from sidecar.storage.cache import Cache
from sidecar.storage.lru import Lru

PACK_VERSION = 11
"""Part of the key's sources: a change of what a pack holds makes the old ones invalid."""

PACKS_AT_HAND = 64
"""Packs kept as they are used, beside their texts in the hot cache."""


class PackKey(NamedTuple):
    """What a cached pack depends on, and nothing that differs from conversation to conversation."""

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
    left_out: tuple[str, ...] = ()
    """Lines that the anchor had no room for."""


class PackCache:
    """Packs by key, in memory and in the state file."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 4
        self._cache = Cache(
            "continuity_pack_cache", PackKey._fields, process.database, process.hot, limit,
            passing=("changed_files_hash", "head_commit"),
        )  # fmt: skip
        self._at_hand = Lru(PACKS_AT_HAND)
        self._lock = threading.Lock()
        self._making: dict[PackKey, threading.Event] = {}

    def get(self, key: PackKey) -> CachedPack | None:
        """Gives the pack that was made for exactly this key."""
        pack = self.at_hand(key)
        if pack is None and (value := self._cache.get(tuple(key))) is not None:
            pack = _from_json(value)
            self._at_hand.put(key, pack, 1)
        return pack

    def at_hand(self, key: PackKey) -> CachedPack | None:
        """Gives the pack if it was used lately, without asking the state file."""
        pack = self._at_hand.get(key)
        if not isinstance(pack, CachedPack):
            return None
        self._cache.note_use(tuple(key))
        return pack

    @contextmanager
    def making(self, key: PackKey, wait_ms: float) -> Iterator[None]:
        """Lets one thread at a time make a pack: who comes second waits, `wait_ms` at most, and may find it cached."""
        with self._lock:
            others = self._making.get(key)
            mine = None if others else self._making.setdefault(key, threading.Event())
        if others is not None:
            others.wait(wait_ms / 1000)
        try:
            yield
        finally:
            if mine is not None:
                with self._lock:
                    del self._making[key]
                mine.set()

    def put(self, key: PackKey, pack: CachedPack, now_ms: int) -> None:
        """Keeps a pack."""
        self._at_hand.put(key, pack, 1)
        self._cache.put(tuple(key), partial(_to_json, pack), now_ms)


def _to_json(pack: CachedPack) -> dict[str, Any]:
    files = [
        [list(file.ranked), file.content, to_json(_kept(file.summary)), file.why, list(file.passage)]
        for file in pack.files
    ]
    return {"anchor": list(pack.anchor), "files": files, "leftOut": list(pack.left_out)}


def _kept(summary: Summary) -> Summary:
    """What a pack shows of a summary, whose secrets were masked before anything was cut out of the file."""
    return summary._replace(imports=(), references=())


def _from_json(value: dict[str, Any]) -> CachedPack:
    files: list[ContextFile] = []
    for (path, score, parts, matched, near), content, summary, why, passage in value["files"]:
        ranked = Ranked(path, score, parts, tuple(matched), tuple((kind, seed) for kind, seed in near))
        files.append(ContextFile(ranked, content, from_json(summary), why, tuple(map(tuple, passage))))
    return CachedPack(tuple(value["anchor"]), tuple(files), tuple(value["leftOut"]))
