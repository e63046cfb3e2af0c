"""Changes of the registry's text: what is not changed stays as it is written, byte for byte. Pure.

A change replaces a value's own characters; a new key gets a line after the last one, a new entity after the last one
of its category. Comments, order, quotes, unknown keys and line ends survive because nobody writes them anew. What
cannot be told apart so (anchors, a key written as `? key`) is refused: the text that comes out is read again, and
must differ from the old one by the change alone.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import orjson

from sidecar.core.errors import Conflict, NotFound
from sidecar.core.lazy_regex import regex
from sidecar.core.text.yaml_edit import Damaged, Node, nodes_of

Value = str | float | int | Sequence[str]
Fields = Mapping[str, Value]

Tree = Mapping[str, object]

_Change = tuple[tuple[str, ...], Fields | None]
"""Where a mapping stands, and which of its fields are set; None where it goes."""

_MARK = "\ufeff"

NEW_FILE = '# What this project has, and what it is for. Yours to edit.\nmetadata:\n  version: "1.0.0"\n'

FIELD_ORDER = ("path", "type", "purpose", "keywords", "dependencies", "adaptability", "checksum")

_PLAIN = regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@-]*[\w/])?", re.ASCII)
_ALWAYS_QUOTED = ("purpose", "checksum", "last_updated", "version")
_BLANK_LINES = regex(r"(?:[ \t]*\r?\n)*")
_BLANK_BEFORE = regex(r"\n(?:[ \t]{0,200}\r?\n){1,60}\Z")
_UNSAFE = regex(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def put_entity(text: str, category: str, key: str, fields: Fields) -> str:
    """Gives the text with an entity's fields set; the entity, its category and the list are made where need be.

    Raises Conflict, Damaged.
    """
    return _edited(
        text, lambda body, ends: _put(body, category, key, fields, ends), [(("entities", category, key), fields)]
    )


def remove_entity(text: str, category: str, key: str) -> str:
    """Gives the text without an entity; its category stays, if need be empty.

    Raises NotFound where there is none, Conflict, Damaged.
    """
    return _edited(text, lambda body, _: _remove(body, category, key), [(("entities", category, key), None)])


def put_fields(text: str, fields_of: Mapping[tuple[str, str], Fields]) -> str:
    """Gives the text with fields of many entities set, which are there. Raises Conflict, Damaged.

    The text is read once before and once after, however many there are.
    """

    def change(body: str, ends: str) -> str:
        groups = {category: group.pairs for category, (_, group) in _root(body).pairs["entities"][1].pairs.items()}
        found = [(groups[category][key][1], fields) for (category, key), fields in fields_of.items()]
        for entity, fields in sorted(found, key=lambda one: -one[0].start):  # what stands before keeps its place
            body = _with_fields(body, entity, fields, ends)
        return body

    return _edited(text, change, [(("entities", *place), fields) for place, fields in fields_of.items()])


def set_metadata(text: str, fields: Fields) -> str:
    """Gives the text with those of the metadata's keys set that it has already. Raises Conflict, Damaged."""
    metadata = _root(text.removeprefix(_MARK)).get("metadata")
    known = {name: value for name, value in fields.items() if metadata is not None and metadata.get(name)}
    if metadata is None or not known:
        return text
    return _edited(text, lambda body, ends: _with_fields(body, metadata, known, ends), [(("metadata",), known)])


def shown(name: str, value: Value) -> str:
    """Gives a value on one line of YAML: plain where that means the same, else in double quotes."""
    if isinstance(value, str):
        return value if name not in _ALWAYS_QUOTED and _PLAIN.fullmatch(value) else _quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    return f"[{', '.join(shown('', item) for item in value)}]"


def shown_change(value: Value) -> str:
    """Gives a value as a reader compares it."""
    return value if isinstance(value, str) else shown("", value)


def _quoted(value: str) -> str:
    """JSON's strings are YAML's; what YAML takes for a line end or refuses is escaped."""
    quoted = orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _edited(text: str, change: Callable[[str, str], str], expected: Sequence[_Change]) -> str:
    mark = _MARK if text.startswith(_MARK) else ""
    body = text.removeprefix(mark)
    after = change(body, "\r\n" if "\r\n" in body else "\n")
    _require_nothing_else_changed(body, after, expected)
    return mark + after


def _root(body: str) -> Node:
    root = nodes_of(body)
    if root is None:
        return Node("mapping", len(body), len(body), 1, is_flow=False)
    if root.kind != "mapping":
        raise Damaged("The file is not one list of keys with values.")
    return root


def _put(body: str, category: str, key: str, fields: Fields, ends: str) -> str:
    entities = _root(body).get("entities")
    group = entities.get(category) if entities else None
    entity = group.get(key) if group else None
    if entity is not None:
        return _with_fields(body, entity, fields, ends)
    ordered = {name: fields[name] for name in (*FIELD_ORDER, *fields) if name in fields}
    if entities is None:
        return _with_new(body, _root(body), "entities", {category: {key: ordered}}, ends)
    parent, name, value = (group, key, ordered) if group is not None else (entities, category, {key: ordered})
    if parent.kind == "mapping" and parent.fields:
        return _with_new(body, parent, name, value, ends)
    at = "entities" if parent is entities else category
    return _filled(body, parent, _key_of(body, at, category), {name: value}, ends)


def _key_of(body: str, name: str, category: str) -> Node:
    root = _root(body)
    pairs = root.pairs if name == "entities" else root.pairs["entities"][1].pairs
    return pairs[name if name == "entities" else category][0]


def _with_fields(body: str, mapping: Node, fields: Fields, ends: str) -> str:
    """Sets fields of a mapping: those that are there in their place, the last one first, and the others behind."""
    pairs = mapping.pairs
    new = {name: value for name, value in fields.items() if name not in pairs}
    for name, value in new.items():
        body = _with_new(body, mapping, name, value, ends) if len(new) == 1 else body
    if len(new) > 1:
        body = _with_several(body, mapping, new, ends)
    known = sorted((name for name in fields if name in pairs), key=lambda name: -pairs[name][1].start)
    for name in known:
        start, end = pairs[name][1].start, pairs[name][1].end
        gap = " " if body[start - 1 : start] == ":" else ""
        body = body[:start] + gap + shown(name, fields[name]) + body[end:]
    return body


def _with_several(body: str, mapping: Node, fields: Fields, ends: str) -> str:
    if mapping.is_flow:
        return _into_brackets(body, mapping, [f"{name}: {shown(name, value)}" for name, value in fields.items()])
    indent = _indent_of(body, mapping.fields[0][0])
    return _after_line(
        body, mapping.end, [f"{indent}{name}: {shown(name, value)}" for name, value in fields.items()], ends
    )


def _with_new(body: str, parent: Node, name: str, value: object, ends: str) -> str:
    """Adds a key behind the last one of a mapping that has some, or to an empty document."""
    if parent.is_flow:
        return _into_brackets(body, parent, [f"{shown('', name)}: {_in_brackets(name, value)}"])
    if not parent.fields:
        lines = _lines(name, value, "", 2)
        gap = ends if body and not body.endswith("\n") else ""
        return body + gap + "".join(line + ends for line in lines)
    indent = _indent_of(body, parent.fields[0][0])
    lines = _lines(name, value, indent, _step(body, parent))
    if isinstance(value, Mapping) and _are_apart(body, parent):
        lines = ["", *lines]
    return _after_line(body, parent.end, lines, ends)


def _filled(body: str, empty: Node, key: Node, tree: Tree, ends: str) -> str:
    """Gives an empty list of keys, written as nothing, as null or as `{}`, its first one."""
    if empty.kind not in ("scalar", "mapping") or (empty.kind == "scalar" and empty.text):
        raise _in_the_way()
    if not _starts_line(body, key):
        return body[: empty.start] + _in_brackets("", tree) + body[empty.end :]
    indent = _indent_of(body, key)
    lines = [line for name, value in tree.items() for line in _lines(name, value, indent + "  ", 2)]
    colon = body.index(":", key.end) + 1
    without = body[:colon] + body[max(colon, empty.end) :] if empty.end > colon else body
    return _after_line(without, colon, lines, ends)


def _remove(body: str, category: str, key: str) -> str:
    entities = _root(body).get("entities")
    group = entities.get(category) if entities else None
    if group is None or key not in group.pairs:
        raise NotFound("There is no entity of that id in the file.")
    name, value = group.pairs[key]
    if group.is_flow:
        return _out_of_brackets(body, group, name, value)
    if not _starts_line(body, name):
        raise _in_the_way()
    start, end = body.rfind("\n", 0, name.start) + 1, _line_end(body, max(value.end, name.end))
    if name is group.fields[-1][0]:
        start = len(_BLANK_BEFORE.sub("\n", body[:start]))
    elif _BLANK_BEFORE.search(body[:start]):
        end = _BLANK_LINES.match(body, end).end()  # type: ignore[union-attr]  # matches the empty text too
    if len(group.fields) > 1:
        return body[:start] + body[end:]
    colon = body.index(":", _key_of(body, category, category).end) + 1
    return body[:colon] + " {}" + body[colon:start] + body[end:]


def _lines(name: str, value: object, indent: str, step: int) -> list[str]:
    if not isinstance(value, Mapping):
        return [f"{indent}{shown('', name)}: {shown(name, value)}"]  # type: ignore[arg-type]  # a field's own value
    below = [line for key, one in value.items() for line in _lines(key, one, indent + " " * step, step)]
    return [f"{indent}{shown('', name)}:", *below]


def _in_brackets(name: str, value: object) -> str:
    if not isinstance(value, Mapping):
        return shown(name, value)  # type: ignore[arg-type]  # a field's own value
    return "{" + ", ".join(f"{shown('', key)}: {_in_brackets(key, one)}" for key, one in value.items()) + "}"


def _into_brackets(body: str, mapping: Node, items: Sequence[str]) -> str:
    end = mapping.end - 1
    inner = body[mapping.start + 1 : end]
    before = "" if not mapping.fields or inner.rstrip().endswith(",") else ", "
    kept = len(inner) - len(inner.rstrip())
    return body[: end - kept] + before + ", ".join(items) + body[end - kept :]


def _out_of_brackets(body: str, mapping: Node, name: Node, value: Node) -> str:
    start, end = name.start, max(value.end, name.end)
    rest = regex(r"\s*,\s*").match(body, end)
    if rest:
        return body[:start] + body[rest.end() :]
    before = re.search(r"(?<!\s)\s*+,\s*+\Z", body[mapping.start : start])
    return body[: mapping.start + before.start() if before else start] + body[end:]


def _after_line(body: str, at: int, lines: Sequence[str], ends: str) -> str:
    end = _line_end(body, at)
    gap = "" if body[:end].endswith("\n") else ends
    return body[:end] + gap + "".join(line + ends for line in lines) + body[end:]


def _line_end(body: str, at: int) -> int:
    """Where the line ends in which something ends, its line end included."""
    found = body.find("\n", at)
    return len(body) if found < 0 else found + 1


def _starts_line(body: str, key: Node) -> bool:
    return not body[body.rfind("\n", 0, key.start) + 1 : key.start].strip(" ")


def _indent_of(body: str, key: Node) -> str:
    if not _starts_line(body, key):
        raise _in_the_way()
    return body[body.rfind("\n", 0, key.start) + 1 : key.start]


def _step(body: str, parent: Node) -> int:
    """By how many columns the file indents what stands below a key."""
    outer = _indent_of(body, parent.fields[0][0])
    below = next((value.fields[0][0] for _, value in parent.fields if value.fields and not value.is_flow), None)
    return len(_indent_of(body, below)) - len(outer) if below else 2


def _are_apart(body: str, parent: Node) -> bool:
    """Says whether blank lines stand between the keys of a mapping."""
    if len(parent.fields) < 2:
        return False
    between = body[parent.fields[-2][1].end : parent.fields[-1][0].start]
    return re.search(r"\n[ \t]*\r?\n", between) is not None


def _require_nothing_else_changed(before: str, after: str, expected: Sequence[_Change]) -> None:
    try:
        old, new = _plain(_root(before)), _plain(_root(after))
    except Damaged as damage:
        raise _in_the_way() from damage
    for path, fields in expected:
        was, now = _taken(old, path), _taken(new, path)
        wanted = None if fields is None else {**(was or {}), **{name: _as_read(one) for name, one in fields.items()}}
        if now != wanted:
            raise _in_the_way()
    if _without_empty(old) != _without_empty(new):
        raise _in_the_way()


def _plain(node: Node) -> dict[str, object]:
    return {name: _value(value) for name, (_, value) in node.pairs.items()}


def _value(node: Node) -> object:
    if node.kind == "mapping":
        return _plain(node)
    return [_value(item) for item in node.items] if node.kind == "list" else node.text


def _as_read(value: Value) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return repr(value) if isinstance(value, int | float) else [_as_read(item) for item in value]


def _taken(tree: dict[str, object], path: Sequence[str]) -> dict[str, object] | None:
    *above, last = path
    group: object = tree
    for name in above:
        group = group.get(name) if isinstance(group, dict) else None
    found = group.pop(last, None) if isinstance(group, dict) else None
    return found if isinstance(found, dict) else None


def _without_empty(value: object) -> object:
    """Lists of keys without the empty ones: a category may come and go with its only entity."""
    if not isinstance(value, dict):
        return value
    kept = {name: _without_empty(one) for name, one in value.items()}
    return {name: one for name, one in kept.items() if one not in ({}, "")}


def _in_the_way() -> Conflict:
    return Conflict(
        "The registry cannot be changed without touching what else stands in it.",
        hint="Write each key on a line of its own, without anchors, or change it by hand.",
    )
