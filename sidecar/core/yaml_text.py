"""Read YAML written by others, as values or as nodes with positions, and edit it in place. Pure.

The library is loaded at first use. Nodes come from libyaml's C parser. Nothing is constructed, so no code runs, and a
scalar stays as written.

An edit replaces the characters of a value; a new key is inserted after the last one of its mapping. Every byte outside
the edited values stays: comments, order, quotes, unknown keys, line ends and a byte order mark survive because they are
not rewritten. What this cannot handle (a value that an alias refers to, a key written as `? key`) is rejected: the
resulting text is parsed again and must differ from the old one by the edit alone.
"""

import gc
import re
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from sidecar.core import json_text
from sidecar.core.lazy_regex import lazy_regex

MAX_SLOW_PARSER_CHARACTERS = 32_768
"""The C loader rejects some YAML that the Python loader reads at a sixth of the speed: `{at: 2026-03-01T09:30Z}`."""

MAX_DEPTH = 100
"""Maximum nesting. The library recurses, and a few thousand levels would crash the process."""

MAX_VALUES = 250_000
"""Maximum number of values, aliases included: merges (`<<`) of merges double the text each time."""

_MALFORMED = object()

MAX_NODE_DEPTH = 40
"""Maximum nesting; deeper files are not written by hand."""

_NULL_WORDS = ("", "~", "null", "Null", "NULL")


@lru_cache(maxsize=64)
def read_mapping(text: str) -> Mapping[str, Any] | None:
    """Return the mapping of a YAML text, read-only; None for anything else, malformed texts included.

    An empty text is an empty mapping. Keys that are not text are dropped. A text nested or repeated beyond the limits
    counts as malformed: a stranger's file must cost neither the process nor its time.
    """
    value = _load(text, pure=False)
    if value is _MALFORMED and len(text) <= MAX_SLOW_PARSER_CHARACTERS:
        value = _load(text, pure=True)
    if value is None:
        return {}
    return {key: entry for key, entry in value.items() if isinstance(key, str)} if isinstance(value, dict) else None


def _load(text: str, *, pure: bool) -> Any:
    from ruamel.yaml import YAML

    try:
        if not _is_within_limits(YAML(typ="safe", pure=pure).parse(text)):
            return _MALFORMED
        return YAML(typ="safe", pure=pure).load(text)
    except Exception:  # the library also passes on whatever a constructor raises
        return _MALFORMED


def _is_within_limits(events: Iterable[Any]) -> bool:
    """Whether a text is within the limits, judged by parser events, which need no recursion."""
    anchored: dict[str, int] = {}
    open_nodes: list[str | None] = []
    counts = [0]
    for event in events:
        match type(event).__name__:
            case "ScalarEvent":
                counts[-1] += 1
                if event.anchor:
                    anchored[event.anchor] = 1
            case "AliasEvent":
                if event.anchor not in anchored:  # an alias inside its own anchor never ends
                    return False
                counts[-1] += anchored[event.anchor]
            case "SequenceStartEvent" | "MappingStartEvent":
                open_nodes.append(event.anchor)
                counts.append(1)
            case "SequenceEndEvent" | "MappingEndEvent":
                anchor, count = open_nodes.pop(), counts.pop()
                counts[-1] += count
                if anchor:
                    anchored[anchor] = count
            case _:
                pass  # start and end of the stream and its documents
        if len(open_nodes) > MAX_DEPTH or counts[-1] > MAX_VALUES:
            return False
    return True


def scalar_text(value: object) -> str:
    """Return a scalar as text, a list as its scalars joined by semicolons; empty for a mapping and for null."""
    if isinstance(value, list):
        return "; ".join(text for entry in value if not isinstance(entry, list) and (text := scalar_text(entry)))
    if value is None or isinstance(value, (dict, set)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


class MalformedYaml(ValueError):
    """The text is not YAML, or not the subset we read; the message is one sentence."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        """Line of a syntax error, counted from 1."""


class Node(NamedTuple):
    """A value and its position: character offsets, the end without trailing white space."""

    kind: Literal["scalar", "list", "mapping", "alias"]
    """`alias` for a reference to another node, which is not followed."""
    start: int
    end: int
    line: int
    """Counted from 1."""
    is_flow: bool = True
    """Whether it is written in brackets, or is a scalar."""
    text: str = ""
    """A scalar's characters, without quotes; empty for null and for anything else."""
    items: "tuple[Node, ...]" = ()
    """The items of a list."""
    fields: "tuple[tuple[Node, Node], ...]" = ()
    """The keys and values of a mapping."""

    @property
    def pairs(self) -> "dict[str, tuple[Node, Node]]":
        """Return a mapping's fields by key text; the first of two equal keys wins."""
        pairs: dict[str, tuple[Node, Node]] = {}
        for key, value in self.fields:
            pairs.setdefault(key.text, (key, value))
        return pairs

    def get(self, key: str) -> "Node | None":
        """Return the value of a key."""
        return next((value for name, value in self.fields if name.text == key), None)


_shared_parses: ContextVar[dict[str, Node | None] | None] = ContextVar("shared_parses", default=None)


@contextmanager
def shared_parses() -> Generator[None]:
    """Parse each text once in this context, because one edit needs the same text several times."""
    if _shared_parses.get() is not None:
        yield
        return
    token = _shared_parses.set({})
    try:
        yield
    finally:
        _shared_parses.reset(token)


class CollectionPause:
    """A pause of the garbage collection while any thread makes many nodes, which it would look at again and again.

    The first thread that enters pauses it, the last one that leaves restores it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if self._threads == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._threads += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._threads -= 1
            if self._threads == 0 and self._was_enabled:
                gc.enable()


_collection_pause = CollectionPause()


def parse_nodes(text: str) -> Node | None:
    """Parse one document into nodes; None for an empty one. Raise MalformedYaml if it cannot be read."""
    known = _shared_parses.get()
    if known is None:
        return _parse(text)
    if text not in known:
        known[text] = _parse(text)
    return known[text]


def _parse(text: str) -> Node | None:
    with _collection_pause:
        return _parse_events(text)


def _parse_events(text: str) -> Node | None:
    from _ruamel_yaml import CParser
    from ruamel.yaml.error import YAMLError

    try:
        get_event = CParser(text).get_event
        reader = _Reader(get_event, text)
        get_event()
        if type(get_event()).__name__ == "StreamEndEvent":
            return None
        node = reader.node(get_event(), 0)
        get_event()
        if type(get_event()).__name__ != "StreamEndEvent":
            raise MalformedYaml("The file holds more than one YAML document.")
    except YAMLError as error:
        raise _syntax_error(error) from error
    return node


_WHITE_SPACE = ("", " ", "\t", "\r", "\n")


class _Reader:
    def __init__(self, get_event: Callable[[], Any], text: str) -> None:
        self._get_event = get_event
        self._text = text

    def node(self, event: Any, depth: int) -> Node:
        """Return the node that begins with an event."""
        if depth > MAX_NODE_DEPTH:
            raise MalformedYaml(f"The file is nested more than {MAX_NODE_DEPTH} levels deep.")
        mark = event.start_mark
        match type(event).__name__:
            case "ScalarEvent":
                return Node("scalar", mark.index, self._end(event), mark.line + 1, text=_event_text(event))
            case "SequenceStartEvent":
                return self._list(event, depth)
            case "MappingStartEvent":
                return self._mapping(event, depth)
            case _:
                return Node("alias", mark.index, self._end(event), mark.line + 1)

    def _list(self, opening: Any, depth: int) -> Node:
        items: list[Node] = []
        while type(event := self._get_event()).__name__ != "SequenceEndEvent":
            items.append(self.node(event, depth + 1))
        end, mark = _end_of_block(opening, event, items[-1:]), opening.start_mark
        return Node("list", mark.index, end, mark.line + 1, bool(opening.flow_style), items=tuple(items))

    def _mapping(self, opening: Any, depth: int) -> Node:
        pairs: list[tuple[Node, Node]] = []
        while type(event := self._get_event()).__name__ != "MappingEndEvent":
            key = self.node(event, depth + 1)
            pairs.append((key, self.node(self._get_event(), depth + 1)))
        end, mark = _end_of_block(opening, event, [value for _, value in pairs[-1:]]), opening.start_mark
        return Node("mapping", mark.index, end, mark.line + 1, bool(opening.flow_style), fields=tuple(pairs))

    def _end(self, event: Any) -> int:
        start, end = event.start_mark.index, event.end_mark.index
        if self._text[end - 1 : end] not in _WHITE_SPACE:
            return int(end)
        return int(start + len(self._text[start:end].rstrip(" \t\r\n")))


def _end_of_block(opening: Any, closing: Any, last: list[Node]) -> int:
    """A block ends with its last item, before the comments that follow; a flow node ends at its bracket."""
    if opening.flow_style or not last:
        return int(closing.end_mark.index)
    return last[0].end


def _event_text(event: Any) -> str:
    is_plain = event.implicit[0]
    return "" if is_plain and event.value in _NULL_WORDS else str(event.value)


def _syntax_error(error: Any) -> MalformedYaml:
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else None
    return MalformedYaml(f"The file is not valid YAML{f' in line {line}' if line else ''}.", line)


Value = str | float | int | Sequence[str]
Path = tuple[str, ...]
"""Keys from the root to a mapping."""
Fields = Mapping[str, str]
"""Keys with their values as YAML on one line."""

PLAIN = lazy_regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@-]*[\w/])?", re.ASCII)
"""Strings that mean themselves without quotes."""

_BOM = "\ufeff"
_BLANK_LINES = lazy_regex(r"(?:[ \t]*\r?\n)*")
_BLANK_BEFORE = lazy_regex(r"\n(?:[ \t]{0,200}\r?\n){1,60}\Z")
_MAX_BLANK_BEFORE = 16_384
"""More characters than `_BLANK_BEFORE` matches."""
_UNSAFE = lazy_regex(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COMMA = lazy_regex(r"\s*,\s*")

_Tree = Mapping[str, object]
"""New keys with their values on one line, or with mappings of further keys."""


class UneditableYaml(Exception):
    """The text cannot be edited without affecting other content."""


def inline_yaml(value: Value, plain: re.Pattern[str] = PLAIN) -> str:
    """Return a value as YAML on one line: strings that match `plain` without quotes, others in double quotes."""
    if isinstance(value, str):
        return value if plain.fullmatch(value) else quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    return f"[{', '.join(inline_yaml(item, plain) for item in value)}]"


def quoted(value: str) -> str:
    """Return a JSON string, which is valid YAML; characters that YAML treats as line ends or rejects are escaped."""
    text = json_text.dumps(value.encode("utf-8", "replace").decode()).decode()
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def set_values(text: str, changes: Mapping[Path, Fields], line_end: str | None = None) -> str:
    """Return the text with fields of some mappings set; missing mappings and keys are created.

    The text is parsed once before and once after, however many existing mappings change. Raise UneditableYaml,
    MalformedYaml.
    """
    body = text.removeprefix(_BOM)
    line_end = line_end or ("\r\n" if "\r\n" in body else "\n")
    root = _root(body)
    mappings = {path: _mapping_at(root, path) for path in changes}
    existing = [(mapping, changes[path]) for path, mapping in mappings.items() if mapping is not None]
    after = body
    for mapping, fields in sorted(existing, key=lambda pair: -pair[0].start):  # from the end: earlier positions stay
        after = _with_fields(after, mapping, fields, line_end)
    for path in changes:
        if mappings[path] is None:
            after = _with_path(after, path, changes[path], line_end)
    _require_nothing_else_changed(body, after, changes)
    return text[: len(text) - len(body)] + after


def set_section_values(text: str, name: str, fields: Fields) -> str:
    """Return the text with existing fields of a mapping at the root set; only that part of the text is parsed again.

    Raise UneditableYaml, MalformedYaml.
    """
    body = text.removeprefix(_BOM)
    root = _root(body)
    starts = [key.start for key, _ in root.fields]
    key = root.pairs[name][0]
    number = starts.index(key.start)
    start, end = key.start, starts[number + 1] if number + 1 < len(starts) else len(body)
    if root.is_flow or "&" in body[start:end] or "*" in body[start:end]:
        return set_values(text, {(name,): fields})
    section = set_values(body[start:end], {(name,): fields}, "\r\n" if "\r\n" in body else "\n")
    return text[: len(text) - len(body)] + body[:start] + section + body[end:]


def remove_key(text: str, path: Path) -> str:
    """Return the text without a key; its mapping stays, possibly empty.

    Raise KeyError if there is no such key, UneditableYaml, MalformedYaml.
    """
    body = text.removeprefix(_BOM)
    after = _without_key(body, path)
    _require_nothing_else_changed(body, after, {path: None})
    return text[: len(text) - len(body)] + after


def _root(body: str) -> Node:
    root = parse_nodes(body)
    if root is None:
        return Node("mapping", len(body), len(body), 1, is_flow=False)
    if root.kind != "mapping":
        raise MalformedYaml("The file is not a mapping of keys to values.")
    return root


def _mapping_at(root: Node, path: Path) -> Node | None:
    """Return the mapping with this path; None if it is missing or empty."""
    node: Node | None = root
    for name in path:
        node = node.get(name) if node is not None else None
    return node if node is not None and (node.fields or not path) else None


def _with_path(body: str, path: Path, fields: Fields, line_end: str) -> str:
    """Create a mapping, and those above it that are missing."""
    parent, key = _root(body), None
    for depth, name in enumerate(path):
        tree: _Tree = fields
        for missing in reversed(path[depth + 1 :]):
            tree = {missing: tree}
        if not parent.fields and key is not None:
            return _fill_empty(body, parent, key, {name: tree}, line_end)
        if name not in parent.pairs:
            return _with_new(body, parent, {name: tree}, line_end)
        key, parent = parent.pairs[name]
    assert key is not None
    return _fill_empty(body, parent, key, fields, line_end)


def _with_fields(body: str, mapping: Node, fields: Fields, line_end: str) -> str:
    """Set fields of a mapping: existing ones in place, last one first, new ones at the end."""
    pairs = mapping.pairs
    if new := {name: value for name, value in fields.items() if name not in pairs}:
        body = _with_new(body, mapping, new, line_end)
    for name in sorted((name for name in fields if name in pairs), key=lambda name: -pairs[name][1].start):
        start, end = pairs[name][1].start, pairs[name][1].end
        if body[start : start + 1] == "&" and "*" in body:
            raise UneditableYaml  # another value may refer to this anchor
        gap = " " if body[start - 1 : start] == ":" else ""
        body = body[:start] + gap + fields[name] + body[end:]
    return body


def _with_new(body: str, parent: Node, tree: _Tree, line_end: str) -> str:
    """Add keys after the last one of a mapping; to the root, at the end of the text."""
    if parent.is_flow:
        return _into_brackets(body, parent, [f"{_key(name)}: {_in_brackets(value)}" for name, value in tree.items()])
    indent = _indent_of(body, parent.fields[0][0]) if parent.fields else ""
    step = _step(body, parent) if parent.fields else 2
    lines = [line for name, value in tree.items() for line in _block_lines(name, value, indent, step)]
    if any(isinstance(value, Mapping) for value in tree.values()) and _has_blank_lines(body, parent):
        lines = ["", *lines]
    return _after_line(body, parent.end if indent else len(body), lines, line_end)


def _fill_empty(body: str, empty: Node, key: Node, tree: _Tree, line_end: str) -> str:
    """Add the first keys to an empty mapping, written as nothing, as null or as `{}`."""
    if empty.kind not in ("scalar", "mapping") or (empty.kind == "scalar" and empty.text):
        raise UneditableYaml
    if not _starts_line(body, key):
        return body[: empty.start] + _in_brackets(tree) + body[empty.end :]
    indent = _indent_of(body, key)
    lines = [line for name, value in tree.items() for line in _block_lines(name, value, indent + "  ", 2)]
    colon = body.index(":", key.end) + 1
    without_empty = body[:colon] + body[max(colon, empty.end) :] if empty.end > colon else body
    return _after_line(without_empty, colon, lines, line_end)


def _without_key(body: str, path: Path) -> str:
    *above, key = path
    parent, parent_key = _root(body), None
    for name in above:
        parent_key, parent = parent.pairs[name]
    name_node, value = parent.pairs[key]
    if parent.is_flow:
        return _out_of_brackets(body, parent, name_node, value)
    if not _starts_line(body, name_node):
        raise UneditableYaml
    start, end = body.rfind("\n", 0, name_node.start) + 1, _end_of_line(body, max(value.end, name_node.end))
    if name_node is parent.fields[-1][0]:
        near = body[max(0, start - _MAX_BLANK_BEFORE) : start]
        start += len(_BLANK_BEFORE.sub("\n", near)) - len(near)
    elif _BLANK_BEFORE.search(body[max(0, start - _MAX_BLANK_BEFORE) : start]):
        end = _BLANK_LINES.match(body, end).end()  # pyrefly: ignore[missing-attribute]  # matches the empty text too
    if len(parent.fields) > 1 or parent_key is None:
        return body[:start] + body[end:]
    colon = body.index(":", parent_key.end) + 1
    return body[:colon] + " {}" + body[colon:start] + body[end:]


def _key(name: str) -> str:
    return inline_yaml(name)


def _block_lines(name: str, value: object, indent: str, step: int) -> list[str]:
    if not isinstance(value, Mapping):
        return [f"{indent}{_key(name)}: {value}"]
    below = [line for key, child in value.items() for line in _block_lines(key, child, indent + " " * step, step)]
    return [f"{indent}{_key(name)}:", *below]


def _in_brackets(value: object) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    return "{" + ", ".join(f"{_key(key)}: {_in_brackets(child)}" for key, child in value.items()) + "}"


def _into_brackets(body: str, mapping: Node, items: Sequence[str]) -> str:
    end = mapping.end - 1
    inner = body[mapping.start + 1 : end]
    before = "" if not mapping.fields or inner.rstrip().endswith(",") else ", "
    trailing_spaces = len(inner) - len(inner.rstrip())
    return body[: end - trailing_spaces] + before + ", ".join(items) + body[end - trailing_spaces :]


def _out_of_brackets(body: str, mapping: Node, name: Node, value: Node) -> str:
    start, end = name.start, max(value.end, name.end)
    if comma := _COMMA.match(body, end):
        return body[:start] + body[comma.end() :]
    before = re.search(r"(?<!\s)\s*+,\s*+\Z", body[mapping.start : start])
    return body[: mapping.start + before.start() if before else start] + body[end:]


def _after_line(body: str, at: int, lines: Sequence[str], line_end: str) -> str:
    end = _end_of_line(body, at)
    gap = "" if not body[:end] or body[:end].endswith("\n") else line_end
    return body[:end] + gap + "".join(line + line_end for line in lines) + body[end:]


def _end_of_line(body: str, at: int) -> int:
    """Return the position after the end of the line that contains `at`."""
    newline = body.find("\n", at)
    return len(body) if newline < 0 else newline + 1


def _starts_line(body: str, key: Node) -> bool:
    return not body[body.rfind("\n", 0, key.start) + 1 : key.start].strip(" ")


def _indent_of(body: str, key: Node) -> str:
    if not _starts_line(body, key):
        raise UneditableYaml
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


def _require_nothing_else_changed(before: str, after: str, changes: Mapping[Path, Fields | None]) -> None:
    try:
        old, new = _as_data(_root(before)), _as_data(_root(after))
        for path, fields in changes.items():
            old_fields, new_fields = _pop(old, path), _pop(new, path)
            if new_fields != (None if fields is None else {**(old_fields or {}), **_parsed(fields)}):
                raise UneditableYaml
    except MalformedYaml as error:
        raise UneditableYaml from error
    if _without_empty(old) != _without_empty(new):
        raise UneditableYaml


def _as_data(node: Node) -> dict[str, object]:
    return {name: _value(value) for name, (_, value) in node.pairs.items()}


def _value(node: Node) -> object:
    if node.kind == "mapping":
        return _as_data(node)
    return [_value(item) for item in node.items] if node.kind == "list" else node.text


def _parsed(fields: Fields) -> dict[str, object]:
    """Return the values that the fields' YAML denotes."""
    return {name: _value(node) for name, value in fields.items() if (node := parse_nodes(value)) is not None}


def _pop(tree: dict[str, object], path: Path) -> dict[str, object] | None:
    """Remove a mapping from a tree, the root's own keys for an empty path, and return it."""
    if not path:
        root = dict(tree)
        tree.clear()
        return root
    *above, last = path
    mapping: object = tree
    for name in above:
        mapping = mapping.get(name) if isinstance(mapping, dict) else None
    value = mapping.pop(last, None) if isinstance(mapping, dict) else None
    return value if isinstance(value, dict) else None


def _without_empty(value: object) -> object:
    """Return nested mappings without the empty ones: a mapping may come and go with its only key."""
    if not isinstance(value, dict):
        return value
    children = {name: _without_empty(child) for name, child in value.items()}
    return {name: child for name, child in children.items() if child not in ({}, "")}
