"""Edits of the registry's text: everything unchanged stays byte for byte. Pure.

An edit replaces the characters of a value; a new key is inserted after the last one, a new entity after the last one
of its category. Comments, order, quotes, unknown keys and line ends survive because they are not rewritten. What this
cannot handle (anchors, a key written as `? key`) is rejected: the resulting text is parsed again and must differ from
the old one by the edit alone.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import orjson

from sidecar.core.errors import Conflict, NotFound
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.text.yaml_edit import MalformedYaml, Node, parse_nodes

Value = str | float | int | Sequence[str]
Fields = Mapping[str, Value]

Tree = Mapping[str, object]

_Change = tuple[tuple[str, ...], Fields | None]
"""The path of a mapping and the fields set in it; None if it is removed."""

_BOM = "\ufeff"

NEW_FILE = '# The entities of this project and their purposes. Edit it as you like.\nmetadata:\n  version: "1.0.0"\n'

FIELD_ORDER = ("path", "type", "purpose", "keywords", "dependencies", "adaptability", "checksum")

_PLAIN = lazy_regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@-]*[\w/])?", re.ASCII)
_ALWAYS_QUOTED = ("purpose", "checksum", "last_updated", "version")
_BLANK_LINES = lazy_regex(r"(?:[ \t]*\r?\n)*")
_BLANK_BEFORE = lazy_regex(r"\n(?:[ \t]{0,200}\r?\n){1,60}\Z")
_UNSAFE = lazy_regex(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def put_entity(text: str, category: str, key: str, fields: Fields) -> str:
    """Return the text with an entity's fields set; the entity, its category and the list are created if missing.

    Raise Conflict, Damaged.
    """
    return _apply_edit(
        text,
        lambda body, line_end: _put(body, category, key, fields, line_end),
        [(("entities", category, key), fields)],
    )


def remove_entity(text: str, category: str, key: str) -> str:
    """Return the text without an entity; its category stays, possibly empty.

    Raise NotFound if there is no such entity, Conflict, Damaged.
    """
    return _apply_edit(text, lambda body, _: _remove(body, category, key), [(("entities", category, key), None)])


def put_fields(text: str, fields_of: Mapping[tuple[str, str], Fields]) -> str:
    """Return the text with fields of several existing entities set. Raise Conflict, Damaged.

    The text is parsed once before and once after, however many there are.
    """

    def change(body: str, line_end: str) -> str:
        groups = {category: group.pairs for category, (_, group) in _root(body).pairs["entities"][1].pairs.items()}
        entities = [(groups[category][key][1], fields) for (category, key), fields in fields_of.items()]
        for entity, fields in sorted(
            entities, key=lambda pair: -pair[0].start
        ):  # from the end, so that earlier positions stay valid
            body = _with_fields(body, entity, fields, line_end)
        return body

    return _apply_edit(text, change, [(("entities", *path), fields) for path, fields in fields_of.items()])


def set_metadata(text: str, fields: Fields) -> str:
    """Return the text with existing keys of the metadata set; other keys are ignored. Raise Conflict, Damaged."""
    metadata = _root(text.removeprefix(_BOM)).get("metadata")
    known = {name: value for name, value in fields.items() if metadata is not None and metadata.get(name)}
    if metadata is None or not known:
        return text
    return _apply_edit(
        text, lambda body, line_end: _with_fields(body, metadata, known, line_end), [(("metadata",), known)]
    )


def format_value(name: str, value: Value) -> str:
    """Return a value as one line of YAML: plain if that means the same, else in double quotes."""
    if isinstance(value, str):
        return value if name not in _ALWAYS_QUOTED and _PLAIN.fullmatch(value) else _quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    return f"[{', '.join(format_value('', item) for item in value)}]"


def format_change(value: Value) -> str:
    """Return a value in the form shown in a list of changes."""
    return value if isinstance(value, str) else format_value("", value)


def _quoted(value: str) -> str:
    """Return a JSON string, which is valid YAML; characters that YAML treats as line ends or rejects are escaped."""
    quoted = orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _apply_edit(text: str, change: Callable[[str, str], str], expected: Sequence[_Change]) -> str:
    mark = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(mark)
    after = change(body, "\r\n" if "\r\n" in body else "\n")
    _require_nothing_else_changed(body, after, expected)
    return mark + after


def _root(body: str) -> Node:
    root = parse_nodes(body)
    if root is None:
        return Node("mapping", len(body), len(body), 1, is_flow=False)
    if root.kind != "mapping":
        raise MalformedYaml("The file is not a mapping of keys to values.")
    return root


def _put(body: str, category: str, key: str, fields: Fields, line_end: str) -> str:
    entities = _root(body).get("entities")
    group = entities.get(category) if entities else None
    entity = group.get(key) if group else None
    if entity is not None:
        return _with_fields(body, entity, fields, line_end)
    ordered = {name: fields[name] for name in (*FIELD_ORDER, *fields) if name in fields}
    if entities is None:
        return _with_new(body, _root(body), "entities", {category: {key: ordered}}, line_end)
    parent, name, value = (group, key, ordered) if group is not None else (entities, category, {key: ordered})
    if parent.kind == "mapping" and parent.fields:
        return _with_new(body, parent, name, value, line_end)
    at = "entities" if parent is entities else category
    return _fill_empty(body, parent, _key_of(body, at, category), {name: value}, line_end)


def _key_of(body: str, name: str, category: str) -> Node:
    root = _root(body)
    pairs = root.pairs if name == "entities" else root.pairs["entities"][1].pairs
    return pairs[name if name == "entities" else category][0]


def _with_fields(body: str, mapping: Node, fields: Fields, line_end: str) -> str:
    """Set fields of a mapping: existing ones in place, last one first, new ones at the end."""
    pairs = mapping.pairs
    new = {name: value for name, value in fields.items() if name not in pairs}
    for name, value in new.items():
        body = _with_new(body, mapping, name, value, line_end) if len(new) == 1 else body
    if len(new) > 1:
        body = _with_several(body, mapping, new, line_end)
    known = sorted((name for name in fields if name in pairs), key=lambda name: -pairs[name][1].start)
    for name in known:
        start, end = pairs[name][1].start, pairs[name][1].end
        gap = " " if body[start - 1 : start] == ":" else ""
        body = body[:start] + gap + format_value(name, fields[name]) + body[end:]
    return body


def _with_several(body: str, mapping: Node, fields: Fields, line_end: str) -> str:
    if mapping.is_flow:
        return _into_brackets(body, mapping, [f"{name}: {format_value(name, value)}" for name, value in fields.items()])
    indent = _indent_of(body, mapping.fields[0][0])
    return _after_line(
        body, mapping.end, [f"{indent}{name}: {format_value(name, value)}" for name, value in fields.items()], line_end
    )


def _with_new(body: str, parent: Node, name: str, value: object, line_end: str) -> str:
    """Add a key after the last one of a mapping, or to an empty document."""
    if parent.is_flow:
        return _into_brackets(body, parent, [f"{format_value('', name)}: {_in_brackets(name, value)}"])
    if not parent.fields:
        lines = _block_lines(name, value, "", 2)
        gap = line_end if body and not body.endswith("\n") else ""
        return body + gap + "".join(line + line_end for line in lines)
    indent = _indent_of(body, parent.fields[0][0])
    lines = _block_lines(name, value, indent, _step(body, parent))
    if isinstance(value, Mapping) and _has_blank_lines(body, parent):
        lines = ["", *lines]
    return _after_line(body, parent.end, lines, line_end)


def _fill_empty(body: str, empty: Node, key: Node, tree: Tree, line_end: str) -> str:
    """Add the first key to an empty mapping, written as nothing, as null or as `{}`."""
    if empty.kind not in ("scalar", "mapping") or (empty.kind == "scalar" and empty.text):
        raise _cannot_edit()
    if not _starts_line(body, key):
        return body[: empty.start] + _in_brackets("", tree) + body[empty.end :]
    indent = _indent_of(body, key)
    lines = [line for name, value in tree.items() for line in _block_lines(name, value, indent + "  ", 2)]
    colon = body.index(":", key.end) + 1
    without_empty = body[:colon] + body[max(colon, empty.end) :] if empty.end > colon else body
    return _after_line(without_empty, colon, lines, line_end)


def _remove(body: str, category: str, key: str) -> str:
    entities = _root(body).get("entities")
    group = entities.get(category) if entities else None
    if group is None or key not in group.pairs:
        raise NotFound("The file has no entity with that id.")
    name, value = group.pairs[key]
    if group.is_flow:
        return _out_of_brackets(body, group, name, value)
    if not _starts_line(body, name):
        raise _cannot_edit()
    start, end = body.rfind("\n", 0, name.start) + 1, _end_of_line(body, max(value.end, name.end))
    if name is group.fields[-1][0]:
        start = len(_BLANK_BEFORE.sub("\n", body[:start]))
    elif _BLANK_BEFORE.search(body[:start]):
        end = _BLANK_LINES.match(body, end).end()  # type: ignore[union-attr]  # matches the empty text too
    if len(group.fields) > 1:
        return body[:start] + body[end:]
    colon = body.index(":", _key_of(body, category, category).end) + 1
    return body[:colon] + " {}" + body[colon:start] + body[end:]


def _block_lines(name: str, value: object, indent: str, step: int) -> list[str]:
    if not isinstance(value, Mapping):
        return [f"{indent}{format_value('', name)}: {format_value(name, value)}"]  # type: ignore[arg-type]  # a field's own value
    below = [line for key, child in value.items() for line in _block_lines(key, child, indent + " " * step, step)]
    return [f"{indent}{format_value('', name)}:", *below]


def _in_brackets(name: str, value: object) -> str:
    if not isinstance(value, Mapping):
        return format_value(name, value)  # type: ignore[arg-type]  # a field's own value
    return "{" + ", ".join(f"{format_value('', key)}: {_in_brackets(key, child)}" for key, child in value.items()) + "}"


def _into_brackets(body: str, mapping: Node, items: Sequence[str]) -> str:
    end = mapping.end - 1
    inner = body[mapping.start + 1 : end]
    before = "" if not mapping.fields or inner.rstrip().endswith(",") else ", "
    trailing_spaces = len(inner) - len(inner.rstrip())
    return body[: end - trailing_spaces] + before + ", ".join(items) + body[end - trailing_spaces :]


def _out_of_brackets(body: str, mapping: Node, name: Node, value: Node) -> str:
    start, end = name.start, max(value.end, name.end)
    rest = lazy_regex(r"\s*,\s*").match(body, end)
    if rest:
        return body[:start] + body[rest.end() :]
    before = re.search(r"(?<!\s)\s*+,\s*+\Z", body[mapping.start : start])
    return body[: mapping.start + before.start() if before else start] + body[end:]


def _after_line(body: str, at: int, lines: Sequence[str], line_end: str) -> str:
    end = _end_of_line(body, at)
    gap = "" if body[:end].endswith("\n") else line_end
    return body[:end] + gap + "".join(line + line_end for line in lines) + body[end:]


def _end_of_line(body: str, at: int) -> int:
    """Return the position after the end of the line that contains `at`."""
    newline = body.find("\n", at)
    return len(body) if newline < 0 else newline + 1


def _starts_line(body: str, key: Node) -> bool:
    return not body[body.rfind("\n", 0, key.start) + 1 : key.start].strip(" ")


def _indent_of(body: str, key: Node) -> str:
    if not _starts_line(body, key):
        raise _cannot_edit()
    return body[body.rfind("\n", 0, key.start) + 1 : key.start]


def _step(body: str, parent: Node) -> int:
    """Return the number of columns by which the file indents nested keys."""
    outer = _indent_of(body, parent.fields[0][0])
    below = next((value.fields[0][0] for _, value in parent.fields if value.fields and not value.is_flow), None)
    return len(_indent_of(body, below)) - len(outer) if below else 2


def _has_blank_lines(body: str, parent: Node) -> bool:
    """Whether blank lines separate the keys of a mapping."""
    if len(parent.fields) < 2:
        return False
    between = body[parent.fields[-2][1].end : parent.fields[-1][0].start]
    return re.search(r"\n[ \t]*\r?\n", between) is not None


def _require_nothing_else_changed(before: str, after: str, expected: Sequence[_Change]) -> None:
    try:
        old, new = _as_data(_root(before)), _as_data(_root(after))
    except MalformedYaml as damage:
        raise _cannot_edit() from damage
    for path, fields in expected:
        old_fields, new_fields = _pop_path(old, path), _pop_path(new, path)
        expected_fields = (
            None
            if fields is None
            else {**(old_fields or {}), **{name: _as_read(value) for name, value in fields.items()}}
        )
        if new_fields != expected_fields:
            raise _cannot_edit()
    if _without_empty(old) != _without_empty(new):
        raise _cannot_edit()


def _as_data(node: Node) -> dict[str, object]:
    return {name: _value(value) for name, (_, value) in node.pairs.items()}


def _value(node: Node) -> object:
    if node.kind == "mapping":
        return _as_data(node)
    return [_value(item) for item in node.items] if node.kind == "list" else node.text


def _as_read(value: Value) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return repr(value) if isinstance(value, int | float) else [_as_read(item) for item in value]


def _pop_path(tree: dict[str, object], path: Sequence[str]) -> dict[str, object] | None:
    *above, last = path
    mapping: object = tree
    for name in above:
        mapping = mapping.get(name) if isinstance(mapping, dict) else None
    value = mapping.pop(last, None) if isinstance(mapping, dict) else None
    return value if isinstance(value, dict) else None


def _without_empty(value: object) -> object:
    """Return nested mappings without the empty ones: a category may come and go with its only entity."""
    if not isinstance(value, dict):
        return value
    children = {name: _without_empty(child) for name, child in value.items()}
    return {name: child for name, child in children.items() if child not in ({}, "")}


def _cannot_edit() -> Conflict:
    return Conflict(
        "The registry cannot be changed without affecting its other content.",
        hint="Put each key on a line of its own, without anchors, or edit the file by hand.",
    )
