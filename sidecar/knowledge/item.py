"""What a knowledge item is, and how its Markdown is read. Pure.

    company/adrs/0001-postgres.md    orgs/<id>/policies/…    teams/<id>/patterns/…    projects/<id>/specs/…

The folder says whose an item is and of which type; its front matter says the rest (decisions.md, Knowledge sync).
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import orjson

from sidecar.core.lazy_regex import regex
from sidecar.core.text.yaml_edit import Damaged, Node, nodes_of

Layer = Literal["company", "org", "team", "project"]
ItemType = Literal["adr", "policy", "pattern", "spec"]

SCOPED: dict[str, Layer] = {"orgs": "org", "teams": "team", "projects": "project"}
TYPES: dict[str, ItemType] = {"adrs": "adr", "policies": "policy", "patterns": "pattern", "specs": "spec"}
NO_ITEMS = frozenset(("readme", "index", "manifest", "changelog", "contributing", "template"))
"""What stands beside items and is none, by its name without ending; nor is what begins with a dot or underscore."""

MAX_DEPTH = 4
"""Folders below a type's own that are looked into."""
MAX_ITEM_BYTES = 512 * 1024
MAX_CONSTRAINTS = 200

_LFS = b"version https://git-lfs.github.com/spec/"
_ID = regex(r"[A-Za-z0-9][\w.+@-]{0,99}", re.ASCII)
_SCOPE = regex(r"[^\x00-\x20\x7f/\\:*?\"<>|]{1,100}")
_OPENING = regex(r"\ufeff?---[ \t]*\n")
_CLOSING = regex(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_HEADING = regex(r"^#{1,6}[ \t]++((?:[^\n \t#]++|[ \t#]++(?=[^\n \t#]))*+)[ \t#]*+$", re.MULTILINE)
_CONSTRAINTS = regex(
    r"^#{1,6}[ \t]+Constraints[ \t#]*\n(?:(?!#{1,6}[ \t])[^\n]*\n){0,40}?(?P<fence>```+|~~~+)[ \t]*ya?ml[ \t]*\n",
    re.MULTILINE | re.IGNORECASE,
)
_BLOCKING = frozenset(("block", "blocking", "blocker", "critical", "error", "must"))


class Identity(NamedTuple):
    """Which item: its layer, the scope within it (empty for company), and its id there."""

    layer: Layer
    scope: str
    id: str

    @property
    def ref(self) -> str:
        """Gives it as one word: `company:adr-001`, `team/web:adr-001`."""
        return f"{self.layer}{'/' if self.scope else ''}{self.scope}:{self.id}"


class Place(NamedTuple):
    """What a file's path in the repository says."""

    layer: Layer
    scope: str
    type: ItemType
    stem: str


class Constraint(NamedTuple):
    """One rule of an item, in one sentence, and whether it is blocking."""

    text: str
    is_blocking: bool


class Item(NamedTuple):
    """A knowledge item as its file has it."""

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


class Unreadable(ValueError):
    """A file where an item belongs that cannot be read as one; the message is one sentence."""


def identity_of(ref: str) -> Identity | None:
    """Reads what `Identity.ref` gives; None for anything else."""
    where, _, item_id = ref.partition(":")
    layer, slash, scope = where.partition("/")
    layers: tuple[Layer, ...] = get_args(Layer)
    found = next((one for one in layers if one == layer), None)
    if found is None or not _ID.fullmatch(item_id) or bool(slash) == (found == "company") or bool(slash) != bool(scope):
        return None
    return Identity(found, scope, item_id)


def place_of(path: str) -> Place | None:
    """Says what a path means; None for one that holds no item."""
    scope, *rest = path.split("/")
    if scope in SCOPED and rest:
        layer, (owner, *rest) = SCOPED[scope], rest
        if not _SCOPE.fullmatch(owner):
            return None
    elif scope == "company":
        layer, owner = "company", ""
    else:
        return None
    if not 2 <= len(rest) <= 2 + MAX_DEPTH or rest[0] not in TYPES or any(part[0] in "._" for part in rest[1:]):
        return None
    stem, dot, ending = rest[-1].rpartition(".")
    if not dot or ending.lower() != "md" or stem.lower() in NO_ITEMS:
        return None
    return Place(layer, owner, TYPES[rest[0]], stem)


def is_lfs_pointer(content: bytes) -> bool:
    """Says whether a file only points at its content elsewhere (Git LFS)."""
    return content.startswith(_LFS)


def read_item(path: str, place: Place, content: bytes) -> Item:
    """Reads an item's file; raises Unreadable."""
    text = _text(content)
    matter, body = _split(text)
    said = _mapping(matter)
    item_id = _said(said, "id") or place.stem
    if not _ID.fullmatch(item_id):
        raise Unreadable("Its id is not made of letters, digits, dots, hyphens and underscores.")
    constraints = _constraints(said, body)
    status = (_said(said, "status") or "active").lower()
    given = _said(said, "type").lower()
    heading = _HEADING.search(body)
    return Item(
        identity=Identity(place.layer, place.scope, item_id),
        type=next((known for known in TYPES.values() if known == given), place.type),
        title=_said(said, "title") or (heading[1] if heading else "") or item_id,
        summary=_said(said, "summary") or _first_paragraph(body),
        status=status,
        tags=_listed(said.get("tags")),
        constraints=tuple(map(_constraint, constraints)),
        path=path,
        content_hash=sha256({"content": body.strip(), "constraints": list(map(_value, constraints)), "status": status}),
    )


def sha256(value: Any) -> str:
    """Gives the SHA-256 of a value's canonical JSON: sorted keys, no spaces, UTF-8."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _text(content: bytes) -> str:
    if len(content) > MAX_ITEM_BYTES:
        raise Unreadable(f"It is larger than {MAX_ITEM_BYTES // 1024} KiB.")
    try:
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable("It is not UTF-8 text.") from error


def _split(text: str) -> tuple[str, str]:
    opening = _OPENING.match(text)
    if opening is None:
        return "", text.removeprefix("\ufeff")
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise Unreadable("Its front matter has no end.")
    return text[opening.end() : closing.start()], text[closing.end() :]


def _mapping(matter: str) -> dict[str, Node]:
    node = _nodes(matter)
    if node is None:
        return {}
    if node.kind != "mapping":
        raise Unreadable("Its front matter is not one list of keys with values.")
    return {name: value for name, (_, value) in node.pairs.items()}


def _nodes(text: str) -> Node | None:
    try:
        return nodes_of(text)
    except Damaged as damage:
        raise Unreadable(f"It cannot be read: {str(damage)[:200]}") from damage


def _said(said: dict[str, Node], name: str) -> str:
    node = said.get(name)
    return node.text.strip() if node is not None and node.kind == "scalar" else ""


def _listed(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    texts = [one.text for one in node.items] if node.kind == "list" else node.text.split(",")
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _constraints(said: dict[str, Node], body: str) -> Sequence[Node]:
    """Gives the items of the front matter's list, and those of the fenced block under a heading "Constraints"."""
    found = list(_items(said.get("constraints")))
    if (opening := _CONSTRAINTS.search(body)) is not None:
        found += _items(_nodes(_fenced(body[opening.end() :], opening["fence"])))
    if len(found) > MAX_CONSTRAINTS:
        raise Unreadable(f"It has more than {MAX_CONSTRAINTS} constraints.")
    return found


def _fenced(text: str, fence: str) -> str:
    """Gives what stands before the line that closes a fence; a block that nobody closed holds nothing."""
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
    """Reads one constraint: its own words, or what is to be done with what."""
    if node.kind != "mapping":
        return Constraint(node.text, is_blocking=False)
    said = {name: value for name, (_, value) in node.pairs.items()}
    told = next((text for name in ("message", "text", "description", "rule") if (text := _said(said, name))), "")
    made = " ".join(_said(said, name).replace("_", " ") for name in ("operator", "target", "pattern"))
    severity = (_said(said, "severity") or _said(said, "level")).lower()
    is_blocking = severity in _BLOCKING or _said(said, "blocking").lower() == "true"
    return Constraint(told or " ".join(made.split()) or _said(said, "id"), is_blocking)


def _value(node: Node) -> Any:
    """Gives a node as JSON, its scalars as they are written."""
    if node.kind == "mapping":
        return {key: _value(value) for key, (_, value) in node.pairs.items()}
    return [_value(one) for one in node.items] if node.kind == "list" else node.text


def _first_paragraph(body: str) -> str:
    """Gives the first lines of prose: no heading, list, table, quote or fence."""
    kept: list[str] = []
    for line in body.split("\n"):
        is_prose = bool(line.strip()) and line.lstrip()[0] not in "#|>`~*-+<"
        if is_prose:
            kept.append(line.strip())
        elif kept:
            break
    return " ".join(kept)
