"""Which path below `.chati/memories` means what: whose a memory is, and for how long it is kept. Pure.

    shared/durable/  shared/daily/<date>/  shared/session/  <agent>/durable/  <agent>/daily/<date>/
    archive/         the same tree again: what was moved there can be restored

Names are allow-listed: no path leads out of the tree, and no other folder is looked into.
"""

import re
from typing import NamedTuple, cast

from sidecar.core.lazy_regex import regex
from sidecar.memory.entry import Keeping

FOLDER = ".chati"
MEMORIES = "memories"
SHARED = "shared"
ARCHIVE = "archive"
INDEX_FILE = "index.json"

AGENTS = (
    "orchestrator",
    *("greenfield-wu", "brownfield-wu", "brief", "detail", "architect", "ux", "phases", "tasks"),
    *("qa-planning", "dev", "qa-implementation", "devops"),
)
"""The twelve agents of intelligence-layer.md 4.5, and the orchestrator."""

OWNERS = (SHARED, *AGENTS)
KEEPINGS: tuple[Keeping, ...] = ("durable", "daily", "session")
MAX_DEPTH = 5
"""Folders below a keeping's own that are looked into."""

MEMORY_ID = regex(r"mem-(\d{4}-\d{2}-\d{2})-(\d{3,6})")
_NAME = regex(r"[^\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]{1,200}")
_SLUG = regex(r"[^a-z0-9]+")


class Place(NamedTuple):
    """What a folder says of the memories in it."""

    owner: str
    keeping: Keeping
    is_archived: bool


def place_of(path: str) -> Place | None:
    """Says what a file's path below the memories' folder means; None for one that holds no memory."""
    parts = path.split("/")
    is_archived = parts[0] == ARCHIVE
    owner, keeping, *rest = parts[1:] if is_archived else parts if len(parts) > 1 else [*parts, ""]
    known = owner in OWNERS and keeping in KEEPINGS
    if not known or not 1 <= len(rest) <= MAX_DEPTH or not path.endswith(".md") or not all(map(is_name, rest)):
        return None
    return Place(owner, cast("Keeping", keeping), is_archived)


def is_name(part: str) -> bool:
    """Says whether a file or folder of this name is looked at."""
    return not part.startswith(".") and part == part.strip() and _NAME.fullmatch(part) is not None


def folder_of(owner: str, keeping: Keeping, day: str) -> str:
    """Gives the folder a new memory goes to; `day` as `2026-03-01`."""
    return f"{owner}/{keeping}/{day}" if keeping == "daily" else f"{owner}/{keeping}"


def file_of(owner: str, keeping: Keeping, memory_id: str, title: str) -> str:
    """Gives the path of a new stand-alone memory: its day, its title, and its number so that no two are the same."""
    day, number = cast("re.Match[str]", MEMORY_ID.fullmatch(memory_id)).groups()
    return f"{folder_of(owner, keeping, day)}/{'-'.join(filter(None, (day, slug(title), number)))}.md"


def archived(path: str) -> str:
    """Gives where a memory's file is moved when it is archived."""
    return f"{ARCHIVE}/{path}"


def restored(path: str) -> str:
    """Gives where an archived file came from."""
    return path.removeprefix(f"{ARCHIVE}/")


def slug(title: str, limit: int = 48) -> str:
    """Makes a file's name of a title: small Latin letters and digits, joined by hyphens; may be empty."""
    return _SLUG.sub("-", title.lower())[: limit + 1].strip("-")[:limit].rstrip("-")
