"""The items of a commit: the files of the scopes in use, parsed once per content. Pure apart from a read callback.

An unreadable file is a failure, never a deletion: its item stays as last synced.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from sidecar.knowledge.git_source import SourceFile, open_source
from sidecar.knowledge.item import (
    SCOPE_FOLDERS,
    Identity,
    ItemLocation,
    UnreadableItem,
    is_lfs_pointer,
    item_location,
    parse_item,
    parse_ref,
    render_pointer,
)

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""Marks bytes of a path that are not UTF-8; such a path cannot be opened again."""

_FOLDERS = {layer: folder for folder, layer in SCOPE_FOLDERS.items()}


class Entry(NamedTuple):
    """A file's parsed content, cached so that it is not read again."""

    path: str
    blob: str
    ref: str
    """The item's identity as one string; empty when the file has no item."""
    type: str
    status: str
    content_hash: str
    render_hash: str
    problem: str
    """Reason why the file cannot be read; empty when it can."""

    @property
    def identity(self) -> Identity:
        """The item's identity."""
        identity = parse_ref(self.ref)
        assert identity is not None
        return identity

    @property
    def layer(self) -> str:
        """The item's layer."""
        return self.ref.partition(":")[0].partition("/")[0]


class Failure(NamedTuple):
    """An item file that cannot be read, or repeats another item's identity."""

    path: str
    ref: str
    """The item this file had at the last sync; empty when it had none."""
    problem: str
    fingerprint: str
    """Changes with the file."""


class Manifest(NamedTuple):
    """The items of one commit by ref, in order, and the failures."""

    commit: str
    items: Mapping[str, Entry]
    failures: tuple[Failure, ...]


def in_scope(location: ItemLocation, scopes: Sequence[str]) -> bool:
    """Whether items of a location are in scope: the company's always, others when a glob matches their scope."""
    if location.layer == "company":
        return True
    return any(fnmatchcase(f"{_FOLDERS[location.layer]}/{location.scope}", glob) for glob in scopes)


def read_entries(
    files: Iterable[SourceFile], scopes: Sequence[str], known: Mapping[str, Entry], content: Callable[[str], bytes]
) -> list[Entry]:
    """Return an entry per file in scope; only content that is not in `known` is read."""
    entries = []
    folder_in_scope: dict[str, bool] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        if folder not in folder_in_scope:
            folder_location = item_location(f"{folder}/x.md")
            folder_in_scope[folder] = folder_location is not None and in_scope(folder_location, scopes)
        if not folder_in_scope[folder]:
            continue
        before = known.get(file.path)
        if before is not None and before.blob == file.blob:
            entries.append(before)
        elif (location := item_location(file.path)) is not None:
            entries.append(read_entry(file, location, content(file.blob)))
    return entries


def build_manifest(commit: str, entries: Iterable[Entry], refs_by_path: Mapping[str, str]) -> Manifest:
    """Build the manifest. `refs_by_path` maps a path to the item it had at the last sync."""
    items: dict[str, Entry] = {}
    failures = []
    for entry in entries:
        if entry.problem:
            failures.append(Failure(entry.path, refs_by_path.get(entry.path, ""), entry.problem, entry.blob))
        elif entry.ref in items:
            problem = f"It has the same id as {items[entry.ref].path}."
            failures.append(Failure(entry.path, "", problem, entry.blob))
        elif entry.ref:
            items[entry.ref] = entry
    return Manifest(commit, dict(sorted(items.items())), tuple(failures))


class Problem(NamedTuple):
    """A file of a knowledge repository that a sync cannot read as it claims to be."""

    path: str
    problem: str


def lint_repository(folder: str) -> tuple[str, int, list[Problem]]:
    """Return the head commit of a knowledge repository, its number of items, and its problems; raise SyncFailed."""
    source = open_source(folder)
    entries = read_entries(source.files(), ["*"], {}, source.content)
    manifest = build_manifest(source.commit, entries, {})
    problems = [Problem(failure.path, failure.problem) for failure in manifest.failures]
    return source.commit, len(manifest.items), problems


def read_entry(file: SourceFile, location: ItemLocation, content: bytes) -> Entry:
    """Parse a file into its entry."""
    if REPLACEMENT in file.path:
        return Entry(file.path, file.blob, "", "", "", "", "", "Its name is not UTF-8.")
    if is_lfs_pointer(content):
        return Entry(file.path, file.blob, "", "", "", "", "", "")
    try:
        item = parse_item(file.path, location, content)
    except UnreadableItem as problem:
        return Entry(file.path, file.blob, "", "", "", "", "", str(problem))
    rendered = render_pointer(item)
    return Entry(
        file.path, file.blob, item.identity.ref, item.type, rendered.status, item.content_hash, rendered.render_hash, ""
    )
