"""What a sync would do: one decision per item, from a manifest, the state and the pointers found. Pure.

Full, incremental, single and dry runs, conflicts and the status are this function with different inputs; what it
plans, applied, leaves nothing to plan.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Literal, NamedTuple, get_args

from sidecar.knowledge.item import Identity
from sidecar.knowledge.item_pointer import Pointer, id_of, path_of
from sidecar.knowledge.manifest import Entry, Manifest
from sidecar.knowledge.state import Known, SyncState
from sidecar.memory import knowledge_pointer
from sidecar.settings.kinds import RESOLUTION
from sidecar.settings.resolve import Settings

ConflictType = Literal[
    "hash_mismatch", "orphaned_pointer", "duplicate_pointer", "layer_mismatch", "status_change", "missing_pointer"
]
Resolution = Literal["update_memory", "delete_memory", "keep_memory", "manual"]
OperationKind = Literal["create", "update", "mark_orphaned", "delete", "adopt", "forget"]

DEFAULTS: dict[ConflictType, Resolution] = {
    "hash_mismatch": "update_memory",
    "layer_mismatch": "update_memory",
    "status_change": "update_memory",
    "missing_pointer": "update_memory",
    "orphaned_pointer": "delete_memory",
    "duplicate_pointer": "delete_memory",
}
"""knowledge-sync.md, Conflict Resolution."""

MANY_POINTERS = 20
"""A plan that deletes more than half of so many, or of more, stops unless it is forced (decisions.md)."""

_ORDER: tuple[OperationKind, ...] = ("create", "update", "mark_orphaned", "delete", "adopt", "forget")
_STATE_ONLY = frozenset(("adopt", "forget"))


class Conflict(NamedTuple):
    """Where memory and the repository disagree, and what is done about it."""

    type: ConflictType
    ref: str
    pointer: str
    memory_id: str
    suggested: Resolution
    resolution: Resolution
    reason: str


class Operation(NamedTuple):
    """One step: a pointer written or deleted, or, with adopt and forget, the state alone changed."""

    kind: OperationKind
    ref: str
    pointer: str
    reason: str
    is_orphan: bool = False
    """A deletion because the item is gone, and not because there are two pointers."""

    @property
    def writes(self) -> bool:
        """Says whether memory is changed."""
        return self.kind not in _STATE_ONLY


class Delta(NamedTuple):
    """Refs by how the repository's items compare with the hashes of the last sync."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]


class Asked(NamedTuple):
    """What a plan is asked for."""

    only: frozenset[str] | None = None
    """Refs to look at; None for all."""
    resolutions: Mapping[tuple[str, str], Resolution] = {}
    """By conflict type and ref; the ref is empty where it counts for all of a type."""
    max_items: int | None = None
    marks_orphans: bool = False
    """Whether a pointer whose item is gone is marked only, as a single item's sync does."""
    tries_parked: bool = False
    """Whether an item that failed too often is tried again: somebody asked for it by its name."""


class Plan(NamedTuple):
    """Operations in the order they are done, and what they are made of."""

    commit: str
    delta: Delta
    conflicts: tuple[Conflict, ...]
    operations: tuple[Operation, ...]
    pending: tuple[str, ...]
    parked: tuple[str, ...]
    pointers: int
    """How many were found in memory."""

    @property
    def is_empty(self) -> bool:
        """Says whether memory, state and repository agree."""
        return not self.operations

    @property
    def deletions(self) -> int:
        """How many pointers would be deleted."""
        return sum(one.kind == "delete" for one in self.operations)

    @property
    def stops(self) -> bool:
        """Says whether it would delete so much that something else is likely wrong."""
        return self.pointers >= MANY_POINTERS and 2 * self.deletions > self.pointers


class _One(NamedTuple):
    """All that is known of one ref."""

    ref: str
    entry: Entry | None
    known: Known | None
    found: list[Pointer]
    asked: Asked
    taken: Mapping[str, str]
    """Which ref a pointer found at a path names."""

    def free_path(self, identity: Identity) -> str:
        """Gives where a new pointer goes: a pointer that was made to name another item may stand in its place."""
        own = path_of(identity)
        paths = (own if number == 1 else own.replace(".md", f"-{number}.md") for number in count(1))
        return next(path for path in paths if self.taken.get(path) in (None, self.ref))

    def conflict(self, kind: ConflictType, pointer: Pointer | None, reason: str) -> Conflict:
        choices = self.asked.resolutions
        resolution = choices.get((kind, self.ref)) or choices.get((kind, "")) or DEFAULTS[kind]
        path = pointer.path if pointer else self.known.pointer if self.known else ""
        memory_id = pointer.memory_id if pointer else self.known.memory_id if self.known else ""
        return Conflict(kind, self.ref, path, memory_id, DEFAULTS[kind], resolution, reason)


def plan(manifest: Manifest, state: SyncState, pointers: Sequence[Pointer], asked: Asked) -> Plan:
    """Plans what brings memory to the manifest; time grows with the number of items and pointers, no faster."""
    found: dict[str, list[Pointer]] = defaultdict(list)
    for pointer in pointers:
        found[pointer.identity.ref].append(pointer)
    held_back = {one.ref for one in manifest.failures if one.ref} - manifest.items.keys()
    refs = (manifest.items.keys() | state.items.keys() | found.keys()) - held_back
    chosen = sorted(refs if asked.only is None else refs & asked.only)
    taken = {pointer.path: pointer.identity.ref for pointer in pointers}
    ones = [_One(ref, manifest.items.get(ref), state.items.get(ref), found[ref], asked, taken) for ref in chosen]
    parked = {
        one.ref for one in ones
        if one.entry is not None and not asked.tries_parked and _is_parked(state, one.ref, one.entry)
    }  # fmt: skip
    decided = {one.ref: (list(_conflicts(one)), one) for one in ones}
    operations = [
        step for ref, (conflicts, one) in decided.items() if ref not in parked for step in _operations(one, conflicts)
    ]
    kept, pending = _limited(operations, asked.max_items)
    return Plan(
        commit=manifest.commit,
        delta=_delta(ones),
        conflicts=tuple(conflict for conflicts, _ in decided.values() for conflict in conflicts),
        operations=tuple(sorted(kept, key=lambda step: (_ORDER.index(step.kind), step.ref, step.pointer))),
        pending=pending,
        parked=tuple(sorted(parked)),
        pointers=len(pointers),
    )


def fingerprint(entry: Entry) -> str:
    """Gives what changes with an item."""
    return f"{entry.content_hash[:20]}{entry.render_hash[:20]}"


def known_of(entry: Entry, pointer: str) -> Known:
    """Gives an item as the state keeps it once its pointer stands at a path."""
    return Known(entry.content_hash, entry.render_hash, entry.path, id_of(entry.identity) if pointer else "", pointer)


def _delta(ones: Sequence[_One]) -> Delta:
    by_kind: dict[str, list[str]] = {name: [] for name in Delta._fields}
    for one in ones:
        if one.entry is not None and one.known is not None:
            same = (one.entry.content_hash, one.entry.render_hash) == one.known[:2]
            by_kind["unchanged" if same else "updated"].append(one.ref)
        elif one.entry is not None:
            by_kind["added"].append(one.ref)
        elif one.known is not None:
            by_kind["deleted"].append(one.ref)
    return Delta(**{name: tuple(refs) for name, refs in by_kind.items()})


def _conflicts(one: _One) -> Iterator[Conflict]:
    if one.entry is None:
        for pointer in one.found:
            yield one.conflict("orphaned_pointer", pointer, "The item it points at is gone.")
        return
    kept = _newest(one.found)
    for pointer in one.found:
        if pointer is not kept:
            yield one.conflict("duplicate_pointer", pointer, "A newer memory points at the same item.")
    if kept is None:
        if one.known is not None:
            yield one.conflict("missing_pointer", None, "The item's pointer is gone from memory.")
        return
    if kept.layer != one.entry.layer:
        yield one.conflict("layer_mismatch", kept, "The pointer names another layer than the item's.")
    if one.entry.status in knowledge_pointer.NO_LONGER and kept.status != one.entry.status:
        yield one.conflict("status_change", kept, f"The item is {one.entry.status} now.")
    if reason := _difference(one.entry, one.known, kept):
        yield one.conflict("hash_mismatch", kept, reason)


def _difference(entry: Entry, known: Known | None, kept: Pointer) -> str:
    if kept.status == knowledge_pointer.ORPHANED:
        return "The item is there again."
    is_known = known is not None and known[:2] == (entry.content_hash, entry.render_hash)
    if kept.content_hash != entry.content_hash and not is_known:
        return "The item's content, constraints or status changed."
    if kept.render_hash == entry.render_hash:
        return ""
    if is_known:
        return "The pointer was changed in memory."
    return "The item's title, summary or tags changed."


def _newest(found: Sequence[Pointer]) -> Pointer | None:
    """Gives the pointer that stays: the newest; of equally new ones that at the item's own path."""
    if len(found) < 2:
        return found[0] if found else None
    return max(found, key=lambda one: (one.updated_at, one.path == path_of(one.identity), one.path))


def _operations(one: _One, conflicts: Sequence[Conflict]) -> Iterator[Operation]:
    if one.entry is None:
        yield from _departed(one, conflicts)
        return
    for conflict in conflicts:
        if conflict.type == "duplicate_pointer" and conflict.resolution == "delete_memory":
            yield Operation("delete", one.ref, conflict.pointer, conflict.reason)
    kept = _newest(one.found)
    if kept is None:
        yield from _missing(one, one.entry, conflicts)
        return
    about = [conflict for conflict in conflicts if conflict.type != "duplicate_pointer"]
    updating = [conflict for conflict in about if conflict.resolution == "update_memory"]
    if updating:
        yield Operation("update", one.ref, kept.path, updating[-1].reason)
    elif all(conflict.resolution == "keep_memory" for conflict in about):
        yield from _adopted(one, one.entry, kept.path)


def _missing(one: _One, entry: Entry, conflicts: Sequence[Conflict]) -> Iterator[Operation]:
    if not conflicts:
        yield Operation("create", one.ref, one.free_path(entry.identity), "The item is new.")
    for conflict in conflicts:
        if conflict.resolution == "update_memory":
            yield Operation("create", one.ref, one.free_path(entry.identity), conflict.reason)
        elif conflict.resolution == "keep_memory":
            yield from _adopted(one, entry, "")


def _departed(one: _One, conflicts: Sequence[Conflict]) -> Iterator[Operation]:
    marked = {pointer.path for pointer in one.found if pointer.status == knowledge_pointer.ORPHANED}
    for conflict in conflicts:
        if conflict.resolution == "delete_memory" and not one.asked.marks_orphans:
            yield Operation("delete", one.ref, conflict.pointer, conflict.reason, is_orphan=True)
        elif conflict.pointer not in marked:
            yield Operation("mark_orphaned", one.ref, conflict.pointer, conflict.reason)
    if one.known is not None and all(pointer.path in marked for pointer in one.found):
        yield Operation("forget", one.ref, one.known.pointer, "Item and pointer are gone.")


def _adopted(one: _One, entry: Entry, pointer: str) -> Iterator[Operation]:
    now = (entry.content_hash, entry.render_hash, entry.path, pointer)
    before = one.known and (*one.known[:3], one.known.pointer)
    if now != before:
        yield Operation("adopt", one.ref, pointer, "The pointer in memory is the item's; the state takes it over.")


def _is_parked(state: SyncState, ref: str, entry: Entry) -> bool:
    failed = state.failed.get(ref)
    return failed is not None and failed.is_parked and failed.fingerprint == fingerprint(entry)


def _limited(operations: Sequence[Operation], max_items: int | None) -> tuple[list[Operation], tuple[str, ...]]:
    """Keeps the writes of so many items; the refs of the others are pending."""
    refs = list(dict.fromkeys(step.ref for step in operations if step.writes))
    over = frozenset() if max_items is None else frozenset(refs[max_items:])
    return [step for step in operations if step.ref not in over], tuple(sorted(over))


# What is done about conflicts where not as suggested: by type, and by type and item. Pure.


Resolutions = Mapping[tuple[str, str], Resolution]
"""By type and ref; the ref is empty where it counts for all of a type."""

_NEITHER: tuple[Resolution, ...] = ("keep_memory", "manual")


def fits(kind: ConflictType, resolution: Resolution) -> bool:
    """Says whether a conflict can be resolved so: as suggested, or by leaving memory as it is."""
    return resolution in (DEFAULTS[kind], *_NEITHER)


def configured(settings: Settings) -> Resolutions:
    """Reads the project's setting; a row that no conflict can be resolved by says nothing, as `unfit` tells."""
    read = [_read(row) for row in settings["knowledge.resolutions"]]
    return {(kind, item): resolution for kind, item, resolution in filter(None, read)}


def unfit(settings: Settings) -> list[str]:
    """Gives the rows of the setting that say nothing."""
    return [str(row) for row in settings["knowledge.resolutions"] if _read(row) is None]


def _read(row: str) -> tuple[ConflictType, str, Resolution] | None:
    found = RESOLUTION.fullmatch(row)
    if found is None:
        return None
    kinds: tuple[ConflictType, ...] = get_args(ConflictType)
    ways: tuple[Resolution, ...] = get_args(Resolution)
    kind = next((one for one in kinds if one == found[1]), None)
    way = next((one for one in ways if one == found[3]), None)
    return (kind, found[2] or "", way) if kind is not None and way is not None and fits(kind, way) else None
