"""The memory that points at a knowledge item: what it says, and how it is recognised. Pure.

Identity comes from the front matter alone; every line of the text is one we begin, so that no item can forge another.
"""

from collections.abc import Mapping
from typing import NamedTuple

from sidecar.core.digests import short_id
from sidecar.core.text.sanitize import one_line
from sidecar.knowledge.item import Identity, Item, identity_of, sha256
from sidecar.memory import Value, Written, knowledge_pointer, read_back, written

FOLDER = knowledge_pointer.POINTERS
MAX_TITLE = 120
MAX_SUMMARY = 280
MAX_CONSTRAINT = 160
MAX_TAGS, MAX_TAG = 10, 40

_OWN = (
    "id",
    "type",
    "tags",
    "layer",
    knowledge_pointer.ITEM,
    knowledge_pointer.KIND,
    knowledge_pointer.STATUS,
    "content_hash",
)
"""What the front matter says for us; all else there may be the user's, or the memory's own counting."""


class Pointer(NamedTuple):
    """A pointer as it stands in memory."""

    path: str
    memory_id: str
    identity: Identity
    layer: str
    status: str
    """The item's when the pointer was written; `orphaned` once the item was seen to be gone."""
    content_hash: str
    """The item's when the pointer was written."""
    render_hash: str
    """Of what stands there now."""
    updated_at: str


class Rendered(NamedTuple):
    """A pointer as it ought to be."""

    path: str
    memory_id: str
    facts: Mapping[str, Value]
    memory: Written
    render_hash: str
    status: str
    """The item's, fit to be told."""


def path_of(identity: Identity) -> str:
    """Gives a pointer's path below the memories' folder: one per item, on disks without case too."""
    where = "-".join(filter(None, (identity.layer, identity.scope, identity.id)))
    named = "".join(char if char.isalnum() and char.isascii() else "-" for char in where.lower())[:80].strip("-")
    return f"{FOLDER}/{named}-{short_id(identity.ref, 8)}.md"


def id_of(identity: Identity) -> str:
    """Gives the memory's id: the same for the same item, wherever and however often it is written."""
    return f"pointer-{short_id(identity.ref, 16)}"


def render(item: Item) -> Rendered:
    """Gives an item's pointer; deprecated and superseded items bind nobody, so their constraints are left out."""
    title = one_line(f"[{item.type.upper()}] {item.title}", MAX_TITLE)
    lines = [f"{knowledge_pointer.SUMMARY}{summary}"] if (summary := one_line(item.summary, MAX_SUMMARY)) else []
    holds = item.status not in knowledge_pointer.NO_LONGER
    rules = [one_line(one.text, MAX_CONSTRAINT) for one in item.constraints if one.is_blocking and holds]
    blocking = [text for text in rules if text][: knowledge_pointer.MAX_CONSTRAINTS]
    lines += [f"{knowledge_pointer.BLOCKING}{text}" for text in blocking]
    status = one_line(item.status, MAX_TAG)
    if item.status not in knowledge_pointer.PLAIN:
        lines.append(f"{knowledge_pointer.STATE}{status}")
    lines.append(f"{knowledge_pointer.REFERENCE}{item.identity.ref}")
    ours = [
        knowledge_pointer.POINTER_TAG,
        item.type,
        item.identity.layer,
        *[knowledge_pointer.BLOCKING_TAG] * bool(blocking),
        *[status] * (not holds),
    ]
    tags = [tag for one in item.tags[:MAX_TAGS] if (tag := one_line(one, MAX_TAG).replace(",", " ").strip())]
    facts: dict[str, Value] = {
        "id": id_of(item.identity),
        "type": "semantic",
        "tags": tuple(dict.fromkeys((*ours, *tags))),
        "layer": item.identity.layer,
        knowledge_pointer.ITEM: item.identity.ref,
        knowledge_pointer.KIND: item.type,
        knowledge_pointer.STATUS: status,
        "content_hash": item.content_hash,
        "sector": "semantic",
        "confidence": 1.0,
    }
    memory = read_back(written(facts, title, "\n\n".join(lines)))
    return Rendered(path_of(item.identity), id_of(item.identity), facts, memory, hash_of(memory), status)


def hash_of(memory: Written) -> str:
    """Gives the hash of what a pointer says: title, text and the facts that are ours."""
    own = {name: memory.facts.get(name) for name in _OWN}
    return sha256([memory.title, memory.text, own])


def pointer_of(path: str, memory: Written) -> Pointer | None:
    """Reads a memory as a pointer; None for what is none, as a user's own file in that folder is."""
    facts = memory.facts
    identity = identity_of(_text(facts, knowledge_pointer.ITEM))
    if identity is None:
        return None
    return Pointer(
        path=path,
        memory_id=_text(facts, "id"),
        identity=identity,
        layer=_text(facts, "layer"),
        status=_text(facts, knowledge_pointer.STATUS),
        content_hash=_text(facts, "content_hash"),
        render_hash=hash_of(memory),
        updated_at=_text(facts, "updated_at") or _text(facts, "created_at"),
    )


def _text(facts: Mapping[str, str | tuple[str, ...] | None], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""
