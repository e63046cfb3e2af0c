"""Load the inputs of a plan: the items of one commit, the sync state, and the pointers in memory.

The files of the scopes in use are parsed once per content. An unreadable file is a failure, never a deletion: its item
stays as last synced.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecar.call import Call, Process
from sidecar.core.digests import short_id
from sidecar.knowledge import store
from sidecar.knowledge.git_source import GitSource, SourceFile
from sidecar.knowledge.item import (
    Entry,
    Failure,
    Identity,
    ItemLocation,
    Manifest,
    StoredPointer,
    UnreadableItem,
    in_scope,
    is_lfs_pointer,
    item_location,
    parse_item,
    parse_ref,
    parse_stored_pointer,
    pointer_path,
    render_pointer,
)
from sidecar.knowledge.store import SyncedItem, SyncState, load_state
from sidecar.knowledge.sync_plan import Plan, PlanRequest, configured_resolutions, plan
from sidecar.memory import PointerFiles, knowledge_pointer_files, read_memory_file
from sidecar.settings.resolve import Settings
from sidecar.workspace import Workspace

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""Marks bytes of a path that are not UTF-8; such a path cannot be opened again."""


class SyncInputs(NamedTuple):
    """The three inputs of a plan at one moment."""

    source: GitSource
    settings: Settings
    manifest: Manifest
    state: SyncState
    pointers: tuple[StoredPointer, ...]
    pointer_files: PointerFiles
    entries: Mapping[str, Entry]
    """Parsed files of the repository, by path."""

    @property
    def scopes(self) -> Sequence[str]:
        """The configured scopes."""
        return list(self.settings["knowledge.scopes"])

    @property
    def sources(self) -> str:
        """Digest of the configured repository, ref and scopes."""
        return short_id([self.settings[f"knowledge.{name}"] for name in ("repository", "ref", "scopes")], 20)

    def plan(self, request: PlanRequest) -> Plan:
        """Plan the sync of memory with the repository; resolutions of the request win over configured ones."""
        choices = {**configured_resolutions(self.settings), **request.resolutions}
        return plan(self.manifest, self.state, self.pointers, request._replace(resolutions=choices))


class CommitEntries(NamedTuple):
    """The parsed files of some scopes of a commit."""

    commit: str
    scopes: list[str]
    entries: list[Entry]


class SyncCache:
    """Cache of the last read data by project, so that unchanged files are not read again."""

    def __init__(self) -> None:
        self.pointers: dict[str, dict[str, tuple[str, StoredPointer | None]]] = {}
        """By path, with the digest of the file's bytes."""
        self.entries: dict[str, dict[str, Entry]] = {}
        """By path; an entry is valid for its blob, independent of the commit."""
        self.states: dict[str, tuple[bytes, SyncState]] = {}
        self.commits: dict[str, CommitEntries] = {}
        """Those of the last inputs, by project."""
        self.lock = threading.Lock()


def load_inputs(call: Call, workspace: Workspace, source: GitSource) -> SyncInputs:
    """Load repository, state and memory. Raise SyncFailed with its code."""
    settings = call.process.settings(workspace.project_key)
    state = load_state(call, workspace.project_key)
    scopes = list(settings["knowledge.scopes"])
    entries = _load_entries(call, workspace.project_key, source, scopes)
    refs_by_path = {item.path: ref for ref, item in state.items.items()}
    files = PointerFiles(call.process, workspace)
    pointers = load_pointers(call.process, workspace.project_key, files, state)
    manifest = build_manifest(source.commit, entries, refs_by_path)
    return SyncInputs(
        source=source,
        settings=settings,
        manifest=manifest,
        state=state,
        pointers=pointers,
        pointer_files=files,
        entries={item.path: item for item in entries},
    )


def load_item_inputs(call: Call, workspace: Workspace, source: GitSource, ref: str) -> SyncInputs | None:
    """Load the inputs for one item, in constant time. Return None when only the full inputs suffice.

    That is the case for an item that was never synced, or whose file is gone or has another item now.
    """
    settings = call.process.settings(workspace.project_key)
    state = load_state(call, workspace.project_key)
    known, scopes = state.items.get(ref), list(settings["knowledge.scopes"])
    location = None if known is None else item_location(known.path)
    blob = None if known is None else source.blob_at(known.path, source.commit)
    if known is None or location is None or blob is None or not in_scope(location, scopes):
        return None
    entry = read_entry(SourceFile(known.path, blob), location, source.content(blob))
    if entry.ref != ref:
        return None
    files = PointerFiles(call.process, workspace)
    paths = sorted({known.pointer, pointer_path(entry.identity)} - {""})
    candidates = [
        _read_pointer(files, path) or _damaged_pointer(path, ref, state)
        for path in paths
        if _is_pointer(files, path, known)
    ]
    pointers = tuple(pointer for pointer in candidates if pointer is not None)
    manifest = build_manifest(source.commit, [entry], {known.path: ref})
    return SyncInputs(
        source=source,
        settings=settings,
        manifest=manifest,
        state=state,
        pointers=pointers,
        pointer_files=files,
        entries={entry.path: entry},
    )


def _load_entries(call: Call, project: str, source: GitSource, scopes: list[str]) -> list[Entry]:
    """Return the commit's parsed files; content that was never parsed is read and cached."""
    cache = call.process.slices.knowledge.sync_cache
    before = cache.commits.get(project)
    if before is not None and (before.commit, before.scopes) == (source.commit, scopes):
        return before.entries
    if project not in cache.entries:
        with call.database.read() as tx:
            cache.entries[project] = store.entries(tx, project)
    known = cache.entries[project]
    entries = read_entries(source.files(), scopes, known, source.content)
    if len(entries) != len(known) or any(known.get(entry.path) != entry for entry in entries):
        with call.database.write(durable=False) as tx:
            store.save_entries(tx, project, known, entries)
        cache.entries[project] = {entry.path: entry for entry in entries}
    cache.commits[project] = CommitEntries(source.commit, scopes, entries)
    return entries


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


def read_entry(file: SourceFile, location: ItemLocation, content: bytes) -> Entry:
    """Parse a file into its entry."""
    if REPLACEMENT in file.path:
        return Entry(file.path, file.blob, problem="Its name is not UTF-8.")
    if is_lfs_pointer(content):
        return Entry(file.path, file.blob)
    try:
        item = parse_item(file.path, location, content)
    except UnreadableItem as problem:
        return Entry(file.path, file.blob, problem=str(problem))
    rendered = render_pointer(item)
    return Entry(
        path=file.path,
        blob=file.blob,
        ref=item.identity.ref,
        type=item.type,
        status=rendered.status,
        content_hash=item.content_hash,
        render_hash=rendered.render_hash,
    )


def load_pointers(process: Process, project: str, files: PointerFiles, state: SyncState) -> tuple[StoredPointer, ...]:
    """Return the pointers in memory ordered by path; a damaged one is identified through the state."""
    cache = process.slices.knowledge.sync_cache
    with cache.lock:
        before = cache.pointers.get(project, {})
    mapped = {item.pointer: ref for ref, item in state.items.items()}
    current: dict[str, tuple[str, StoredPointer | None]] = {}
    for path, version in files.versions().items():
        known = before.get(path)
        current[path] = known if known is not None and known[0] == version else (version, _read_pointer(files, path))
    with cache.lock:
        cache.pointers[project] = current
    candidates = [pointer or _damaged_pointer(path, mapped.get(path), state) for path, (_, pointer) in current.items()]
    return tuple(item for item in candidates if item is not None)


def affected_refs(inputs: SyncInputs) -> tuple[frozenset[str] | None, str]:
    """Return the refs that commits since the last sync may have changed, read at both ends, and leftovers.

    Leftovers are pending and failed refs, and those whose pointers were edited, added or deleted by hand. None means
    all: on the first sync and, with a warning, when the settings changed or the last commit is not an ancestor.
    """
    state = inputs.state
    if not state.last_knowledge_commit:
        return None, ""
    if state.sources not in ("", inputs.sources):
        return None, "Repository, ref or scopes changed since the last sync, so everything was compared."
    since = inputs.source.changes_since(state.last_knowledge_commit)
    if since is None:
        return None, "The last synced commit is gone or not an ancestor of the current one, so everything was compared."
    refs = {*state.pending, *state.failed, *_refs_changed_by_hand(inputs)}
    reader = _RefReader(inputs)
    for commit, paths in since:
        ends = (commit, inputs.source.commit if commit == state.last_knowledge_commit else inputs.source.parent(commit))
        for path in paths:
            refs |= {ref for end in ends if end for ref in reader.refs(path, end)}
    return frozenset(refs), ""


def _refs_changed_by_hand(inputs: SyncInputs) -> set[str]:
    """Return the refs whose pointers in memory are not those of the last sync."""
    synced = {
        (ref, item.pointer, item.content_hash, item.render_hash)
        for ref, item in inputs.state.items.items()
        if item.pointer
    }
    current = {
        (pointer.identity.ref, pointer.path, pointer.content_hash, pointer.render_hash)
        if pointer.status != knowledge_pointer_files.ORPHANED
        else (pointer.identity.ref, "", "", "")
        for pointer in inputs.pointers
    }
    return {ref for ref, *_ in synced ^ current}


class _RefReader:
    """Finds which item a path had in a commit, reading each content once."""

    def __init__(self, inputs: SyncInputs) -> None:
        self._inputs = inputs
        self._read = {(entry.path, entry.blob): entry.ref for entry in inputs.entries.values()}

    def refs(self, path: str, commit: str) -> set[str]:
        location = item_location(path)
        if location is None or not in_scope(location, self._inputs.scopes):
            return set()
        blob = self._inputs.source.blob_at(path, commit)
        if blob is None:
            return set()
        if (path, blob) not in self._read:
            try:
                item = parse_item(path, location, self._inputs.source.content(blob))
                self._read[path, blob] = item.identity.ref
            except UnreadableItem:
                self._read[path, blob] = ""
        return {self._read[path, blob]} - {""}


def _read_pointer(files: PointerFiles, path: str) -> StoredPointer | None:
    content = files.content(path)
    return None if content is None else parse_stored_pointer(path, read_memory_file(content))


def _is_pointer(files: PointerFiles, path: str, known: SyncedItem) -> bool:
    """Whether a file is a pointer, or the remains of a pointer that the state knows."""
    return _read_pointer(files, path) is not None or (path == known.pointer and files.content(path) is not None)


def _damaged_pointer(path: str, ref: str | None, state: SyncState) -> StoredPointer | None:
    identity: Identity | None = parse_ref(ref) if ref else None
    if ref is None or identity is None:
        return None
    return StoredPointer(
        path=path,
        memory_id=state.items[ref].memory_id,
        identity=identity,
        layer=identity.layer,
        status="",
        content_hash="",
        render_hash="",
        updated_at="",
    )
