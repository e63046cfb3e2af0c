"""Gathers what a plan is made of: the repository at one commit, the state, the pointers that memory has."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import apsw

from sidecar.call import Call, Process
from sidecar.knowledge import store
from sidecar.knowledge.errors import state_corrupted
from sidecar.knowledge.git_source import Listed, Source
from sidecar.knowledge.item import Identity, Unreadable, identity_of, place_of, read_item
from sidecar.knowledge.item_pointer import FOLDER, Pointer, path_of, pointer_of
from sidecar.knowledge.manifest import Entry, Manifest, counts, entries_of, entry_of, manifest_of
from sidecar.knowledge.state import Known, SyncState, from_bytes, to_bytes
from sidecar.knowledge.sync_plan import Asked, Plan, Resolutions, configured, plan
from sidecar.memory import Placed, read_back
from sidecar.workspace import Workspace


class Look(NamedTuple):
    """The three sides of a plan at one moment."""

    source: Source
    scopes: Sequence[str]
    manifest: Manifest
    state: SyncState
    pointers: tuple[Pointer, ...]
    placed: Placed
    entries: Mapping[str, Entry]
    """What the repository's files hold, by path."""
    resolutions: Resolutions
    """What the settings say about conflicts."""

    def plan(self, asked: Asked) -> Plan:
        """Plans what brings memory to the repository; what is asked for counts before the settings."""
        choices = {**self.resolutions, **asked.resolutions}
        return plan(self.manifest, self.state, self.pointers, asked._replace(resolutions=choices))


class _Seen:
    """What was read last, by project, so that what is unchanged is not read again."""

    def __init__(self) -> None:
        self.pointers: dict[str, dict[str, tuple[str, Pointer | None]]] = {}
        """By path, with the digest of the file's bytes."""
        self.entries: dict[str, dict[str, Entry]] = {}
        """By path; an entry holds for its blob, whoever read it."""
        self.states: dict[str, tuple[bytes, SyncState]] = {}
        self.commits: dict[str, tuple[str, list[str], list[Entry]]] = {}
        """What a commit holds of some scopes."""
        self.lock = threading.Lock()


def look(call: Call, workspace: Workspace, source: Source) -> Look:
    """Looks at repository, state and memory; raises SyncFailed by the specification's codes."""
    settings = call.process.settings(workspace.project_key)
    state = load_state(call, workspace.project_key)
    scopes = list(settings["knowledge.scopes"])
    entries = _entries(call, workspace.project_key, source, scopes)
    held = {one.path: ref for ref, one in state.items.items()}
    placed = Placed(call.process, workspace, FOLDER)
    pointers = pointers_of(call.process, workspace.project_key, placed, state)
    manifest = manifest_of(source.commit, entries, held)
    every = {one.path: one for one in entries}
    return Look(source, scopes, manifest, state, pointers, placed, every, configured(settings))


def look_at(call: Call, workspace: Workspace, source: Source, ref: str) -> Look | None:
    """Looks at one item alone, which takes the same time however many there are; None where only a whole look tells.

    That is so for an item that no sync knows, or whose file is gone or holds another item now.
    """
    settings = call.process.settings(workspace.project_key)
    state = load_state(call, workspace.project_key)
    known, scopes = state.items.get(ref), list(settings["knowledge.scopes"])
    place = None if known is None else place_of(known.path)
    blob = None if known is None else source.holds(known.path, source.commit)
    if known is None or place is None or blob is None or not counts(place, scopes):
        return None
    entry = entry_of(Listed(known.path, blob), place, source.content(blob))
    if entry.ref != ref:
        return None
    placed = Placed(call.process, workspace, FOLDER)
    paths = sorted({known.pointer, path_of(entry.identity)} - {""})
    found = [_read(placed, path) or _damaged(path, ref, state) for path in paths if _is_one(placed, path, known)]
    pointers = tuple(one for one in found if one is not None)
    manifest = manifest_of(source.commit, [entry], {known.path: ref})
    return Look(source, scopes, manifest, state, pointers, placed, {entry.path: entry}, configured(settings))


def _entries(call: Call, project: str, source: Source, scopes: list[str]) -> list[Entry]:
    """Gives what the commit's files hold; those of contents that were never read are read, and kept."""
    seen = call.process.part(_Seen, _Seen)
    before = seen.commits.get(project)
    if before is not None and before[:2] == (source.commit, scopes):
        return before[2]
    if project not in seen.entries:
        with call.database.read() as tx:
            seen.entries[project] = store.entries(tx, project)
    known = seen.entries[project]
    entries = entries_of(source.listed(), scopes, known, source.content)
    if len(entries) != len(known) or any(known.get(one.path) != one for one in entries):
        with call.database.write(durable=False) as tx:
            store.put_entries(tx, project, known, entries)
        seen.entries[project] = {one.path: one for one in entries}
    seen.commits[project] = (source.commit, scopes, entries)
    return entries


def save_state(call: Call, tx: apsw.Connection, project: str, state: SyncState) -> None:
    """Keeps a state."""
    value = to_bytes(state)
    store.put_state(tx, project, value, call.now_ms())
    call.process.part(_Seen, _Seen).states[project] = (value, state)


def hold(call: Call, tx: apsw.Connection, project: str, commit: str) -> None:
    """Notes in the state as it stands that the user rolled back at a commit; a damaged one is left to be told of."""
    kept = store.state_bytes(tx, project)
    try:
        state = from_bytes(kept[0]) if kept is not None and kept[1] else SyncState()
    except ValueError:
        return
    if kept is None or kept[1]:
        save_state(call, tx, project, replace(state, held_at=commit))


def load_state(call: Call, project: str) -> SyncState:
    """Gives the state, an empty one where there is none; a damaged one is set aside and STATE_CORRUPTED raised."""
    with call.database.read() as tx:
        kept = store.state_bytes(tx, project)
    if kept is None:
        return SyncState()
    value, is_sound = kept
    seen = call.process.part(_Seen, _Seen)
    before = seen.states.get(project)
    if is_sound and before is not None and before[0] == value:
        return before[1]
    try:
        if is_sound:
            state = from_bytes(value)
            seen.states[project] = (value, state)
            return state
    except ValueError:
        pass
    with call.database.write() as tx:
        name = store.set_aside(tx, project, call.now_ms())
    call.log.error("knowledge.stateCorrupted", project=project, bytes=len(value), digestFits=is_sound, keptAs=name)
    raise state_corrupted(name)


def pointers_of(process: Process, project: str, placed: Placed, state: SyncState) -> tuple[Pointer, ...]:
    """Gives the pointers in memory, in the order of their paths; a damaged one is known by the state's mapping."""
    seen = process.part(_Seen, _Seen)
    with seen.lock:
        before = seen.pointers.get(project, {})
    mapped = {one.pointer: ref for ref, one in state.items.items()}
    now: dict[str, tuple[str, Pointer | None]] = {}
    for path, version in placed.versions().items():
        known = before.get(path)
        now[path] = known if known is not None and known[0] == version else (version, _read(placed, path))
    with seen.lock:
        seen.pointers[project] = now
    found = [pointer or _damaged(path, mapped.get(path), state) for path, (_, pointer) in now.items()]
    return tuple(one for one in found if one is not None)


def affected(look: Look) -> tuple[frozenset[str] | None, str]:
    """Gives the refs that commits since the last sync may have changed, read at both ends, and what stood over.

    None for all of them: the first time, and, with a warning, where the last commit leads nowhere.
    """
    state = look.state
    if not state.last_knowledge_commit:
        return None, ""
    since = look.source.since(state.last_knowledge_commit)
    if since is None:
        return None, "The last synced commit is gone or no ancestor of the present one, so everything was compared."
    refs = {*state.pending, *state.failed}
    reader = _Reader(look)
    for commit, paths in since:
        ends = (commit, look.source.commit if commit == state.last_knowledge_commit else look.source.parent(commit))
        for path in paths:
            refs |= {ref for end in ends if end for ref in reader.refs(path, end)}
    return frozenset(refs), ""


class _Reader:
    """Reads which item a path held in a commit, each content once."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._read = {(one.path, one.blob): one.ref for one in look.entries.values()}

    def refs(self, path: str, commit: str) -> set[str]:
        place = place_of(path)
        if place is None or not counts(place, self._look.scopes):
            return set()
        blob = self._look.source.holds(path, commit)
        if blob is None:
            return set()
        if (path, blob) not in self._read:
            try:
                item = read_item(path, place, self._look.source.content(blob))
                self._read[path, blob] = item.identity.ref
            except Unreadable:
                self._read[path, blob] = ""
        return {self._read[path, blob]} - {""}


def _read(placed: Placed, path: str) -> Pointer | None:
    content = placed.content(path)
    return None if content is None else pointer_of(path, read_back(content))


def _is_one(placed: Placed, path: str, known: Known) -> bool:
    """Says whether a file is a pointer, or is what became of one that the state knows."""
    return _read(placed, path) is not None or (path == known.pointer and placed.content(path) is not None)


def _damaged(path: str, ref: str | None, state: SyncState) -> Pointer | None:
    identity: Identity | None = identity_of(ref) if ref else None
    if ref is None or identity is None:
        return None
    return Pointer(path, state.items[ref].memory_id, identity, identity.layer, "", "", "", "")
