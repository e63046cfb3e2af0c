"""The memory that points at a knowledge item: rendering and recognizing it. Pure.

Identity comes from the front matter alone, and every line of text starts with our label, so that no item can forge
another.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import one_line
from sidecar.knowledge.item import Identity, Item, canonical_sha256, parse_ref
from sidecar.memory import MemoryFile, Value, knowledge_pointer, read_memory_file, render_memory_file

POINTER_FOLDER = knowledge_pointer.POINTERS
MAX_TITLE = 120
MAX_SUMMARY = 280
MAX_CONSTRAINT = 160
MAX_TAGS, MAX_TAG = 10, 40

_OWN_FIELDS = (
    "id",
    "type",
    "tags",
    "layer",
    knowledge_pointer.ITEM,
    knowledge_pointer.KIND,
    knowledge_pointer.STATUS,
    "content_hash",
)
"""The front matter fields that a sync owns. All others belong to the user or are counters of the memory."""


class Pointer(NamedTuple):
    """A pointer as stored in memory."""

    path: str
    memory_id: str
    identity: Identity
    layer: str
    status: str
    """The item's status when the pointer was written; `orphaned` once the item is gone."""
    content_hash: str
    """The item's hash when the pointer was written."""
    render_hash: str
    """Hash of the pointer's present content."""
    updated_at: str


class RenderedPointer(NamedTuple):
    """A pointer as rendered from its item."""

    path: str
    memory_id: str
    facts: Mapping[str, Value]
    memory: MemoryFile
    render_hash: str
    status: str
    """The item's status, sanitized."""


def pointer_path(identity: Identity) -> str:
    """Return a pointer's path below the memories' folder; unique per item, also on case-insensitive disks."""
    where = "-".join(filter(None, (identity.layer, identity.scope, identity.id)))
    named = "".join(char if char.isalnum() and char.isascii() else "-" for char in where.lower())[:80].strip("-")
    return f"{POINTER_FOLDER}/{named}-{short_id(identity.ref, 8)}.md"


def pointer_id(identity: Identity) -> str:
    """Return the memory's id, which is stable for an item."""
    return f"pointer-{short_id(identity.ref, 16)}"


def render_pointer(item: Item) -> RenderedPointer:
    """Render an item's pointer. Deprecated and superseded items lose their constraints, because they bind nobody."""
    title = one_line(f"[{item.type.upper()}] {item.title}", MAX_TITLE)
    lines = [f"{knowledge_pointer.SUMMARY}{summary}"] if (summary := one_line(item.summary, MAX_SUMMARY)) else []
    is_in_force = item.status not in knowledge_pointer.NO_LONGER
    rules = [one_line(rule.text, MAX_CONSTRAINT) for rule in item.constraints if rule.is_blocking and is_in_force]
    blocking = [text for text in rules if text][: knowledge_pointer.MAX_CONSTRAINTS]
    lines += [f"{knowledge_pointer.BLOCKING}{text}" for text in blocking]
    status = one_line(item.status, MAX_TAG)
    if item.status not in knowledge_pointer.PLAIN:
        lines.append(f"{knowledge_pointer.STATE}{status}")
    lines.append(f"{knowledge_pointer.REFERENCE}{item.identity.ref}")
    own_tags = [
        knowledge_pointer.POINTER_TAG,
        item.type,
        item.identity.layer,
        *[knowledge_pointer.BLOCKING_TAG] * bool(blocking),
        *[status] * (not is_in_force),
    ]
    tags = [tag for text in item.tags[:MAX_TAGS] if (tag := one_line(text, MAX_TAG).replace(",", " ").strip())]
    facts: dict[str, Value] = {
        "id": pointer_id(item.identity),
        "type": "semantic",
        "tags": tuple(dict.fromkeys((*own_tags, *tags))),
        "layer": item.identity.layer,
        knowledge_pointer.ITEM: item.identity.ref,
        knowledge_pointer.KIND: item.type,
        knowledge_pointer.STATUS: status,
        "content_hash": item.content_hash,
        "sector": "semantic",
        "confidence": 1.0,
    }
    memory = read_memory_file(render_memory_file(facts, title, "\n\n".join(lines)))
    return RenderedPointer(
        pointer_path(item.identity), pointer_id(item.identity), facts, memory, pointer_hash(memory), status
    )


def pointer_hash(memory: MemoryFile) -> str:
    """Return the hash of a pointer's title, text and own fields."""
    own = {name: memory.facts.get(name) for name in _OWN_FIELDS}
    return canonical_sha256([memory.title, memory.text, own])


def parse_pointer(path: str, memory: MemoryFile) -> Pointer | None:
    """Parse a memory as a pointer; None when it is not one, such as a user's own file in that folder."""
    facts = memory.facts
    identity = parse_ref(_text(facts, knowledge_pointer.ITEM))
    if identity is None:
        return None
    return Pointer(
        path=path,
        memory_id=_text(facts, "id"),
        identity=identity,
        layer=_text(facts, "layer"),
        status=_text(facts, knowledge_pointer.STATUS),
        content_hash=_text(facts, "content_hash"),
        render_hash=pointer_hash(memory),
        updated_at=_text(facts, "updated_at") or _text(facts, "created_at"),
    )


def _text(facts: Mapping[str, str | tuple[str, ...] | None], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""
