"""`memory/maintain`: tiers follow the score, what is over goes to the archive; nothing else is written anew.

Tiers and expiry follow from the files and the moment alone, so it makes no odds how often this runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sidecar.call import Process
from sidecar.memory import index_file
from sidecar.memory.access import THE_USERS
from sidecar.memory.entry import Memory
from sidecar.memory.files.front_matter import Value
from sidecar.memory.store import entries, private, upkeep
from sidecar.memory.upkeep.attention import DAY_MS
from sidecar.memory.upkeep.due import Archiving, Due, TierChange, due
from sidecar.memory.writing import Writer
from sidecar.workspace import Workspace

CHUNK = 100
"""So many memories are changed before others get the folder's lock."""


def what_is_due(process: Process, workspace: Workspace) -> Due:
    """Looks at every memory of a project, whoever's it is, and at every file, whatever a watch tells of it."""
    writer = Writer(process, workspace, THE_USERS)
    writer.index.look_over()
    with process.database.read() as tx:
        rows = upkeep.rows(tx, writer.project)
    return due(rows, process.clock.now_ms())


def maintain(process: Process, workspace: Workspace) -> tuple[Due, tuple[str, ...]]:
    """Does what is due; gives it, and the paths that were left alone because they cannot be changed.

    Raises Busy while another process writes, PolicyDenied or StateDegraded where the folder cannot be used.
    """
    found = what_is_due(process, workspace)
    writer = Writer(process, workspace, THE_USERS)
    left: list[str] = []
    for start in range(0, len(found.tiers), CHUNK):
        with writer.index.locked():
            left += writer.amend(list(_with_memories(writer, found.tiers[start : start + CHUNK])))
    if found.archive or found.cleaned:
        with writer.index.locked():
            left += writer.archive([one.path for one in found.archive])
            for one in found.cleaned:
                writer.folder.remove(one.path)
            writer.index.refresh([one.path for one in found.cleaned], buries=False)
    if any(found):
        index_file.write(writer.index)
    writer.folder.sweep(process.clock.now_ms())
    _note(process, writer.project, found)
    return found, tuple(left)


def maintain_if_due(process: Process, workspace: Workspace) -> None:
    """Does what is due by itself, at most once a day, and only in active mode: else no file is written unasked."""
    project = workspace.project_key
    if process.settings(project).mode != "active" or not Writer(process, workspace, THE_USERS).folder.exists():
        return
    with process.database.read() as tx:
        done = upkeep.done_at_ms(tx, project)
    if done is None or process.clock.now_ms() // DAY_MS > done // DAY_MS:
        maintain(process, workspace)


def clean_session(process: Process, workspace: Workspace) -> int:
    """Removes what was kept for the session before, as the next one starts; gives how many files."""
    writer = Writer(process, workspace, THE_USERS)
    if not writer.folder.exists():
        return 0
    writer.index.check()
    with process.database.read() as tx:
        paths = sorted({row.path for row in upkeep.rows(tx, writer.project) if row.keeping == "session"})
    if paths:
        with writer.index.locked():
            for path in paths:
                writer.folder.remove(path)
            writer.index.refresh(paths, buries=False)
        index_file.write(writer.index)
    return len(paths)


def _with_memories(writer: Writer, changes: Sequence[TierChange]) -> Iterator[tuple[Memory, Mapping[str, Value]]]:
    """Gives each memory whose tier changes, as the index has it now, with its new one."""
    with writer.process.database.read() as tx:
        for path, group in groupby(changes, lambda change: change.row.path):
            known = {one.memory.id: one.memory for one in entries.at_path(tx, writer.project, path)}
            yield from ((known[one.row.id], {"tier": one.to}) for one in group if one.row.id in known)


def _note(process: Process, project: str, found: Due) -> None:
    now_ms = process.clock.now_ms()
    told: Mapping[str, Any] = {
        "at_ms": now_ms,
        "tiers": len(found.tiers),
        "archived": len(found.archive),
        "cleaned": len(found.cleaned),
    }
    with process.database.write(durable=False) as tx:
        upkeep.done(tx, project, now_ms, dict(told))
        private.forget_openings(tx, project, now_ms)


def within(found: Due, owners: Sequence[str]) -> Due:
    """Gives of what is due what may be told to somebody."""

    def files(those: Sequence[Archiving]) -> Iterator[Archiving]:
        return (one for one in those if one.rows[0].owner in owners)

    return Due(
        tuple(one for one in found.tiers if one.row.owner in owners),
        tuple(files(found.archive)),
        tuple(files(found.cleaned)),
    )
