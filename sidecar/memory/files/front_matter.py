"""YAML front matter: read with marks, and changed in place, so that all that is the user's stays byte for byte.

A change replaces the value's own characters and nothing else; a key that is not there yet gets a line at the end.
Comments, unknown keys, order, quotes, line ends and a byte order mark survive because nobody writes them anew.
Numbers and times are told as the text that stands there: who asks for a key knows what it is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from sidecar.core.errors import Conflict
from sidecar.core.lazy_regex import regex

Scalar = str | int | float
Value = Scalar | Sequence[str]

MAX_MATTER_CHARACTERS = 64 * 1024

_NO_MAPPING = "The front matter is not one list of keys with values."
_BLANK = " \t\r\n"
_OPENING = regex(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = regex(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_PLAIN = regex(r"(?!(?i:true|false|yes|no|on|off|null|y|n)\Z)[A-Za-z](?:[\w./@ -]*[\w./-])?", re.ASCII)
_OURS = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_WORDS = r"[A-Za-z0-9_](?:[\w./@+-]|[ ]++(?=[\w./@+-])|:(?=[\w.]))*+"
_ITEMS = r"[A-Za-z0-9_][\w./@-]*+(?:,[ ][A-Za-z0-9_][\w./@-]*+)*+"
_LINES = regex(rf"^({_OURS}):[ ](?:({_WORDS})|\"([ !#-\[\]-~]*+)\"|(\[(?:{_ITEMS})?\]))\r?\n", re.ASCII | re.MULTILINE)
_EMPTY = len("[]")
"""The form that we write ourselves, in which every sign means itself: no comment, no escape, nothing over two lines."""
_MOMENT = regex(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")


class Damaged(ValueError):
    """The front matter cannot be read; the message is one sentence."""


class Field(NamedTuple):
    """A key's value, and libyaml's first and last event of it, which know where it stands."""

    value: str | tuple[str, ...] | None
    """A scalar's text, a list of scalars, or None for what is neither."""
    first: Any
    last: Any

    @property
    def start(self) -> int:
        """Where its first character is."""
        return int(self.first.start_mark.index)

    def end(self, matter: str) -> int:
        """Where its last character ends; a block scalar's line ends belong to what follows."""
        start, end = self.last.start_mark.index, self.last.end_mark.index
        return int(start + len(matter[start:end].rstrip(_BLANK)))


class Parts(NamedTuple):
    """A file's text cut in three; `matter` is None where it has no front matter."""

    opening: str
    """With a byte order mark, should there be one."""
    matter: str | None
    rest: str
    """With the closing line."""

    @property
    def body(self) -> str:
        """What follows the front matter."""
        return self.rest if self.matter is None else self.rest.partition("\n")[2]


def split(text: str) -> Parts:
    """Finds the front matter; raises Damaged when it has no end or is beyond all measure."""
    opening = _OPENING.match(text)
    if opening is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return Parts(mark, None, text[len(mark) :])
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise Damaged("The front matter has no closing line `---`.")
    if closing.start() - opening.end() > MAX_MATTER_CHARACTERS:
        raise Damaged("The front matter is longer than 64 KiB.")
    return Parts(opening.group(), text[opening.end() : closing.start()], text[closing.start() :])


def values(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Reads the values of the top level's keys, without where they stand; raises Damaged.

    What has the form that we write is taken apart by one pattern, several times as fast as YAML is.
    """
    lines = _LINES.findall(matter)
    if len(lines) == matter.count("\n") and matter.endswith("\n"):
        found = {
            name: (tuple(items[1:-1].split(", ")) if len(items) > _EMPTY else ()) if items else plain or quoted
            for name, plain, quoted, items in lines
        }
        if len(found) == len(lines):
            return found
    return {name: field.value for name, field in read(matter).items()}


def read(matter: str) -> dict[str, Field]:
    """Reads the keys of the top level; raises Damaged."""
    from _ruamel_yaml import CParser
    from ruamel.yaml.error import YAMLError

    try:
        return _fields(CParser(matter))
    except YAMLError as error:
        raise Damaged(_sentence(error)) from error


def change(text: str, changes: Mapping[str, Value]) -> str:
    """Gives a file's text with some keys' values changed and nothing else; a file without front matter gets one.

    Raises Damaged for what cannot be read, Conflict for what cannot be changed without touching the rest.
    """
    parts = split(text)
    line_end = "\r\n" if "\r\n" in (parts.opening or parts.rest[:4_096]) else "\n"
    if parts.matter is None:
        lines = "".join(f"{key}: {shown(value)}{line_end}" for key, value in changes.items())
        return f"{parts.opening}---{line_end}{lines}---{line_end}{parts.rest}"
    matter = _changed(parts.matter, changes, line_end)
    return f"{parts.opening}{matter}{parts.rest}"


def shown(value: Value) -> str:
    """Gives a value as YAML on one line: plain where that means the same, else in double quotes."""
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) or _MOMENT.fullmatch(value)
        return value if is_plain else _quoted(value)
    if isinstance(value, int | float):
        return repr(round(value, 4))
    return f"[{', '.join(map(_item, value))}]"


def _item(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else _quoted(value)


def _quoted(value: str) -> str:
    """JSON's strings are YAML's; what YAML takes for a line end or refuses is escaped."""
    quoted = orjson.dumps(value.encode("utf-8", "replace").decode()).decode()
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _changed(matter: str, changes: Mapping[str, Value], line_end: str) -> str:
    before = read(matter)
    known = sorted((name for name in changes if name in before), key=lambda name: -before[name].start)
    for name in known:
        field = before[name]
        start, end = field.start, field.end(matter)
        if matter[start : start + 1] == "&" and "*" in matter:
            raise _in_the_way()  # another value refers to this one
        gap = " " if matter[start - 1 : start] == ":" else ""
        matter = matter[:start] + gap + shown(changes[name]) + matter[end:]
    new = [f"{name}: {shown(value)}" for name, value in changes.items() if name not in before]
    matter = _with_new(matter, new, line_end)
    _require_rest_untouched(before, matter, changes)
    return matter


def _with_new(matter: str, lines: Sequence[str], line_end: str) -> str:
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
    except Damaged as damage:
        raise _in_the_way() from damage
    rest = {name: field.value for name, field in before.items() if name not in changes}
    if rest != {name: field.value for name, field in after.items() if name not in changes}:
        raise _in_the_way()


def _in_the_way() -> Conflict:
    return Conflict(
        "The memory's front matter cannot be changed without touching what else stands there.",
        hint="Write the key on a line of its own, without anchors.",
    )


def _fields(parser: Any) -> dict[str, Field]:
    """Takes libyaml's events one by one: a stream with one document, which is a mapping, or with none."""
    from ruamel.yaml.events import MappingStartEvent, ScalarEvent

    fields: dict[str, Field] = {}
    take = parser.get_event
    take()  # the stream's start
    if _kind(take()) == "StreamEndEvent":
        return fields  # nothing, or comments only
    if type(take()) is not MappingStartEvent:
        raise Damaged(_NO_MAPPING)
    while type(key := take()) is ScalarEvent:
        if key.value in fields:
            raise Damaged(f"The front matter has the key `{key.value[:60]}` twice.")
        event = take()
        fields[key.value] = Field(event.value, event, event) if type(event) is ScalarEvent else _field(event, take)
    if (_kind(key), _kind(take()), _kind(take())) != ("MappingEndEvent", "DocumentEndEvent", "StreamEndEvent"):
        raise Damaged(_NO_MAPPING)
    return fields


def _field(opening: Any, take: Callable[[], Any]) -> Field:
    """A list of scalars is a value; a block ends with its last item, before the comments that follow."""
    if _kind(opening) == "AliasEvent":
        return Field(None, opening, opening)
    items: list[str] | None = [] if _kind(opening) == "SequenceStartEvent" else None
    last, depth = opening, 1
    while depth:
        event = take()
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
