"""YAML front matter and an entry's fields: read with tolerance, edited in place; the user's content stays as it is.

Numbers and times are returned as the text that is written there; an entry's fields are read from it and from facts.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, get_args

from sidecar.core import yaml_text
from sidecar.core.clock import parse_time_ms
from sidecar.core.digests import short_id
from sidecar.core.errors import Conflict
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import FrontMatter, split_front_matter
from sidecar.core.redact import redact
from sidecar.core.yaml_text import MalformedYaml, Node, UneditableYaml, Value, parse_nodes
from sidecar.memory.entry import DEFAULT_CONFIDENCE, SECTOR_OF_TYPE, SECTORS, Memory, Sector, Tier
from sidecar.memory.files.layout import MEMORY_ID, SHARED, MemoryLocation, id_in_name

MAX_MATTER_CHARACTERS = 64 * 1024

_NOT_A_MAPPING = "The front matter is not a mapping."
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


_FALSE_OPENING = lazy_regex(r"\ufeff?\s*+[-\u2010-\u2015\u2212]++[ \t]*+\r?\n[A-Za-z_][\w-]{0,63}+:")
_ID_LINE = lazy_regex(r"^id:[ \t]*[\"']?(mem-[\w-]+)", re.MULTILINE)
_HEADING_MARK = lazy_regex(r"^#{1,6}[ \t]", re.MULTILINE)


class MalformedFrontMatter(ValueError):
    """The front matter cannot be read; the message is one sentence."""


def split(text: str) -> FrontMatter:
    """Locate the front matter. Raise MalformedFrontMatter if its first line is another, it has no end, or is too long.

    An editor turns `---` into a dash; a line above it hides it as well.
    """
    parts = split_front_matter(text)
    if parts.matter is None and not parts.is_unclosed and (_FALSE_OPENING.match(text) or stated_id(text)):
        raise MalformedFrontMatter("The front matter does not begin with a line `---` at the top of the file.")
    if parts.is_unclosed:
        raise MalformedFrontMatter("The front matter has no closing line `---`.")
    if parts.matter is not None and len(parts.matter) > MAX_MATTER_CHARACTERS:
        raise MalformedFrontMatter("The front matter is longer than 64 KiB.")
    return parts


def heading_start(text: str) -> int | None:
    """Return the position of the first heading."""
    match = _HEADING_MARK.search(text)
    return match.start() if match else None


def stated_id(text: str) -> str:
    """Return the id that stands above the first heading, of our form; empty without one."""
    match = _ID_LINE.search(text, 0, min(MAX_MATTER_CHARACTERS, heading_start(text) or MAX_MATTER_CHARACTERS))
    return match[1] if match else ""


def read_values(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Return the values of the top-level keys without positions. Raise MalformedFrontMatter.

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
    return read_yaml(matter)


def read_yaml(matter: str) -> dict[str, str | tuple[str, ...] | None]:
    """Return the values of the top-level keys: text, lists of text, or None for anything else.

    Raise MalformedFrontMatter.
    """
    try:
        root = parse_nodes(matter)
    except MalformedYaml as error:
        sentence = str(error) if error.line is None else f"The file is not valid YAML in line {error.line + 1}."
        raise MalformedFrontMatter(sentence.replace("The file", "The front matter", 1)) from error
    if root is None:
        return {}  # empty, or comments only
    if root.kind != "mapping" or any(key.kind != "scalar" for key, _ in root.fields):
        raise MalformedFrontMatter(_NOT_A_MAPPING)
    values: dict[str, str | tuple[str, ...] | None] = {}
    for key, node in root.fields:
        if key.text in values:
            raise MalformedFrontMatter(f"The front matter has the key `{key.text[:60]}` twice.")
        values[key.text] = _value(matter, node)
    return values


def change(text: str, changes: Mapping[str, Value]) -> str:
    """Return a file's text with some values changed; a file without front matter gets one.

    Raise MalformedFrontMatter if it cannot be read, Conflict if the change would affect anything else.
    """
    parts = split(text)
    line_end = "\r\n" if "\r\n" in (parts.opening or parts.rest[:4_096]) else "\n"
    if parts.matter is None:
        lines = "".join(f"{key}: {inline_front_matter(value)}{line_end}" for key, value in changes.items())
        return f"{parts.opening}---{line_end}{lines}---{line_end}{parts.rest}"
    read_yaml(parts.matter)
    try:
        lines_of = {key: inline_front_matter(value) for key, value in changes.items()}
        matter = yaml_text.set_values(parts.matter, {(): lines_of}, line_end)
    except UneditableYaml as error:
        raise Conflict(
            "The front matter cannot be changed without affecting other content.",
            hint="Write the key on a line of its own, without anchors.",
        ) from error
    return f"{parts.opening}{matter}{parts.rest}"


def inline_front_matter(value: Value) -> str:
    """Return a value as YAML on one line: plain where that is equivalent, else in double quotes."""
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return value
    return yaml_text.inline_yaml(round(value, 4) if isinstance(value, int | float) else value, _PLAIN)


def _value(matter: str, node: Node) -> str | tuple[str, ...] | None:
    if node.kind == "scalar":
        return _scalar(matter, node)
    if node.kind == "list" and all(item.kind == "scalar" for item in node.items):
        return tuple(_scalar(matter, item) for item in node.items)
    return None


def _scalar(matter: str, node: Node) -> str:
    """Return a scalar's text; a null as it is written."""
    written = matter[node.start : node.end]
    return node.text or ("" if written[:1] in ("'", '"') else written)


FieldValues = Mapping[str, str | tuple[str, ...] | None]

_ID = lazy_regex(r"[A-Za-z0-9][\w.:-]{0,99}", re.ASCII)
_DAY = lazy_regex(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_USAGE_FIELDS = ("access_count", "last_accessed", "tier")
"""Fields changed by reading and by age; they do not make a new version."""

MAX_LIST_ITEMS, MAX_ITEM = 50, 100
"""Maximum number of tags or links read per memory, and the characters of each."""

MAX_TEXT = 200
"""Maximum characters of a value."""


class EntryFields:
    """The keys of a file or of an entry in it (the entry's take precedence), and the first problem found."""

    def __init__(self, values: FieldValues, path: str, place: MemoryLocation, modified_ms: int) -> None:
        self.values = values
        self.path = path
        self.place = place
        self.modified_ms = modified_ms
        self.warning = ""
        self._file_fields: EntryFields | None = None
        self._id_source: object = path

    @property
    def is_file(self) -> bool:
        """Whether these are the fields of a file, not those of an entry in it."""
        return self._file_fields is None

    @property
    def id(self) -> str:
        """Id of an entry that states none."""
        return f"mem-file-{short_id(self._id_source)}"

    def with_entry_values(self, values: FieldValues, title: str) -> "EntryFields":
        """Return the fields of one entry of the file; without its own id, its id is derived from path and title."""
        own_values = {name: value for name, value in self.values.items() if name != "id"}
        entry = EntryFields({**own_values, **values}, self.path, self.place, self.modified_ms)
        entry._id_source = [self.path, title]
        entry._file_fields = self
        return entry

    def text(self, name: str, fallback: str = "") -> str:
        """Return a scalar as text."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return fallback
        value = value.strip()
        if len(value) > MAX_TEXT:
            self.warn(f"`{name}` has more than {MAX_TEXT} characters; the rest is not read.")
        return fallback if value in ("~", "null") else value[:MAX_TEXT]

    def list_value(self, name: str) -> tuple[str, ...]:
        """Return a list's items; a scalar is split at commas."""
        value = self.values.get(name)
        if not value:
            return ()
        parts = value if isinstance(value, tuple) else value.split(",")
        items = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
        if len(items) > MAX_LIST_ITEMS or any(len(item) > MAX_ITEM for item in items):
            self.warn(
                f"`{name}` has more than {MAX_LIST_ITEMS} items, or one of over {MAX_ITEM} characters; they are cut."
            )
            return tuple(dict.fromkeys(item[:MAX_ITEM] for item in items))[:MAX_LIST_ITEMS]
        return items

    def number(self, name: str, fallback: float, minimum: float, maximum: float) -> float:
        """Return a number within its bounds; anything else, and a number outside them, becomes a warning."""
        text = self.text(name)
        if not text:
            return fallback
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.warn(f"`{name}` is not a number.")
            return fallback
        if not minimum <= number <= maximum:
            self.warn(f"`{name}` is not between {minimum:g} and {maximum:g}; the nearest value is used.")
        return min(max(number, minimum), maximum)

    def parse_time_ms(self, name: str) -> int | None:
        """Return a moment in milliseconds since 1970-01-01 UTC; anything else becomes a warning."""
        text = self.text(name)
        if not text:
            return None
        moment = parse_time_ms(text)
        if moment is None:
            self.warn(f"`{name}` is not a time like 2026-03-01T09:30:00Z.")
        return moment

    def warn(self, sentence: str) -> None:
        """Record the first problem of the file."""
        file_fields = self._file_fields or self
        file_fields.warning = file_fields.warning or sentence


def build_memory(fields: EntryFields, title: str, text: str, position: int) -> Memory:
    """Build an entry from its fields and its Markdown."""
    kind = fields.text("type") or fields.text("sector") or "semantic"
    at_ms = fields.parse_time_ms("at")
    created = fields.parse_time_ms("created_at") or at_ms or _day_of(fields) or fields.modified_ms
    return Memory(
        id=_id(fields),
        title=title or fields.path.rsplit("/", 1)[-1].removesuffix(".md"),
        text=text,
        path=fields.path,
        owner=fields.place.owner,
        retention=fields.place.retention,
        is_archived=fields.place.is_archived,
        type=kind,
        sector=_sector(fields, kind),
        agent=fields.text("agent", "" if fields.place.owner == SHARED else fields.place.owner),
        author=fields.text("author"),
        tags=fields.list_value("tags"),
        confidence=fields.number("confidence", DEFAULT_CONFIDENCE, 0.0, 1.0),
        evidence=int(fields.number("evidence_count", 1, 0, 2**31)),
        access_count=int(fields.number("access_count", 0, 0, 2**31)),
        last_accessed_ms=fields.parse_time_ms("last_accessed"),
        created_ms=created,
        at_ms=at_ms or created,
        tier=_tier(fields),
        session=fields.text("session"),
        supersedes=fields.list_value("supersedes"),
        contradicts=fields.list_value("contradicts"),
        group_key=fields.path,
        position=position,
        version=_version(fields, title, text),
    )


def _version(fields: EntryFields, title: str, text: str) -> str:
    values = {name: value for name, value in fields.values.items() if name not in _USAGE_FIELDS}
    return short_id([fields.path, values, title, text], 16)


def _id(fields: EntryFields) -> str:
    text = fields.text("id")
    if not text and fields.is_file and (named_id := id_in_name(fields.path)):
        fields.warn(f"The file has no `id`; its name is that of {named_id}.")
        return named_id
    if text and not _ID.fullmatch(text):
        fields.warn("`id` may contain only letters, digits, hyphens and dots.")
        return fields.id
    if not MEMORY_ID.fullmatch(text) and redact(text) != text:
        fields.warn("`id` looks like a secret and is not used.")
        return fields.id
    return text or fields.id


def _sector(fields: EntryFields, kind: str) -> Sector:
    text = fields.text("sector").lower()
    if text and text not in SECTORS:
        fields.warn(f"`sector` is not one of {', '.join(SECTORS)}; that of the type is used.")
    return text if text in SECTORS else SECTOR_OF_TYPE.get(kind, "semantic")


def _tier(fields: EntryFields) -> Tier:
    text: Any = fields.text("tier").lower()
    if text and text not in get_args(Tier):
        fields.warn("`tier` is not hot, warm or cold; warm is used.")
        return "warm"
    return text or "warm"


def _day_of(fields: EntryFields) -> int | None:
    match = _DAY.search(fields.text("id")) or _DAY.search(fields.path)
    return parse_time_ms(match[1]) if match else None
