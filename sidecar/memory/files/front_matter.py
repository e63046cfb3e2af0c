"""YAML front matter: parsed with positions and edited in place, so the user's content stays byte for byte.

An edit replaces only the value's own characters; a new key gets a line at the end. Comments, unknown keys, order,
quotes, line ends and a byte order mark survive because nothing else is rewritten. Numbers and times are returned as the
text that is written there.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from sidecar.core.errors import Conflict
from sidecar.core.lazy_regex import lazy_regex

Scalar = str | int | float
Value = Scalar | Sequence[str]

MAX_MATTER_CHARACTERS = 64 * 1024

_NOT_A_MAPPING = "The front matter is not a mapping."
_BLANK = " \t\r\n"
_OPENING = lazy_regex(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = lazy_regex(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_PLAIN = lazy_regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@ -]*[\w./-])?", re.ASCII)
_KEY = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_WORDS = r"[A-Za-z0-9_](?:[\w./@+-]|[ ]++(?=[\w./@+-])|:(?=[\w.]))*+"
_ITEMS = r"[A-Za-z0-9_][\w./@-]*+(?:,[ ][A-Za-z0-9_][\w./@-]*+)*+"
_LINES = lazy_regex(
    rf"^({_KEY}):[ ](?:({_WORDS})|\"([ !#-\[\]-~]*+)\"|(\[(?:{_ITEMS})?\]))\r?\n", re.ASCII | re.MULTILINE
)
_EMPTY_LIST = len("[]")
"""`_LINES` matches the form that we write: no comment, no escape, nothing across lines."""
_MOMENT = lazy_regex(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")


class MalformedFrontMatter(ValueError):
    """The front matter cannot be read; the message is one sentence."""


class Field(NamedTuple):
    """A key's value, and libyaml's first and last event of it, which have its position."""

    value: str | tuple[str, ...] | None
    """A scalar's text, a list of scalars, or None for anything else."""
    first: Any
    last: Any

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return int(self.first.start_mark.index)

    def end(self, matter: str) -> int:
        """Offset after the last character; a block scalar's line ends belong to what follows."""
        start, end = self.last.start_mark.index, self.last.end_mark.index
        return int(start + len(matter[start:end].rstrip(_BLANK)))


class Parts(NamedTuple):
    """A file's text in three parts; `matter` is None without front matter."""

    opening: str
    """Includes the byte order mark, if any."""
    matter: str | None
    rest: str
    """Includes the closing line."""

    @property
    def body(self) -> str:
        """Return what follows the front matter."""
        return self.rest if self.matter is None else self.rest.partition("\n")[2]


def split(text: str) -> Parts:
    """Locate the front matter. Raise Damaged if it has no end or is too long."""
    opening = _OPENING.match(text)
    if opening is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return Parts(mark, None, text[len(mark) :])
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise MalformedFrontMatter("The front matter has no closing line `---`.")
    if closing.start() - opening.end() > MAX_MATTER_CHARACTERS:
        raise MalformedFrontMatter("The front matter is longer than 64 KiB.")
    return Parts(opening.group(), text[opening.end() : closing.start()], text[closing.start() :])


def read_values(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Return the values of the top-level keys without positions. Raise Damaged.

    Text in the form that we write is parsed by one pattern, several times as fast as YAML.
    """
    lines = _LINES.findall(matter)
    if len(lines) == matter.count("\n") and matter.endswith("\n"):
        parsed = {
            name: (tuple(items[1:-1].split(", ")) if len(items) > _EMPTY_LIST else ()) if items else plain or quoted
            for name, plain, quoted, items in lines
        }
        if len(parsed) == len(lines):
            return parsed
    return {name: field.value for name, field in read(matter).items()}


def read(matter: str) -> dict[str, Field]:
    """Return the top-level keys with positions. Raise Damaged."""
    from _ruamel_yaml import CParser
    from ruamel.yaml.error import YAMLError

    try:
        return _fields(CParser(matter))
    except YAMLError as error:
        raise MalformedFrontMatter(_sentence(error)) from error


def change(text: str, changes: Mapping[str, Value]) -> str:
    """Return a file's text with some values changed; a file without front matter gets one.

    Raise Damaged if it cannot be read, Conflict if the change would affect anything else.
    """
    parts = split(text)
    line_end = "\r\n" if "\r\n" in (parts.opening or parts.rest[:4_096]) else "\n"
    if parts.matter is None:
        lines = "".join(f"{key}: {inline_yaml(value)}{line_end}" for key, value in changes.items())
        return f"{parts.opening}---{line_end}{lines}---{line_end}{parts.rest}"
    matter = _edit_matter(parts.matter, changes, line_end)
    return f"{parts.opening}{matter}{parts.rest}"


def inline_yaml(value: Value) -> str:
    """Return a value as YAML on one line: plain where that is equivalent, else in double quotes."""
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) or _MOMENT.fullmatch(value)
        return value if is_plain else _quoted(value)
    if isinstance(value, int | float):
        return repr(round(value, 4))
    return f"[{', '.join(map(_item, value))}]"


def _item(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else _quoted(value)


def _quoted(value: str) -> str:
    """JSON strings are YAML strings; characters that YAML treats as line ends or rejects are escaped."""
    quoted = orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _edit_matter(matter: str, changes: Mapping[str, Value], line_end: str) -> str:
    before = read(matter)
    known = sorted((name for name in changes if name in before), key=lambda name: -before[name].start)
    for name in known:
        field = before[name]
        start, end = field.start, field.end(matter)
        if matter[start : start + 1] == "&" and "*" in matter:
            raise _cannot_edit()  # another value refers to this anchor
        gap = " " if matter[start - 1 : start] == ":" else ""
        matter = matter[:start] + gap + inline_yaml(changes[name]) + matter[end:]
    new = [f"{name}: {inline_yaml(value)}" for name, value in changes.items() if name not in before]
    matter = _append_lines(matter, new, line_end)
    _require_rest_untouched(before, matter, changes)
    return matter


def _append_lines(matter: str, lines: Sequence[str], line_end: str) -> str:
    if not lines:
        return matter
    first = re.search(r"^([ ]*)[^\s#]", matter, re.MULTILINE)
    if first is not None and matter[first.end(1)] == "{":
        return matter[: first.end()] + "".join(f"{line}, " for line in lines) + matter[first.end() :]
    indent = first[1] if first else ""
    return matter + "".join(f"{indent}{line}{line_end}" for line in lines)


def _require_rest_untouched(before: Mapping[str, Field], matter: str, changes: Mapping[str, Value]) -> None:
    try:
        after = read(matter)
    except MalformedFrontMatter as damage:
        raise _cannot_edit() from damage
    rest = {name: field.value for name, field in before.items() if name not in changes}
    if rest != {name: field.value for name, field in after.items() if name not in changes}:
        raise _cannot_edit()


def _cannot_edit() -> Conflict:
    return Conflict(
        "The front matter cannot be changed without affecting other content.",
        hint="Write the key on a line of its own, without anchors.",
    )


def _fields(parser: Any) -> dict[str, Field]:
    """Read libyaml's events: a stream with one document, a mapping, or with none."""
    from ruamel.yaml.events import MappingStartEvent, ScalarEvent

    fields: dict[str, Field] = {}
    next_event = parser.get_event
    next_event()  # the stream's start
    if _kind(next_event()) == "StreamEndEvent":
        return fields  # empty, or comments only
    if type(next_event()) is not MappingStartEvent:
        raise MalformedFrontMatter(_NOT_A_MAPPING)
    while type(key := next_event()) is ScalarEvent:
        if key.value in fields:
            raise MalformedFrontMatter(f"The front matter has the key `{key.value[:60]}` twice.")
        event = next_event()
        fields[key.value] = (
            Field(event.value, event, event) if type(event) is ScalarEvent else _field(event, next_event)
        )
    if (_kind(key), _kind(next_event()), _kind(next_event())) != (
        "MappingEndEvent",
        "DocumentEndEvent",
        "StreamEndEvent",
    ):
        raise MalformedFrontMatter(_NOT_A_MAPPING)
    return fields


def _field(opening: Any, next_event: Callable[[], Any]) -> Field:
    """Read a value; a list of scalars is a value. A block ends with its last item, before the comments that follow."""
    if _kind(opening) == "AliasEvent":
        return Field(None, opening, opening)
    items: list[str] | None = [] if _kind(opening) == "SequenceStartEvent" else None
    last, depth = opening, 1
    while depth:
        event = next_event()
        kind = _kind(event)
        if kind == "ScalarEvent":
            if items is not None:
                items.append(event.value)
        elif kind.endswith("EndEvent"):
            depth -= 1
        else:
            items = None
            depth += kind != "AliasEvent"
        if opening.flow_style or not kind.endswith("EndEvent"):
            last = event
    return Field(None if items is None else tuple(items), opening, last)


def _kind(event: Any) -> str:
    return type(event).__name__


def _sentence(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f" in line {mark.line + 2}" if mark is not None else ""
    return f"The front matter is not valid YAML{where}."
