"""Fields of an entry, read from front matter and facts with tolerance for hand-edited files. Pure."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.memory.entry import DEFAULT_CONFIDENCE, SECTOR_OF_TYPE, SECTORS, Memory, Sector, Tier
from sidecar.memory.files.layout import MEMORY_ID, SHARED, MemoryLocation

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
    def id(self) -> str:
        """Id of an entry that states none."""
        return f"mem-file-{short_id(self._id_source)}"

    def with_entry_values(self, values: FieldValues, title: str) -> "EntryFields":
        """Return the fields of one entry of the file; without its own id, its id is derived from path and title."""
        entry = EntryFields(
            {**{name: value for name, value in self.values.items() if name != "id"}, **values}, *self._file_args()
        )
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
            self.warn(f"`{name}` is not between {minimum:g} and {maximum:g}; the nearest value counts.")
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

    def _file_args(self) -> tuple[str, MemoryLocation, int]:
        return self.path, self.place, self.modified_ms


def parse_time_ms(text: str) -> int | None:
    """Parse ISO 8601 text, UTC by default; None if it is malformed."""
    try:
        moment = datetime.fromisoformat(text)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def build_memory(fields: EntryFields, title: str, text: str, position: int) -> Memory:
    """Build an entry from its fields and its Markdown."""
    kind = fields.text("type") or fields.text("sector") or "semantic"
    created = fields.parse_time_ms("created_at") or _day_of(fields) or fields.modified_ms
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
        at_ms=fields.parse_time_ms("at") or created,
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
        fields.warn(f"`sector` is not one of {', '.join(SECTORS)}; that of the type counts.")
    return text if text in SECTORS else SECTOR_OF_TYPE.get(kind, "semantic")


def _tier(fields: EntryFields) -> Tier:
    text: Any = fields.text("tier").lower()
    if text and text not in ("hot", "warm", "cold"):
        fields.warn("`tier` is not hot, warm or cold; warm counts.")
        return "warm"
    return text or "warm"


def _day_of(fields: EntryFields) -> int | None:
    match = _DAY.search(fields.text("id")) or _DAY.search(fields.path)
    return parse_time_ms(match[1]) if match else None
