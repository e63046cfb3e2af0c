"""One change of the registry's file, with what follows from it: the count, the date, the copy of what was before."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict
from sidecar.core.yaml_nodes import Damaged
from sidecar.registry.file.document import parse
from sidecar.registry.file.editing import set_metadata
from sidecar.registry.file.places import Place, place_of
from sidecar.registry.file.writing import locked, text_of, write

METADATA = "metadata"


class Change(NamedTuple):
    """A value that changes; None where it is not there."""

    id: str
    field: str
    before: str | None
    after: str | None


class Changed(NamedTuple):
    """What became of the file."""

    path: str
    changes: list[Change]
    written: bool
    backup: str | None


Edit = Callable[[str], tuple[str, Sequence[Change]]]
"""Gives a text changed, and what was changed in it."""


def changed(project: Path, now: str, edit: Edit, *, dry_run: bool) -> Changed:
    """Changes the registry's file, and brings its count and date up to date where it has them.

    A dry run writes nothing, not even the lock. Raises Conflict for a file that cannot be read or changed, Busy,
    PolicyDenied, TooLarge, WorkspaceUnavailable.
    """
    with _reading(project) if dry_run else locked(project) as place:
        before = text_of(place)
        try:
            after, changes = edit(before)
            after, counted = _dated(before, after, now)
        except Damaged as damage:
            raise Conflict(
                f"The registry cannot be changed. {damage}", hint=f"Mend `{place.path}` by hand."
            ) from damage
        done = [*changes, *counted]
        if dry_run or after == before:
            return Changed(place.path, done, written=False, backup=None)
        return Changed(place.path, done, written=True, backup=write(project, place, after, now))


@contextmanager
def _reading(project: Path) -> Iterator[Place]:
    yield place_of(project)


def _dated(before: str, after: str, now: str) -> tuple[str, list[Change]]:
    registry = parse(after)
    said, count = registry.metadata, len(registry.entities)
    changes = []
    if said.entity_count not in (None, count):
        changes.append(Change(METADATA, "entity_count", str(said.entity_count), str(count)))
        after = set_metadata(after, {"entity_count": count})
    if after != before and said.last_updated:
        changes.append(Change(METADATA, "last_updated", said.last_updated, now))
        after = set_metadata(after, {"last_updated": now})
    return after, changes
