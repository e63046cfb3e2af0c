"""A project's registry as it is now: its file, looked at on every call, and what was derived from its code."""

import threading
from typing import NamedTuple

from sidecar.call import Process
from sidecar.core.digests import digest_bytes
from sidecar.registry.document import Damaged, parse
from sidecar.registry.entity import Metadata, Registry, Remark
from sidecar.registry.index import Index
from sidecar.registry.places import Place, place_of
from sidecar.registry.store import Parsed
from sidecar.workspace import Workspace


class Loaded(NamedTuple):
    """A registry with the file it comes from."""

    place: Place
    registry: Registry
    damage: str
    """Why the file cannot be read; empty where it can. Its entities are unknown then."""


class Held:
    """What is kept in memory of one project's registry. Thread-safe."""

    def __init__(self, workspace: Workspace, process: Process) -> None:
        self._workspace = workspace
        self._process = process
        self._parsed = process.part(Parsed, lambda: Parsed(process))
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None
        self._index: tuple[str, Index] | None = None

    def load(self) -> Loaded:
        """Gives the registry; parsed anew only when the file's bytes are others than before."""
        place = place_of(self._workspace.project)
        digest = digest_bytes(place.content) if place.content is not None else ""
        with self._lock:
            loaded = self._loaded
            if loaded is None or loaded.registry.digest != digest or loaded.place.path != place.path:
                registry, damage = self._of_file(place, digest)
                loaded = self._loaded = Loaded(place, registry, damage)
            return loaded

    def index(self, registry: Registry) -> Index:
        """Gives the words of a registry turned round; made when they are first asked for."""
        with self._lock:
            if self._index is None or self._index[0] != registry.digest:
                self._index = (registry.digest, Index(registry.entities))
            return self._index[1]

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


def held_by(workspace: Workspace, process: Process) -> Held:
    """Gives what is kept of a project's registry, made at the first look."""
    return workspace.part(Held, lambda: Held(workspace, process))
