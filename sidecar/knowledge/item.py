"""A knowledge item, the parser of its Markdown file, the items of a commit, and the memory that points at it. Pure.

    company/adrs/0001-postgres.md    orgs/<id>/policies/…    teams/<id>/patterns/…    projects/<id>/specs/…

The folder determines layer, scope and type; the front matter has the rest. A pointer is
identified by its front matter alone, and every line of its text starts with our label, so no item can forge another.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple, get_args

import orjson

from sidecar.core.clean_text import one_line
from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import split_front_matter
from sidecar.core.yaml_text import MalformedYaml, Node, parse_nodes
from sidecar.memory import MemoryFile, Value, knowledge_pointer_files, read_memory_file, render_memory_file

Layer = Literal["company", "org", "team", "project"]
ItemType = Literal["adr", "policy", "pattern", "spec"]

SCOPE_FOLDERS: dict[str, Layer] = {"orgs": "org", "teams": "team", "projects": "project"}
TYPE_FOLDERS: dict[str, ItemType] = {"adrs": "adr", "policies": "policy", "patterns": "pattern", "specs": "spec"}
_FOLDERS = {layer: folder for folder, layer in SCOPE_FOLDERS.items()}
_LAYERS = frozenset(("company", *SCOPE_FOLDERS.values()))
_ENDINGS = frozenset(("md", "markdown"))
NON_ITEM_STEMS = frozenset(("readme", "index", "manifest", "changelog", "contributing", "template"))
"""File stems that are not items; names that begin with a dot or an underscore are not either."""

MAX_DEPTH = 4
"""Maximum folder depth below a type's folder."""
MAX_ITEM_BYTES = 512 * 1024
MAX_CONSTRAINTS = 200

_LFS = b"version https://git-lfs.github.com/spec/"
_ID = lazy_regex(r"[A-Za-z0-9][\w.+@-]{0,99}", re.ASCII)
_SCOPE = lazy_regex(r"[^\x00-\x20\x7f/\\:*?\"<>|]{1,100}")
_HEADING = lazy_regex(r"^#{1,6}[ \t]++((?:[^\n \t#]++|[ \t#]++(?=[^\n \t#]))*+)[ \t#]*+$", re.MULTILINE)
_CONSTRAINTS = lazy_regex(
    r"^#{1,6}[ \t]+Constraints[ \t#]*\n(?:(?!#{1,6}[ \t])[^\n]*\n){0,40}?(?P<fence>```+|~~~+)[ \t]*ya?ml[ \t]*\n",
    re.MULTILINE | re.IGNORECASE,
)
_SINGLE_FIELDS = ("id", "type", "layer", "title", "summary", "status")
_BLOCKING = frozenset(("block", "blocking", "blocker", "critical", "error", "must"))


class Identity(NamedTuple):
    """An item's identity: its layer, the scope within it (empty for company), and its id there."""

    layer: Layer
    scope: str
    id: str

    @property
    def ref(self) -> str:
        """Return the identity as one string: `company:adr-001`, `team/web:adr-001`."""
        return f"{self.layer}{'/' if self.scope else ''}{self.scope}:{self.id}"


class ItemLocation(NamedTuple):
    """Properties that follow from a file's path in the repository."""

    layer: Layer
    scope: str
    type: ItemType
    stem: str
    problem: str = ""
    """Reason why no item can be there, as one sentence; empty when one can."""


class Constraint(NamedTuple):
    """One rule of an item, as one sentence, and whether it is blocking."""

    text: str
    is_blocking: bool


class KnowledgeItem(NamedTuple):
    """A knowledge item as parsed from its file."""

    identity: Identity
    type: ItemType
    title: str
    summary: str
    status: str
    tags: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    path: str
    content_hash: str
    """SHA-256 over the canonical JSON of content, constraints and status."""


class Entry(NamedTuple):
    """A file's parsed content, cached so that it is not read again."""

    path: str
    blob: str
    ref: str = ""
    """The item's identity as one string; empty when the file has no item, as are the next four members."""
    type: str = ""
    status: str = ""
    content_hash: str = ""
    render_hash: str = ""
    problem: str = ""
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


class UnreadableItem(ValueError):
    """An item file that cannot be parsed; the message is one sentence."""


def parse_ref(ref: str) -> Identity | None:
    """Parse a ref as written by `Identity.ref`; None when it is invalid."""
    where, _, item_id = ref.partition(":")
    layer, slash, scope = where.partition("/")
    layers: tuple[Layer, ...] = get_args(Layer)
    known_layer = next((name for name in layers if name == layer), None)
    if (
        known_layer is None
        or not _ID.fullmatch(item_id)
        or bool(slash) == (known_layer == "company")
        or bool(slash) != bool(scope)
    ):
        return None
    return Identity(known_layer, scope, item_id)


def has_type_folder(path: str) -> bool:
    """Whether a file of a scope is below a folder with a type's name."""
    _, *folders, _ = path.split("/")
    return not TYPE_FOLDERS.keys().isdisjoint(folders)


def may_be_item(path: str) -> bool:
    """Whether a file's name is an item's: Markdown, neither hidden nor about its folder."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    is_hidden = any(part[0] in "._" for part in path.split("/"))
    return bool(dot) and ending.lower() in _ENDINGS and stem.lower() not in NON_ITEM_STEMS and not is_hidden


def is_scope_folder(name: str) -> bool:
    """Whether a folder at the top has scopes or is one."""
    return name == "company" or name in SCOPE_FOLDERS


def is_misplaced(path: str) -> bool:
    """Whether a file looks like an item, by its name and a folder's that is a scope's or a type's, and is none."""
    top, *folders = path.casefold().split("/")[:-1] or ("",)
    is_near = top.removesuffix("s") in _LAYERS or not TYPE_FOLDERS.keys().isdisjoint((top, *folders))
    return is_near and may_be_item(path) and item_location(path) is None


def item_location(path: str) -> ItemLocation | None:
    """Return what a path determines; None when it is not an item's path."""
    scope, *rest = path.split("/")
    problem = ""
    if scope in SCOPE_FOLDERS and rest:
        layer, (owner, *rest) = SCOPE_FOLDERS[scope], rest
        if not _SCOPE.fullmatch(owner):
            problem = "The name of its scope's folder may contain neither spaces nor any of : * ? \" < > | \\."
    elif scope == "company":
        layer, owner = "company", ""
    else:
        return None
    if len(rest) < 2 or rest[0] not in TYPE_FOLDERS or not may_be_item("/".join(rest[1:])):
        return None
    if len(rest) > 2 + MAX_DEPTH:
        problem = f"It is more than {MAX_DEPTH} folders below `{rest[0]}/`."
    return ItemLocation(layer, owner, TYPE_FOLDERS[rest[0]], rest[-1].rpartition(".")[0], problem)


def in_scope(location: ItemLocation, scopes: Sequence[str]) -> bool:
    """Whether items of a location are in scope: the company's always, others when a glob matches their scope."""
    if location.layer == "company":
        return True
    return any(fnmatchcase(f"{_FOLDERS[location.layer]}/{location.scope}", glob) for glob in scopes)


def is_lfs_pointer(content: bytes) -> bool:
    """Whether a file is a Git LFS pointer."""
    return content.startswith(_LFS)


def parse_item(path: str, location: ItemLocation, content: bytes) -> KnowledgeItem:
    """Parse an item's file. Raise UnreadableItem."""
    if location.problem:
        raise UnreadableItem(location.problem)
    text = _decode(content)
    front_text, body = _split_front_matter(text)
    front_matter = _mapping(front_text)
    _check_single(front_matter)
    item_id = _scalar(front_matter, "id") or location.stem
    if not _ID.fullmatch(item_id):
        subject = "Its id may" if _scalar(front_matter, "id") else "It needs an `id` in its front matter: an id may"
        raise UnreadableItem(f"{subject} contain only letters, digits, dots, hyphens and underscores.")
    _check_claims(front_matter, location)
    constraints = _constraints(front_matter, body)
    status = (_scalar(front_matter, "status") or "active").lower()
    type_name = _type_named(_scalar(front_matter, "type"))
    heading = _HEADING.search(body)
    return KnowledgeItem(
        identity=Identity(location.layer, location.scope, item_id),
        type=type_name or location.type,
        title=_scalar(front_matter, "title") or (heading[1] if heading else "") or item_id,
        summary=_scalar(front_matter, "summary") or _first_paragraph(body),
        status=status,
        tags=_strings(front_matter.get("tags")),
        constraints=tuple(map(_constraint, constraints)),
        path=path,
        content_hash=canonical_sha256(
            {"content": body.strip(), "constraints": list(map(_json_value, constraints)), "status": status}
        ),
    )


def _type_named(name: str) -> ItemType | None:
    """Return the type with a name, also in plural."""
    folded = name.strip().lower()
    return TYPE_FOLDERS.get(folded) or next((known for known in TYPE_FOLDERS.values() if known == folded), None)


def _check_single(front_matter: dict[str, Node]) -> None:
    """Raise UnreadableItem for a list or a mapping in the place of one value."""
    for name in _SINGLE_FIELDS:
        if name in front_matter and front_matter[name].kind != "scalar":
            raise UnreadableItem(f"Its `{name}` must be one value, not a list, a mapping or an alias.")


def _check_claims(front_matter: dict[str, Node], location: ItemLocation) -> None:
    """Raise UnreadableItem for an unknown type, and for a layer that contradicts the file's folder."""
    type_name, layer = _scalar(front_matter, "type"), _scalar(front_matter, "layer").strip().lower()
    if type_name and _type_named(type_name) is None:
        raise UnreadableItem(f"Its type `{type_name[:40]}` is unknown; use {', '.join(TYPE_FOLDERS.values())}.")
    if layer and layer != location.layer:
        raise UnreadableItem(f"Its layer `{layer[:40]}` contradicts its folder, whose layer is `{location.layer}`.")


def canonical_sha256(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _decode(content: bytes) -> str:
    if len(content) > MAX_ITEM_BYTES:
        raise UnreadableItem(f"It is larger than {MAX_ITEM_BYTES // 1024} KiB.")
    try:
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableItem("It is not UTF-8 text.") from error


def _split_front_matter(text: str) -> tuple[str, str]:
    parts = split_front_matter(text)
    if parts.is_unclosed:
        raise UnreadableItem("Its front matter is not closed.")
    return parts.matter or "", parts.body


def _mapping(text: str) -> dict[str, Node]:
    node = _nodes(text)
    if node is None:
        return {}
    if node.kind != "mapping":
        raise UnreadableItem("Its front matter is not a mapping.")
    return {name: value for name, (_, value) in node.pairs.items()}


def _nodes(text: str) -> Node | None:
    try:
        return parse_nodes(text)
    except MalformedYaml as damage:
        raise UnreadableItem(f"It cannot be read: {str(damage)[:200]}") from damage


def _scalar(fields: dict[str, Node], name: str) -> str:
    node = fields.get(name)
    return node.text.strip() if node is not None and node.kind == "scalar" else ""


def _strings(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    texts = [item.text for item in node.items] if node.kind == "list" else node.text.split(",")
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _constraints(front_matter: dict[str, Node], body: str) -> Sequence[Node]:
    """Return the constraints of the front matter and of the fenced block under a "Constraints" heading."""
    nodes = list(_items(front_matter.get("constraints")))
    if (opening := _CONSTRAINTS.search(body)) is not None:
        nodes += _items(_nodes(_fenced(body[opening.end() :], opening["fence"])))
    if len(nodes) > MAX_CONSTRAINTS:
        raise UnreadableItem(f"It has more than {MAX_CONSTRAINTS} constraints.")
    return nodes


def _fenced(text: str, fence: str) -> str:
    """Return the lines before the closing fence; an unclosed block is empty."""
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines) if line.rstrip(" \t") == fence), 0)
    return "".join(f"{line}\n" for line in lines[:end])


def _items(node: Node | None) -> Sequence[Node]:
    if node is not None and node.kind == "mapping":
        node = node.get("constraints") or node
    if node is None:
        return ()
    return node.items if node.kind == "list" else (node,) if node.kind == "mapping" or node.text else ()


def _constraint(node: Node) -> Constraint:
    """Parse one constraint: its message, or a sentence made of operator, target and pattern."""
    if node.kind != "mapping":
        return Constraint(node.text, is_blocking=False)
    fields = {name: value for name, (_, value) in node.pairs.items()}
    message = next((text for name in ("message", "text", "description", "rule") if (text := _scalar(fields, name))), "")
    composed = " ".join(_scalar(fields, name).replace("_", " ") for name in ("operator", "target", "pattern"))
    severity = (_scalar(fields, "severity") or _scalar(fields, "level")).lower()
    is_blocking = severity in _BLOCKING or _scalar(fields, "blocking").lower() == "true"
    return Constraint(message or " ".join(composed.split()) or _scalar(fields, "id"), is_blocking)


def _json_value(node: Node) -> Any:
    """Return a node as JSON, its scalars as written."""
    if node.kind == "mapping":
        return {key: _json_value(value) for key, (_, value) in node.pairs.items()}
    return [_json_value(item) for item in node.items] if node.kind == "list" else node.text


def _first_paragraph(body: str) -> str:
    """Return the first lines of prose: not a heading, list, table, quote or fence."""
    lines: list[str] = []
    for line in body.split("\n"):
        is_prose = bool(line.strip()) and line.lstrip()[0] not in "#|>`~*-+<"
        if is_prose:
            lines.append(line.strip())
        elif lines:
            break
    return " ".join(lines)


POINTER_FOLDER = knowledge_pointer_files.POINTERS
MAX_TITLE = 120
MAX_SUMMARY = 280
MAX_CONSTRAINT = 160
MAX_TAGS, MAX_TAG = 10, 40

_OWN_FIELDS = (
    "id",
    "type",
    "tags",
    "layer",
    knowledge_pointer_files.ITEM,
    knowledge_pointer_files.KIND,
    knowledge_pointer_files.STATUS,
    "content_hash",
)
"""The front matter fields that a sync owns. All others belong to the user or are counters of the memory."""


class StoredPointer(NamedTuple):
    """A pointer as stored in memory: what a sync compares. Its text is a `knowledge_pointer_files.Pointer`."""

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


def render_pointer(item: KnowledgeItem) -> RenderedPointer:
    """Render an item's pointer. Deprecated and superseded items lose their constraints, because they bind nobody."""
    title = one_line(f"[{item.type.upper()}] {item.title}", MAX_TITLE)
    lines = [f"{knowledge_pointer_files.SUMMARY}{summary}"] if (summary := one_line(item.summary, MAX_SUMMARY)) else []
    is_in_force = item.status not in knowledge_pointer_files.NO_LONGER
    rules = [one_line(rule.text, MAX_CONSTRAINT) for rule in item.constraints if rule.is_blocking and is_in_force]
    blocking = [text for text in rules if text][: knowledge_pointer_files.MAX_CONSTRAINTS]
    lines += [f"{knowledge_pointer_files.BLOCKING}{text}" for text in blocking]
    status = one_line(item.status, MAX_TAG)
    if item.status not in knowledge_pointer_files.PLAIN:
        lines.append(f"{knowledge_pointer_files.STATE}{status}")
    lines.append(f"{knowledge_pointer_files.REFERENCE}{item.identity.ref}")
    own_tags = [
        knowledge_pointer_files.POINTER_TAG,
        item.type,
        item.identity.layer,
        *[knowledge_pointer_files.BLOCKING_TAG] * bool(blocking),
        *[status] * (not is_in_force),
    ]
    tags = [tag for text in item.tags[:MAX_TAGS] if (tag := one_line(text, MAX_TAG).replace(",", " ").strip())]
    facts: dict[str, Value] = {
        "id": pointer_id(item.identity),
        "type": "semantic",
        "tags": tuple(dict.fromkeys((*own_tags, *tags))),
        "layer": item.identity.layer,
        knowledge_pointer_files.ITEM: item.identity.ref,
        knowledge_pointer_files.KIND: item.type,
        knowledge_pointer_files.STATUS: status,
        "content_hash": item.content_hash,
        "sector": "semantic",
        "confidence": 1.0,
    }
    memory = read_memory_file(render_memory_file(facts, title, "\n\n".join(lines)))
    return RenderedPointer(
        path=pointer_path(item.identity),
        memory_id=pointer_id(item.identity),
        facts=facts,
        memory=memory,
        render_hash=pointer_hash(memory),
        status=status,
    )


def pointer_hash(memory: MemoryFile) -> str:
    """Return the hash of a pointer's title, text and own fields."""
    own = {name: memory.facts.get(name) for name in _OWN_FIELDS}
    return canonical_sha256([memory.title, memory.text, own])


def parse_stored_pointer(path: str, memory: MemoryFile) -> StoredPointer | None:
    """Parse a memory as a pointer; None when it is not one, such as a user's own file in that folder."""
    facts = memory.facts
    identity = parse_ref(_text(facts, knowledge_pointer_files.ITEM))
    if identity is None:
        return None
    return StoredPointer(
        path=path,
        memory_id=_text(facts, "id"),
        identity=identity,
        layer=_text(facts, "layer"),
        status=_text(facts, knowledge_pointer_files.STATUS),
        content_hash=_text(facts, "content_hash"),
        render_hash=pointer_hash(memory),
        updated_at=_text(facts, "updated_at") or _text(facts, "created_at"),
    )


def _text(facts: Mapping[str, str | tuple[str, ...] | None], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""
