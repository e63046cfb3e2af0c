"""The pointers and rules that memory has, as an anchor's lines; read anew only when the project's memories changed."""

from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.call import Process
from sidecar.packs.anchor.pointers import NO_POINTERS, UNKNOWN_POINTERS, Pointers
from sidecar.storage.lru import Lru
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from sidecar.memory import Placed
    from sidecar.memory.pointed import Pointed

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
    from sidecar.memory import Placed, accepted_rules, pointed
    from sidecar.packs.anchor.pointer_lines import chosen, pointers_of

    placed = Placed(process, workspace, pointed.POINTERS)
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
    from sidecar.memory import pointed, read_back

    contents = (placed.content(path) for path in paths)
    found = (pointed.pointed_of(read_back(content)) for content in contents if content is not None)
    return [one for one in found if one is not None]
