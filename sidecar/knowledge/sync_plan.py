"""Plan a sync: one decision per item from the manifest, the state and the pointers in memory. Pure.

Full, incremental, single and dry runs, conflicts and status are this function with different inputs. After a plan is
applied, the next one is empty.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Literal, NamedTuple, get_args

from sidecar.knowledge.item import Entry, Identity, Manifest, StoredPointer, pointer_id, pointer_path
from sidecar.knowledge.store import SyncedItem, SyncState
from sidecar.memory import knowledge_pointer_files
from sidecar.settings.resolve import Settings
from sidecar.settings.table import RESOLUTION

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
"""Suggested resolutions, by the type of conflict."""

DELETION_GUARD_POINTERS = 20
"""From this many pointers on, a plan that deletes more than half of them needs `force`."""

_ORDER: tuple[OperationKind, ...] = ("create", "update", "mark_orphaned", "delete", "adopt", "forget")
_STATE_ONLY = frozenset(("adopt", "forget"))


class SyncConflict(NamedTuple):
    """A disagreement between memory and the repository, and its resolution."""

    type: ConflictType
    ref: str
    pointer: str
    memory_id: str
    suggested: Resolution
    resolution: Resolution
    reason: str


class Operation(NamedTuple):
    """One step: a pointer written or deleted or, with adopt and forget, only the state changed."""

    kind: OperationKind
    ref: str
    pointer: str
    reason: str
    is_orphan: bool = False
    """Whether a deletion is due to a removed item rather than a duplicate pointer."""

    @property
    def writes(self) -> bool:
        """Whether the operation changes memory."""
        return self.kind not in _STATE_ONLY


class Delta(NamedTuple):
    """Refs by how the repository's items compare with the hashes of the last sync."""

    added: tuple[str, ...]
    updated: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]


class PlanRequest(NamedTuple):
    """A request for a plan."""

    only: frozenset[str] | None = None
    """The refs to plan for; None for all."""
    resolutions: Mapping[tuple[str, str], Resolution] = {}
    """By conflict type and ref; an empty ref applies to all conflicts of the type."""
    max_items: int | None = None
    mark_orphans: bool = False
    """Whether a pointer without an item is only marked, as in a single item's sync."""
    retry_quarantined: bool = False
    """Whether quarantined items are tried again, because they or a full sync were requested."""


class Plan(NamedTuple):
    """Operations in execution order, and what they are derived from."""

    commit: str
    delta: Delta
    conflicts: tuple[SyncConflict, ...]
    operations: tuple[Operation, ...]
    pending: tuple[str, ...]
    quarantined: tuple[str, ...]
    pointers: int
    """Number of pointers in memory."""
    deletions: int
    """Number of pointers to delete, also by operations beyond `max_items`."""

    @property
    def unchanged_count(self) -> int:
        """Number of items whose content is that of the last sync and whose pointer is not written either."""
        written = {operation.ref for operation in self.operations if operation.kind in ("create", "update")}
        return len(frozenset(self.delta.unchanged) - written - frozenset(self.pending))

    @property
    def is_empty(self) -> bool:
        """Whether memory, state and repository agree."""
        return not self.operations

    @property
    def needs_force(self) -> bool:
        """Whether the plan deletes so much that it needs `force`."""
        return self.pointers >= DELETION_GUARD_POINTERS and 2 * self.deletions > self.pointers


class ItemState(NamedTuple):
    """Everything known about one ref."""

    ref: str
    entry: Entry | None
    known: SyncedItem | None
    pointers: list[StoredPointer]
    request: PlanRequest
    refs_by_path: Mapping[str, str]
    """The ref of the pointer at each path in memory."""

    def free_path(self, identity: Identity) -> str:
        """Return a free path: the usual one may have a pointer that was edited to name another item."""
        own = pointer_path(identity)
        paths = (own if number == 1 else own.replace(".md", f"-{number}.md") for number in count(1))
        return next(path for path in paths if self.refs_by_path.get(path) in (None, self.ref))

    def conflict(self, kind: ConflictType, pointer: StoredPointer | None, reason: str) -> SyncConflict:
        """Return a conflict of the item with its resolution."""
        choices = self.request.resolutions
        resolution = choices.get((kind, self.ref)) or choices.get((kind, "")) or DEFAULTS[kind]
        path = pointer.path if pointer else self.known.pointer if self.known else ""
        memory_id = pointer.memory_id if pointer else self.known.memory_id if self.known else ""
        return SyncConflict(
            type=kind,
            ref=self.ref,
            pointer=path,
            memory_id=memory_id,
            suggested=DEFAULTS[kind],
            resolution=resolution,
            reason=reason,
        )


def plan(manifest: Manifest, state: SyncState, pointers: Sequence[StoredPointer], request: PlanRequest) -> Plan:
    """Plan what brings memory in line with the manifest; linear in the number of items and pointers."""
    pointers_by_ref: dict[str, list[StoredPointer]] = defaultdict(list)
    for pointer in pointers:
        pointers_by_ref[pointer.identity.ref].append(pointer)
    unreadable_refs = {item.ref for item in manifest.failures if item.ref} - manifest.items.keys()
    refs = (manifest.items.keys() | state.items.keys() | pointers_by_ref.keys()) - unreadable_refs
    selected_refs = sorted(refs if request.only is None else refs & request.only)
    refs_by_path = {pointer.path: pointer.identity.ref for pointer in pointers}
    items = [
        ItemState(
            ref=ref,
            entry=manifest.items.get(ref),
            known=state.items.get(ref),
            pointers=pointers_by_ref[ref],
            request=request,
            refs_by_path=refs_by_path,
        )
        for ref in selected_refs
    ]
    quarantined = {
        item.ref for item in items
        if item.entry is not None and not request.retry_quarantined and _is_quarantined(state, item.ref, item.entry)
    }  # fmt: skip
    conflicts_by_ref = {item.ref: (list(_conflicts(item)), item) for item in items}
    operations = [
        step
        for ref, (conflicts, item) in conflicts_by_ref.items()
        if ref not in quarantined
        for step in _operations(item, conflicts)
    ]
    limited, pending = _limit_writes(operations, request.max_items)
    return Plan(
        commit=manifest.commit,
        delta=_delta(items),
        conflicts=tuple(conflict for conflicts, _ in conflicts_by_ref.values() for conflict in conflicts),
        operations=tuple(sorted(limited, key=lambda step: (_ORDER.index(step.kind), step.ref, step.pointer))),
        pending=pending,
        quarantined=tuple(sorted(quarantined)),
        pointers=len(pointers),
        deletions=sum(step.kind == "delete" for step in operations),
    )


def fingerprint(entry: Entry) -> str:
    """Return a string that changes with the item."""
    return f"{entry.content_hash[:20]}{entry.render_hash[:20]}"


def synced_item(entry: Entry, pointer: str) -> SyncedItem:
    """Return the state of an item whose pointer is at a path."""
    return SyncedItem(
        entry.content_hash, entry.render_hash, entry.path, pointer_id(entry.identity) if pointer else "", pointer
    )


def _delta(items: Sequence[ItemState]) -> Delta:
    by_kind: dict[str, list[str]] = {name: [] for name in Delta._fields}
    for item in items:
        if item.entry is not None and item.known is not None:
            same = (item.entry.content_hash, item.entry.render_hash) == item.known[:2]
            by_kind["unchanged" if same else "updated"].append(item.ref)
        elif item.entry is not None:
            by_kind["added"].append(item.ref)
        elif item.known is not None:
            by_kind["deleted"].append(item.ref)
    return Delta(**{name: tuple(refs) for name, refs in by_kind.items()})


def _conflicts(item: ItemState) -> Iterator[SyncConflict]:
    if item.entry is None:
        for pointer in item.pointers:
            yield item.conflict("orphaned_pointer", pointer, "The item no longer exists.")
        return
    current = _newest(item.pointers)
    for pointer in item.pointers:
        if pointer is not current:
            yield item.conflict("duplicate_pointer", pointer, "A newer memory points at the same item.")
    if current is None:
        if item.known is not None:
            yield item.conflict("missing_pointer", None, "The item's pointer was deleted from memory.")
        return
    if current.layer != item.entry.layer:
        yield item.conflict("layer_mismatch", current, "The pointer's layer differs from the item's.")
    if item.entry.status in knowledge_pointer_files.NO_LONGER and current.status != item.entry.status:
        yield item.conflict("status_change", current, f"The item is {item.entry.status} now.")
    if reason := _difference(item.entry, item.known, current):
        yield item.conflict("hash_mismatch", current, reason)


def _difference(entry: Entry, known: SyncedItem | None, pointer: StoredPointer) -> str:
    if pointer.status == knowledge_pointer_files.ORPHANED:
        return "The item exists again."
    is_known = known is not None and known[:2] == (entry.content_hash, entry.render_hash)
    if pointer.content_hash != entry.content_hash and not is_known:
        return "The item's content, constraints or status changed."
    if pointer.render_hash == entry.render_hash:
        return ""
    if is_known:
        return "The pointer was edited in memory."
    return "The item's title, summary or tags changed."


def _newest(pointers: Sequence[StoredPointer]) -> StoredPointer | None:
    """Return the pointer to keep: the newest or, among equally new ones, the one at the item's own path."""
    if len(pointers) < 2:
        return pointers[0] if pointers else None
    return max(
        pointers, key=lambda pointer: (pointer.updated_at, pointer.path == pointer_path(pointer.identity), pointer.path)
    )


def _operations(item: ItemState, conflicts: Sequence[SyncConflict]) -> Iterator[Operation]:
    if item.entry is None:
        yield from _orphan_operations(item, conflicts)
        return
    for conflict in conflicts:
        if conflict.type == "duplicate_pointer" and conflict.resolution == "delete_memory":
            yield Operation("delete", item.ref, conflict.pointer, conflict.reason)
    current = _newest(item.pointers)
    if current is None:
        yield from _create_operations(item, item.entry, conflicts)
        return
    others = [conflict for conflict in conflicts if conflict.type != "duplicate_pointer"]
    updates = [conflict for conflict in others if conflict.resolution == "update_memory"]
    if updates:
        yield Operation("update", item.ref, current.path, updates[-1].reason)
    elif all(conflict.resolution == "keep_memory" for conflict in others):
        yield from _adopt_operations(item, item.entry, current.path)


def _create_operations(item: ItemState, entry: Entry, conflicts: Sequence[SyncConflict]) -> Iterator[Operation]:
    if not conflicts:
        yield Operation("create", item.ref, item.free_path(entry.identity), "The item is new.")
    for conflict in conflicts:
        if conflict.resolution == "update_memory":
            yield Operation("create", item.ref, item.free_path(entry.identity), conflict.reason)
        elif conflict.resolution == "keep_memory":
            yield from _adopt_operations(item, entry, "")


def _orphan_operations(item: ItemState, conflicts: Sequence[SyncConflict]) -> Iterator[Operation]:
    marked = {pointer.path for pointer in item.pointers if pointer.status == knowledge_pointer_files.ORPHANED}
    for conflict in conflicts:
        if conflict.resolution == "delete_memory" and not item.request.mark_orphans:
            yield Operation("delete", item.ref, conflict.pointer, conflict.reason, is_orphan=True)
        elif conflict.pointer not in marked:
            yield Operation("mark_orphaned", item.ref, conflict.pointer, conflict.reason)
    if item.known is not None and all(pointer.path in marked for pointer in item.pointers):
        yield Operation("forget", item.ref, item.known.pointer, "Item and pointer no longer exist.")


def _adopt_operations(item: ItemState, entry: Entry, pointer: str) -> Iterator[Operation]:
    now = (entry.content_hash, entry.render_hash, entry.path, pointer)
    before = item.known and (*item.known[:3], item.known.pointer)
    if now != before:
        yield Operation("adopt", item.ref, pointer, "The pointer in memory matches the item, so the state adopts it.")


def _is_quarantined(state: SyncState, ref: str, entry: Entry) -> bool:
    failed = state.failed.get(ref)
    return failed is not None and failed.is_quarantined and failed.fingerprint == fingerprint(entry)


def _limit_writes(operations: Sequence[Operation], max_items: int | None) -> tuple[list[Operation], tuple[str, ...]]:
    """Limit the writes to `max_items` items; return the operations and the pending refs."""
    refs = list(dict.fromkeys(step.ref for step in operations if step.writes))
    pending = frozenset() if max_items is None else frozenset(refs[max_items:])
    return [step for step in operations if step.ref not in pending], tuple(sorted(pending))


Resolutions = Mapping[tuple[str, str], Resolution]
"""By type and ref; an empty ref applies to all conflicts of the type."""

_ALWAYS_ALLOWED: tuple[Resolution, ...] = ("keep_memory", "manual")


def allows_resolution(kind: ConflictType, resolution: Resolution) -> bool:
    """Whether a conflict type allows a resolution: the suggested one, or leaving memory unchanged."""
    return resolution in (DEFAULTS[kind], *_ALWAYS_ALLOWED)


def configured_resolutions(settings: Settings) -> Resolutions:
    """Return the project's configured resolutions; invalid rows are ignored and listed by `invalid_resolutions`."""
    read = [_parse_row(row) for row in settings["knowledge.resolutions"]]
    return {(kind, item): resolution for kind, item, resolution in filter(None, read)}


def invalid_resolutions(settings: Settings) -> list[str]:
    """Return the setting's invalid rows."""
    return [str(row) for row in settings["knowledge.resolutions"] if _parse_row(row) is None]


def _parse_row(row: str) -> tuple[ConflictType, str, Resolution] | None:
    match = RESOLUTION.fullmatch(row)
    if match is None:
        return None
    kinds: tuple[ConflictType, ...] = get_args(ConflictType)
    resolutions: tuple[Resolution, ...] = get_args(Resolution)
    kind = next((name for name in kinds if name == match[1]), None)
    resolution = next((name for name in resolutions if name == match[3]), None)
    return (
        (kind, match[2] or "", resolution)
        if kind is not None and resolution is not None and allows_resolution(kind, resolution)
        else None
    )
