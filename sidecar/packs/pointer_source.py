"""Anchor lines from memory: accepted rules and knowledge pointers, cached until memory changes."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.call import Process
from sidecar.core.digests import short_id
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from sidecar.memory import ManagedMemories
    from sidecar.memory.managed_memories import Pointer


class Pointers(NamedTuple):
    """The anchor's lines from memory."""

    invariants: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Learned from work, and accepted by the user."""
    is_known: bool = True
    """False where some may exist that are not loaded yet."""

    @property
    def digest(self) -> str:
        """Identifies the lines; empty without any."""
        return short_id([self.invariants, self.pointers, self.rules, self.is_known]) if self != NO_POINTERS else ""


NO_POINTERS = Pointers()
UNKNOWN_POINTERS = Pointers(is_known=False)


MAX_PROJECTS = 64

_DURABLE_FOLDER = Path(".chati", "memories", "shared", "durable")
"""Checked before the memories are loaded."""


class PointerCache:
    """The lines by project and revision of its memories."""

    def __init__(self) -> None:
        self.lines = Lru(MAX_PROJECTS)


def load_pointers(process: Process, workspace: Workspace) -> Pointers:
    """Return a project's pointers and rules from the memory index; unknown while it is loading.

    A manual edit shows once the index has read it, which the refresh on every call does.
    """
    if not process.loaded.is_set():
        return UNKNOWN_POINTERS if (workspace.project / _DURABLE_FOLDER).is_dir() else NO_POINTERS
    from sidecar.memory import ManagedMemories, accepted_rules, managed_memories
    from sidecar.packs.memory_sources import choose_pointers, render_pointers

    placed = ManagedMemories(process, workspace, managed_memories.POINTERS)
    revision = placed.revision()
    cache = process.slices.packs.pointers.lines
    cached = cache.get((workspace.project_key, revision))
    if isinstance(cached, Pointers):
        return cached
    if not revision and (workspace.project / _DURABLE_FOLDER).is_dir():
        return UNKNOWN_POINTERS
    choice = choose_pointers(placed.tags())
    lines = render_pointers(
        _read_pointers(placed, choice.binding), _read_pointers(placed, choice.others), has_more=choice.has_more
    )
    lines = lines._replace(rules=accepted_rules(process, workspace))
    cache.put((workspace.project_key, revision), lines, 1)
    return lines


def _read_pointers(placed: "ManagedMemories", paths: tuple[str, ...]) -> list["Pointer"]:
    from sidecar.memory import managed_memories, read_memory_file

    contents = (placed.content(path) for path in paths)
    pointers = (
        managed_memories.parse_pointer(read_memory_file(content)) for content in contents if content is not None
    )
    return [pointer for pointer in pointers if pointer is not None]
