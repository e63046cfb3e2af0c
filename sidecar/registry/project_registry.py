"""The current registry of a project, cached: its file, checked on every call, and the entities derived from code."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.codebase import Listing, Repository, StateUnavailable
from sidecar.core.digests import digest_bytes, short_id
from sidecar.core.errors import SidecarError, WorkspaceUnavailable
from sidecar.core.lru_cache import LruCache
from sidecar.core.yaml_text import shared_parses
from sidecar.registry import store
from sidecar.registry.code_entities import Derived, SourceFileFacts, derive, facts_of, type_of
from sidecar.registry.entities import Entity, Metadata, Registry, Remark
from sidecar.registry.model import RegistryParams
from sidecar.registry.registry_file import MalformedYaml, RegistryFile, find_registry_file, parse
from sidecar.registry.scoring import RegistryIndex, words_of_entity
from sidecar.registry.store import EntityWordsCache, ParsedRegistryCache
from sidecar.workspace import Workspace


def merge_derived(
    file_registry: Registry, derived: Sequence[Entity], dismissed_ids: Collection[str], digest: str
) -> Registry:
    """Return the file's entities with the derived ones, except those in the file and those the user removed.

    A derived entity is in the file if the file has its id, or an entity for the same file as a whole.
    """
    ids = file_registry.by_id
    files = {entity.path for entity in file_registry.entities if not entity.key.startswith(f"{entity.path}#")}
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


class _CacheKey(NamedTuple):
    """Everything a loaded registry is made from."""

    path: str
    file_digest: str
    derived_digest: str
    """Empty without derived entities."""


def _is_small(key: _CacheKey, file: RegistryFile) -> bool:
    """Whether a registry is read so quickly that a prompt can wait for it; derived entities may be many."""
    return len(file.content or b"") <= SMALL_BYTES and not key.derived_digest


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
        self._index: tuple[str, RegistryIndex] | None = None
        self._derived: tuple[int, str] | None = None
        self._follow_lock = threading.Lock()
        self._changed_in: Workspace | None = None

    def note_change(self, workspace: Workspace) -> None:
        """Derive the entities again before the next answer, because a run changed code in a worktree."""
        if self._derived_digest():
            self._changed_in = workspace
            self._process.background.start(self.warm_up)

    def _follow_changes(self) -> None:
        with self._follow_lock:  # also while another thread follows
            workspace, self._changed_in = self._changed_in, None
            if workspace is None:
                return
            try:
                derive_from_code(workspace, self._process)
            except SidecarError as error:
                self._process.log.warning("registry.follow.failed", reason=error.kind)

    def load(self) -> LoadedRegistry:
        """Return the registry; it is rebuilt only if the file's bytes or the derived entities changed."""
        self._follow_changes()
        return self._load_cached(*self._current_key())

    def preview(self, file_registry: Registry | None, dismissed_ids: Collection[str]) -> Registry:
        """Return the registry that another content of its file, and more dismissed entities, would yield."""
        file_registry = file_registry or self._of_current_file()
        with self._process.database.read() as tx:
            stored, dismissed_before = store.derived(tx, self._key), store.dismissed(tx, self._key)
        return merge_derived(file_registry, stored.entities, {*dismissed_before, *dismissed_ids}, "")

    def _of_current_file(self) -> Registry:
        key, file = self._current_key()
        return self._of_file(file, key.file_digest)[0]

    def _load_cached(self, key: _CacheKey, file: RegistryFile) -> LoadedRegistry:
        with self._lock:
            if self._loaded is None or self._loaded[0] != key:
                self._loaded = (key, self._load(file, key.file_digest, key.derived_digest))
            return self._loaded[1]

    def _load(self, file: RegistryFile, digest: str, derived: str) -> LoadedRegistry:
        registry, damage = self._of_file(file, digest)
        if derived:
            with self._process.database.read() as tx:
                stored, dismissed_ids = store.derived(tx, self._key), store.dismissed(tx, self._key)
            registry = merge_derived(registry, stored.entities, dismissed_ids, short_id([digest, derived], 40))
        return LoadedRegistry(file, registry, damage)

    def index(self, registry: Registry) -> RegistryIndex:
        """Return the index of a registry, built on first use.

        Words of entities seen before, here or in another process, are reused.
        """
        with self._index_lock:
            if self._index is None or self._index[0] != registry.digest:
                self._index = (registry.digest, self._indexed(registry, self._index[1] if self._index else None))
            return self._index[1]

    def is_unread(self) -> bool:
        """Whether the registry is large and was never read by this process."""
        if self._loaded is not None:
            return False
        key, file = self._current_key()
        return not _is_small(key, file)

    def if_ready(self) -> Registry | None:
        """Return the registry if it is small or in memory, so that a decision takes a few milliseconds; else None."""
        if self._changed_in is not None or self._follow_lock.locked():
            return None
        key, file = self._current_key()
        loaded = self._loaded
        if not _is_small(key, file) and (loaded is None or loaded[0] != key or not self._has_index(loaded[1].registry)):
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
        return _CacheKey(file.path, digest, self._derived_digest()), file

    def _derived_digest(self) -> str:
        """Return the digest of the derived entities; it is read again only after a commit to the database."""
        generation, known = self._process.database.generation(), self._derived
        if known is not None and known[0] == generation:
            return known[1]
        with self._process.database.read() as tx:
            derived = store.derived_digest(tx, self._key)
        self._derived = generation, derived
        return derived

    def _indexed(self, registry: Registry, before: RegistryIndex | None) -> RegistryIndex:
        known = self._words.get(registry.digest)
        if known is not None and len(known) == len(registry.entities):
            return RegistryIndex(registry.entities, known)
        known_words = dict(zip(before.entities, before.words, strict=True)) if before else {}
        words = [known_words.get(entity) or words_of_entity(entity) for entity in registry.entities]
        if len(words) >= MIN_CACHED_ENTITIES:
            self._words.put(registry.digest, words, self._process.clock.now_ms())
        return RegistryIndex(registry.entities, words)

    def _of_file(self, file: RegistryFile, digest: str) -> tuple[Registry, str]:
        if file.content is None:
            return Registry((), Metadata()), ""
        known = self._parsed.get(digest)
        if known is not None:
            return known, ""
        try:
            with shared_parses():
                parsed = parse(file.content.decode("utf-8-sig"))
        except (MalformedYaml, UnicodeDecodeError) as error:
            damage = str(error) if isinstance(error, MalformedYaml) else "The file is not UTF-8."
            return Registry((), Metadata(), [Remark(0, file.path, damage)], digest), damage
        registry = Registry(parsed.entities, parsed.metadata, parsed.remarks, digest)
        self._parsed.put(registry, self._process.clock.now_ms())
        return registry, ""


BATCH_FILES = 64
"""Files read between two reports."""


class DerivedUpdate(NamedTuple):
    """The entities derived before, those derived now, and the number of files read for them."""

    before: tuple[Entity, ...]
    derived: Derived
    files_read: int


def derive_from_code(
    workspace: Workspace,
    process: Process,
    *,
    dry_run: bool = False,
    report: Callable[[int, int], None] = lambda _done, _total: None,
) -> DerivedUpdate:
    """Derive the entities of a worktree's code, and store them except in a dry run; raise WorkspaceUnavailable.

    Only files with new content are read. `report` receives the number of files read and their total.
    """
    repository = workspace.slices.repository
    try:
        listing = repository.listing(repository.state())
    except StateUnavailable as error:
        raise WorkspaceUnavailable(f"The project's state cannot be read: {error.reason}.") from error
    project = workspace.project_key
    with process.database.read() as tx:
        known, before = store.facts(tx, project), store.derived(tx, project).entities
    files, read = _facts(repository, listing, known, report)
    derived = derive(files)
    if not dry_run and (derived.entities != before or files != known):
        with process.database.write(durable=False) as tx:
            store.put_derived(tx, project, derived.entities, files, process.clock.now_ms())
    return DerivedUpdate(before, derived, read)


def _facts(
    repository: Repository, listing: Listing, known: Mapping[str, SourceFileFacts], report: Callable[[int, int], None]
) -> tuple[dict[str, SourceFileFacts], int]:
    """Return the facts of all files that belong in a registry, and the number of files read."""
    contents = {path: content for path, content in listing.files.items() if type_of(path)}
    facts = {
        path: known[path]
        for path, content in contents.items()
        if path in known and known[path].content == content.removeprefix("w:")
    }
    unknown = sorted(path for path in contents if path not in facts)
    for start in range(0, len(unknown), BATCH_FILES):
        report(start, len(unknown))
        batch = {path: contents[path] for path in unknown[start : start + BATCH_FILES]}
        texts, summaries = repository.texts(batch), repository.summaries(batch)
        for path in batch.keys() & texts.keys() & summaries.keys():
            facts[path] = facts_of(path, batch[path].removeprefix("w:"), summaries[path], texts[path])
    if unknown:
        report(len(unknown), len(unknown))
    return facts, len(unknown)


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


def follow_code(workspace: Workspace, process: Process) -> None:
    """Let the registry of a workspace's project follow the code that a run changed."""
    registry_for_workspace(workspace, process).note_change(workspace)


def registry_for_workspace(workspace: Workspace, process: Process) -> ProjectRegistry:
    """Return the registry of a workspace's project."""
    return process.slices.registry.open.of(workspace, process)
