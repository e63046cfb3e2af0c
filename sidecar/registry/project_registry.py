"""A project's registry as it is now: its file, looked at on every call, and what was derived from its code."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.digests import digest_bytes, short_id
from sidecar.registry import store
from sidecar.registry.entity import Entity, Metadata, Registry, Remark
from sidecar.registry.index import Index, words_of_entity
from sidecar.registry.model import RegistryParams
from sidecar.registry.registry_file import Damaged, Place, parse, place_of
from sidecar.registry.store import KnownWords, Parsed
from sidecar.workspace import Workspace

# What is written by hand and what was derived from code become one registry: the user's word wins. Pure.


def merged(written: Registry, derived: Sequence[Entity], unwanted: Collection[str], digest: str) -> Registry:
    """Adds derived entities to those of the file, but for what the file has, and what the user removed.

    The file has a derived entity where it has one of the same id, or one for the same file as a whole.
    """
    ids = written.by_id
    files = {entity.path for entity in written.entities}
    added = [one for one in derived if one.id not in ids and one.id not in unwanted and not _is_in(files, one)]
    return Registry((*written.entities, *added), written.metadata, written.remarks, digest)


def _is_in(files: Collection[str], derived: Entity) -> bool:
    return derived.key == derived.path and derived.path in files


OPEN_PROJECTS = 8

SMALL_BYTES = 128 * 1024
"""A registry of some four hundred entities, which is read in a tenth of a second."""

WORTH_KEEPING = 500
"""The words of so many entities are kept on disk; fewer are taken apart in less time than that saves."""


class Loaded(NamedTuple):
    """A registry with the file it comes from."""

    place: Place
    registry: Registry
    damage: str
    """Why the file cannot be read; empty where it can. Its entities are unknown then."""


_MadeOf = tuple[str, str, str]
"""The file's path and digest, and the digest of what was derived."""


class Held:
    """What is kept in memory of one project's registry. Thread-safe."""

    def __init__(self, project: Path, key: str, process: Process) -> None:
        self._project = project
        self._key = key
        self._process = process
        self._parsed = process.part(Parsed, lambda: Parsed(process))
        self._words = process.part(KnownWords, lambda: KnownWords(process))
        self._lock = threading.Lock()
        self._index_lock = threading.Lock()
        self._loaded: tuple[_MadeOf, Loaded] | None = None
        self._index: tuple[str, Index] | None = None
        self._derived: tuple[int, str] | None = None

    def load(self) -> Loaded:
        """Gives the registry; made anew only when the file's bytes or the derived entities are others than before."""
        return self._as_of(*self._now())

    def _as_of(self, made_of: _MadeOf, place: Place) -> Loaded:
        with self._lock:
            if self._loaded is None or self._loaded[0] != made_of:
                self._loaded = (made_of, self._load(place, made_of[1], made_of[2]))
            return self._loaded[1]

    def _load(self, place: Place, digest: str, derived: str) -> Loaded:
        registry, damage = self._of_file(place, digest)
        if derived:
            with self._process.database.read() as tx:
                kept, unwanted = store.derived(tx, self._key), store.dismissed(tx, self._key)
            registry = merged(registry, kept.entities, unwanted, short_id([digest, derived], 40))
        return Loaded(place, registry, damage)

    def index(self, registry: Registry) -> Index:
        """Gives the words of a registry turned round; made when they are first asked for.

        Entities that were there before, or in another process, are not taken apart again.
        """
        with self._index_lock:
            if self._index is None or self._index[0] != registry.digest:
                self._index = (registry.digest, self._indexed(registry, self._index[1] if self._index else None))
            return self._index[1]

    def at_once(self) -> Registry | None:
        """Gives the registry where that and a decision take some milliseconds: it is small, or known as it is now."""
        made_of, place = self._now()
        is_small = len(place.content or b"") <= SMALL_BYTES and not made_of[2]
        loaded = self._loaded
        if not is_small and (loaded is None or loaded[0] != made_of or not self._has_index(loaded[1].registry)):
            return None
        return self._as_of(made_of, place).registry

    def make_ready(self) -> None:
        """Reads the registry and turns its words round."""
        self.index(self.load().registry)

    def _has_index(self, registry: Registry) -> bool:
        return self._index is not None and self._index[0] == registry.digest

    def _now(self) -> tuple[_MadeOf, Place]:
        """What the registry is made of at this moment: the file's path and digest, and the derived entities' digest."""
        place = place_of(self._project)
        digest = digest_bytes(place.content) if place.content is not None else ""
        return (place.path, digest, self._derived_digest()), place

    def _derived_digest(self) -> str:
        """The digest of the derived entities, read again only when something was committed."""
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
        taken = dict(zip(before.entities, before.words, strict=True)) if before else {}
        words = [taken.get(entity) or words_of_entity(entity) for entity in registry.entities]
        if len(words) >= WORTH_KEEPING:
            self._words.put(registry.digest, words, self._process.clock.now_ms())
        return Index(registry.entities, words)

    def _of_file(self, place: Place, digest: str) -> tuple[Registry, str]:
        if place.content is None:
            return Registry((), Metadata()), ""
        known = self._parsed.get(digest)
        if known is not None:
            return known, ""
        try:
            read = parse(place.content.decode("utf-8-sig"))
        except (Damaged, UnicodeDecodeError) as error:
            damage = str(error) if isinstance(error, Damaged) else "The file is not UTF-8."
            return Registry((), Metadata(), [Remark(0, place.path, damage)], digest), damage
        registry = Registry(read.entities, read.metadata, read.remarks, digest)
        self._parsed.put(registry, self._process.clock.now_ms())
        return registry, ""


class Projects:
    """The registries in use, by project: its worktrees share one. The one not used for longest is forgotten first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, workspace: Workspace, process: Process) -> Held:
        """Gives what is kept of a project's registry, made at the first look."""
        with self._lock:
            held = self._held.get(workspace.project_key)
            if held is None:
                held = self._held[workspace.project_key] = Held(workspace.project, workspace.project_key, process)
            self._held.move_to_end(workspace.project_key)
            if len(self._held) > OPEN_PROJECTS:
                self._held.popitem(last=False)
            return held


def registry_of(call: Call, params: RegistryParams) -> tuple[Workspace, Held]:
    """Gives what is kept of the registry a call is about; raises WorkspaceUnavailable."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    return workspace, held_by(workspace, call.process)


def held_by(workspace: Workspace, process: Process) -> Held:
    """Gives what is kept of a workspace's project's registry."""
    return process.part(Projects, Projects).of(workspace, process)
