"""What front matter and facts say of an entry, read with the patience that files edited by hand need. Pure."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sidecar.core.digests import short_id
from sidecar.core.lazy_regex import regex
from sidecar.memory.entry import DEFAULT_CONFIDENCE, SECTOR_OF_TYPE, SECTORS, Memory, Sector, Tier
from sidecar.memory.files.layout import SHARED, Place

Said = Mapping[str, str | tuple[str, ...] | None]

_ID = regex(r"[A-Za-z0-9][\w.:-]{0,99}", re.ASCII)
_DAY = regex(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)")
_COUNTED = ("access_count", "last_accessed", "tier")
"""What being read and growing older changes: no new version."""

MAX_LISTED = 50
"""So many tags or links of a memory are read."""


class Facts:
    """The keys of a file or of an entry in it, an entry's before its file's, and what was wrong with them."""

    def __init__(self, said: Said, path: str, place: Place, modified_ms: int) -> None:
        self.said = said
        self.path = path
        self.place = place
        self.modified_ms = modified_ms
        self.warning = ""
        self._whole: Facts | None = None
        self._known_by: object = path

    @property
    def id(self) -> str:
        """What an entry is known by that does not tell an id."""
        return f"mem-file-{short_id(self._known_by)}"

    def overlaid(self, said: Said, title: str) -> "Facts":
        """Gives the facts of one entry of the file; without an id of its own it has one made of path and title."""
        own = Facts({**{name: value for name, value in self.said.items() if name != "id"}, **said}, *self._rest())
        own._known_by = [self.path, title]
        own._whole = self
        return own

    def text(self, name: str, fallback: str = "") -> str:
        """Gives a scalar as text."""
        value = self.said.get(name)
        if not isinstance(value, str):
            return fallback
        value = value.strip()
        return fallback if value in ("~", "null") else value[:200]

    def listed(self, name: str) -> tuple[str, ...]:
        """Gives a list's items; a scalar is a list of what its commas part."""
        value = self.said.get(name)
        items = value if isinstance(value, tuple) else (value or "").split(",")
        return tuple(dict.fromkeys(item.strip()[:100] for item in items if item.strip()))[:MAX_LISTED]

    def number(self, name: str, fallback: float, least: float, most: float) -> float:
        """Gives a number within its bounds; what is none is told of."""
        told = self.text(name)
        if not told:
            return fallback
        try:
            number = float(told)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            self.tell(f"`{name}` is not a number.")
            return fallback
        return min(max(number, least), most)

    def moment_ms(self, name: str) -> int | None:
        """Gives a moment in milliseconds since 1970-01-01 UTC; what is none is told of."""
        told = self.text(name)
        if not told:
            return None
        moment = moment_ms(told)
        if moment is None:
            self.tell(f"`{name}` is not a moment like 2026-03-01T09:30:00Z.")
        return moment

    def tell(self, sentence: str) -> None:
        """Keeps the first thing that was wrong, for the whole file."""
        whole = self._whole or self
        whole.warning = whole.warning or sentence

    def _rest(self) -> tuple[str, Place, int]:
        return self.path, self.place, self.modified_ms


def moment_ms(told: str) -> int | None:
    """Reads ISO 8601 text, UTC where it does not say; None for what is none."""
    try:
        moment = datetime.fromisoformat(told)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return None


def memory_of(facts: Facts, title: str, text: str, position: int) -> Memory:
    """Makes an entry of its facts and its Markdown."""
    kind = facts.text("type") or facts.text("sector") or "semantic"
    created = facts.moment_ms("created_at") or _day_of(facts) or facts.modified_ms
    return Memory(
        id=_id(facts),
        title=title or facts.path.rsplit("/", 1)[-1].removesuffix(".md"),
        text=text,
        path=facts.path,
        owner=facts.place.owner,
        keeping=facts.place.keeping,
        is_archived=facts.place.is_archived,
        type=kind,
        sector=_sector(facts, kind),
        agent=facts.text("agent", "" if facts.place.owner == SHARED else facts.place.owner),
        author=facts.text("author"),
        tags=facts.listed("tags"),
        confidence=facts.number("confidence", DEFAULT_CONFIDENCE, 0.0, 1.0),
        evidence=int(facts.number("evidence_count", 1, 0, 2**31)),
        access_count=int(facts.number("access_count", 0, 0, 2**31)),
        last_accessed_ms=facts.moment_ms("last_accessed"),
        created_ms=created,
        at_ms=facts.moment_ms("at") or created,
        tier=_tier(facts),
        session=facts.text("session"),
        supersedes=facts.listed("supersedes"),
        contradicts=facts.listed("contradicts"),
        group_key=facts.path,
        position=position,
        version=_version(facts, title, text),
    )


def _version(facts: Facts, title: str, text: str) -> str:
    said = {name: value for name, value in facts.said.items() if name not in _COUNTED}
    return short_id([facts.path, said, title, text], 16)


def _id(facts: Facts) -> str:
    told = facts.text("id")
    if told and not _ID.fullmatch(told):
        facts.tell("`id` is not made of letters, digits, hyphens and dots.")
        return facts.id
    return told or facts.id


def _sector(facts: Facts, kind: str) -> Sector:
    told = facts.text("sector").lower()
    return told if told in SECTORS else SECTOR_OF_TYPE.get(kind, "semantic")


def _tier(facts: Facts) -> Tier:
    told: Any = facts.text("tier").lower()
    return told if told in ("hot", "warm", "cold") else "warm"


def _day_of(facts: Facts) -> int | None:
    found = _DAY.search(facts.text("id")) or _DAY.search(facts.path)
    return moment_ms(found[1]) if found else None
