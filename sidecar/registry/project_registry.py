"""The current registry of a project, cached: its file, checked on every call, and the entities derived from code."""

import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.lru_cache import LruCache
from sidecar.registry import store
from sidecar.registry.entities import Entity, Metadata, Registry, Remark
from sidecar.registry.index import Index, words_of_entity
from sidecar.registry.model import RegistryParams
from sidecar.registry.registry_file import MalformedYaml, RegistryFile, find_registry_file, parse
from sidecar.registry.store import EntityWordsCache, ParsedRegistryCache
from sidecar.workspace import Workspace


def merge_derived(
    file_registry: Registry, derived: Sequence[Entity], dismissed_ids: Collection[str], digest: str
) -> Registry:
    """Return the file's entities with the derived ones, except those in the file and those the user removed.

    A derived entity is in the file if the file has its id, or an entity for the same file as a whole.
    """
    ids = file_registry.by_id
    files = {entity.path for entity in file_registry.entities}
    added = [
        entity
        for entity in derived
        if entity.id not in ids and entity.id not in dismissed_ids and not _is_in(files, entity)
    ]
    return Registry((*file_registry.entities, *added), file_registry.metadata, file_registry.remarks, digest)


def _is_in(files: Collection[str], derived: Entity) -> bool:
    return derived.key == derived.path and derived.path in files


MAX_OPEN_PROJECTS = 8

SMALL_BYTES = 128 * 1024
"""A registry of about four hundred entities, which is parsed in a tenth of a second."""

MIN_CACHED_ENTITIES = 500
"""Minimum number of entities for caching their words on disk; fewer are split faster than the cache is read."""


class LoadedRegistry(NamedTuple):
    """A registry with its file."""

    file: RegistryFile
    registry: Registry
    damage: str
    """Reason why the file cannot be read, and its entities are unknown; empty otherwise."""


_CacheKey = tuple[str, str, str]
"""Path and digest of the file, and digest of the derived entities."""


class ProjectRegistry:
    """One project's registry and index in memory. Thread-safe."""

    def __init__(self, project: Path, key: str, process: Process) -> None:
        self._project = project
        self._key = key
        self._process = process
        self._parsed = process.slices.registry.parsed
        self._words = process.slices.registry.words
        self._lock = threading.Lock()
        self._index_lock = threading.Lock()
        self._loaded: tuple[_CacheKey, LoadedRegistry] | None = None
        self._index: tuple[str, Index] | None = None
        self._derived: tuple[int, str] | None = None

    def load(self) -> LoadedRegistry:
        """Return the registry; it is rebuilt only if the file's bytes or the derived entities changed."""
        return self._load_cached(*self._current_key())

    def _load_cached(self, key: _CacheKey, file: RegistryFile) -> LoadedRegistry:
        with self._lock:
            if self._loaded is None or self._loaded[0] != key:
                self._loaded = (key, self._load(file, key[1], key[2]))
            return self._loaded[1]

    def _load(self, file: RegistryFile, digest: str, derived: str) -> LoadedRegistry:
        registry, damage = self._of_file(file, digest)
        if derived:
            with self._process.database.read() as tx:
                stored, dismissed_ids = store.derived(tx, self._key), store.dismissed(tx, self._key)
            registry = merge_derived(registry, stored.entities, dismissed_ids, short_id([digest, derived], 40))
        return LoadedRegistry(file, registry, damage)

    def index(self, registry: Registry) -> Index:
        """Return the index of a registry, built on first use.

        Words of entities seen before, here or in another process, are reused.
        """
        with self._index_lock:
            if self._index is None or self._index[0] != registry.digest:
                self._index = (registry.digest, self._indexed(registry, self._index[1] if self._index else None))
            return self._index[1]

    def if_ready(self) -> Registry | None:
        """Return the registry if it is small or in memory, so that a decision takes a few milliseconds; else None."""
        key, file = self._current_key()
        is_small = len(file.content or b"") <= SMALL_BYTES and not key[2]
        loaded = self._loaded
        if not is_small and (loaded is None or loaded[0] != key or not self._has_index(loaded[1].registry)):
            return None
        return self._load_cached(key, file).registry

    def warm_up(self) -> None:
        """Load the registry and build its index."""
        self.index(self.load().registry)

    def _has_index(self, registry: Registry) -> bool:
        return self._index is not None and self._index[0] == registry.digest

    def _current_key(self) -> tuple[_CacheKey, RegistryFile]:
        """Return the current file and the key of the registry made from it."""
        file = find_registry_file(self._project)
        digest = digest_bytes(file.content) if file.content is not None else ""
        return (file.path, digest, self._derived_digest()), file

    def _derived_digest(self) -> str:
        """Return the digest of the derived entities; it is read again only after a commit to the database."""
        generation, known = self._process.database.generation(), self._derived
        if known is not None and known[0] == generation:
            return known[1]
        with self._process.database.read() as tx:
            derived = store.derived_digest(tx, self._key)
        self._derived = generation, derived
        return derived

    def _indexed(self, registry: Registry, before: Index | None) -> Index:
        known = self._words.get(registry.digest)
        if known is not None and len(known) == len(registry.entities):
            return Index(registry.entities, known)
        known_words = dict(zip(before.entities, before.words, strict=True)) if before else {}
        words = [known_words.get(entity) or words_of_entity(entity) for entity in registry.entities]
        if len(words) >= MIN_CACHED_ENTITIES:
            self._words.put(registry.digest, words, self._process.clock.now_ms())
        return Index(registry.entities, words)

    def _of_file(self, file: RegistryFile, digest: str) -> tuple[Registry, str]:
        if file.content is None:
            return Registry((), Metadata()), ""
        known = self._parsed.get(digest)
        if known is not None:
            return known, ""
        try:
            parsed = parse(file.content.decode("utf-8-sig"))
        except (MalformedYaml, UnicodeDecodeError) as error:
            damage = str(error) if isinstance(error, MalformedYaml) else "The file is not UTF-8."
            return Registry((), Metadata(), [Remark(0, file.path, damage)], digest), damage
        registry = Registry(parsed.entities, parsed.metadata, parsed.remarks, digest)
        self._parsed.put(registry, self._process.clock.now_ms())
        return registry, ""


class OpenRegistries:
    """Registries in use, by project, which worktrees share; the least recently used one is dropped first."""

    def __init__(self) -> None:
        self._registries: LruCache[str, ProjectRegistry] = LruCache(MAX_OPEN_PROJECTS)

    def of(self, workspace: Workspace, process: Process) -> ProjectRegistry:
        """Return a project's registry, created on first use."""
        key = workspace.project_key
        return self._registries.get_or_create(key, lambda: ProjectRegistry(workspace.project, key, process))


class RegistryState:
    """Open registries and their caches, for the lifetime of the process."""

    def __init__(self, process: Process) -> None:
        self.open = OpenRegistries()
        self.parsed = ParsedRegistryCache(process)
        self.words = EntityWordsCache(process)


def registry_for_call(call: Call, params: RegistryParams) -> tuple[Workspace, ProjectRegistry]:
    """Return the workspace of a call and its registry; raise WorkspaceUnavailable."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    return workspace, registry_for_workspace(workspace, call.process)


def registry_for_workspace(workspace: Workspace, process: Process) -> ProjectRegistry:
    """Return the registry of a workspace's project."""
    return process.slices.registry.open.of(workspace, process)
