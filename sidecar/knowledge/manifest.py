"""The items of a commit: the files of the scopes that count, read once per content. Pure but for the reading asked for.

An unreadable file is a failure and never a deletion: what it held the last time stays as it is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sidecar.knowledge.git_source import Listed
from sidecar.knowledge.item import SCOPED, Identity, Place, Unreadable, identity_of, is_lfs_pointer, place_of, read_item
from sidecar.knowledge.item_pointer import render

REPLACED = "\N{REPLACEMENT CHARACTER}"
"""Stands in a path for what was not UTF-8: by such a path no file is found again."""

_FOLDERS = {layer: folder for folder, layer in SCOPED.items()}


class Entry(NamedTuple):
    """What is known of a file's content without reading it again."""

    path: str
    blob: str
    ref: str
    """The item's identity as one word; empty for what holds none."""
    type: str
    status: str
    content_hash: str
    render_hash: str
    problem: str
    """Why the file cannot be read; empty where it can."""

    @property
    def identity(self) -> Identity:
        """The item's identity."""
        found = identity_of(self.ref)
        assert found is not None
        return found

    @property
    def layer(self) -> str:
        """The item's layer."""
        return self.ref.partition(":")[0].partition("/")[0]


class Failure(NamedTuple):
    """A file that holds an item and cannot be read, or repeats another one's identity."""

    path: str
    ref: str
    """Of the item the file held the last time; empty where it held none."""
    problem: str
    fingerprint: str
    """Changes with the file."""


class Manifest(NamedTuple):
    """The items of one commit by their refs, in order, and what failed."""

    commit: str
    items: Mapping[str, Entry]
    failures: tuple[Failure, ...]


def counts(place: Place, scopes: Sequence[str]) -> bool:
    """Says whether items of a place are wanted: the company's always, others where a glob names their scope."""
    if place.layer == "company":
        return True
    return any(fnmatchcase(f"{_FOLDERS[place.layer]}/{place.scope}", glob) for glob in scopes)


def entries_of(
    files: Iterable[Listed], scopes: Sequence[str], known: Mapping[str, Entry], content: Callable[[str], bytes]
) -> list[Entry]:
    """Gives what each file holds; only those whose content is not known are read."""
    found = []
    wanted: dict[str, bool] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        if folder not in wanted:
            whose = place_of(f"{folder}/x.md")
            wanted[folder] = whose is not None and counts(whose, scopes)
        if not wanted[folder]:
            continue
        before = known.get(file.path)
        if before is not None and before.blob == file.blob:
            found.append(before)
        elif (place := place_of(file.path)) is not None:
            found.append(entry_of(file, place, content(file.blob)))
    return found


def manifest_of(commit: str, entries: Iterable[Entry], held: Mapping[str, str]) -> Manifest:
    """Makes the manifest; `held` says which item a path held when it was last synced."""
    items: dict[str, Entry] = {}
    failures = []
    for entry in entries:
        if entry.problem:
            failures.append(Failure(entry.path, held.get(entry.path, ""), entry.problem, entry.blob))
        elif entry.ref in items:
            problem = f"It has the same id as {items[entry.ref].path}."
            failures.append(Failure(entry.path, "", problem, entry.blob))
        elif entry.ref:
            items[entry.ref] = entry
    return Manifest(commit, dict(sorted(items.items())), tuple(failures))


def entry_of(file: Listed, place: Place, content: bytes) -> Entry:
    """Reads what a file holds."""
    if REPLACED in file.path:
        return Entry(file.path, file.blob, "", "", "", "", "", "Its name is not UTF-8.")
    if is_lfs_pointer(content):
        return Entry(file.path, file.blob, "", "", "", "", "", "")
    try:
        item = read_item(file.path, place, content)
    except Unreadable as problem:
        return Entry(file.path, file.blob, "", "", "", "", "", str(problem))
    rendered = render(item)
    return Entry(
        file.path, file.blob, item.identity.ref, item.type, rendered.status, item.content_hash, rendered.render_hash, ""
    )
