"""The pointers and rules that memory has, as an anchor's lines; read anew only when the project's memories changed."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sidecar.call import Process
from sidecar.core.digests import short_id
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from sidecar.memory import Placed
    from sidecar.memory.knowledge_pointer import Pointed


# What memory says in an anchor: rules that the user accepted, and the knowledge repository's pointers.


class Pointers(NamedTuple):
    """The lines of the pointers and of the rules."""

    invariants: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Learned from work, and accepted by the user."""
    is_known: bool = True
    """False where there may be some that could not be read yet."""

    @property
    def digest(self) -> str:
        """Tells them from those of another time."""
        return short_id([self.invariants, self.pointers, self.rules, self.is_known]) if self != NO_POINTERS else ""


NO_POINTERS = Pointers()
UNKNOWN_POINTERS = Pointers(is_known=False)


MAX_PROJECTS = 64

_FOLDER = Path(".chati", "memories", "shared", "durable")
"""Looked for before the memories are loaded."""


class _Read:
    """The lines by project and the revision of its memories."""

    def __init__(self) -> None:
        self.lines = Lru(MAX_PROJECTS)


def pointers_in(process: Process, workspace: Workspace) -> Pointers:
    """Gives the pointers and rules of a project as the memories' index has them; unknown while they are being loaded.

    What somebody changes by hand shows once the index took it in, which the look at the memories does on every call.
    """
    if not process.loaded.is_set():
        return UNKNOWN_POINTERS if (workspace.project / _FOLDER).is_dir() else NO_POINTERS
    from sidecar.memory import Placed, accepted_rules, knowledge_pointer
    from sidecar.packs.memory_sources import chosen, pointers_of

    placed = Placed(process, workspace, knowledge_pointer.POINTERS)
    revision = placed.revision()
    kept = process.part(_Read, _Read).lines
    known = kept.get((workspace.project_key, revision))
    if isinstance(known, Pointers):
        return known
    if not revision and (workspace.project / _FOLDER).is_dir():
        return UNKNOWN_POINTERS
    choice = chosen(placed.tags())
    lines = pointers_of(_read(placed, choice.binding), _read(placed, choice.others), has_more=choice.has_more)
    lines = lines._replace(rules=accepted_rules(process, workspace))
    kept.put((workspace.project_key, revision), lines, 1)
    return lines


def _read(placed: "Placed", paths: tuple[str, ...]) -> list["Pointed"]:
    from sidecar.memory import knowledge_pointer, read_back

    contents = (placed.content(path) for path in paths)
    found = (knowledge_pointer.pointed_of(read_back(content)) for content in contents if content is not None)
    return [one for one in found if one is not None]
