"""Meaning of the paths below `.chati/memories`: owner and retention. Pure.

    shared/durable/  shared/daily/<date>/  shared/session/  <agent>/durable/  <agent>/daily/<date>/
    archive/         the same tree again: what was moved there can be restored

Names are allow-listed: no path leads out of the tree, and no other folder is read.
"""

import re
from typing import NamedTuple, cast

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.memory.entry import Retention
from sidecar.system.atomic_write import OWN_FOLDER

MEMORIES = "memories"
SHARED = "shared"
ARCHIVE = "archive"
INDEX_FILE = "index.json"

AGENTS = (
    "orchestrator",
    *("greenfield-wu", "brownfield-wu", "brief", "detail", "architect", "ux", "phases", "tasks"),
    *("qa-planning", "dev", "qa-implementation", "devops"),
)
"""The framework's orchestrator and its twelve agents."""

OWNERS = (SHARED, *AGENTS)
RETENTIONS: tuple[Retention, ...] = ("durable", "daily", "session")
MAX_DEPTH = 5
"""Maximum number of path components below a retention's folder, the file's name included."""

MEMORY_ID = lazy_regex(r"mem-(\d{4}-\d{2}-\d{2})-(\d{3,6})")
_NAME = lazy_regex(r"[^\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]{1,200}")
_OWN_NAME = lazy_regex(r"(\d{4}-\d{2}-\d{2})-(?:[a-z0-9-]{1,48}-)?(\d{3,6})\.md")
MAX_SLUG = 48
_SLUG = lazy_regex(r"[^a-z0-9]+")


class MemoryLocation(NamedTuple):
    """Owner and retention of the memories in a folder."""

    owner: str
    retention: Retention
    is_archived: bool


def location_of(path: str) -> MemoryLocation | None:
    """Return what a path below the memories folder means; None if it cannot hold a memory."""
    parts = path.split("/")
    is_archived = parts[0] == ARCHIVE
    owner, retention, *rest = parts[1:] if is_archived else parts if len(parts) > 1 else [*parts, ""]
    is_known = owner in OWNERS and retention in RETENTIONS
    if (
        not is_known
        or not 1 <= len(rest) <= MAX_DEPTH
        or not path.endswith(".md")
        or not all(map(is_allowed_name, rest))
    ):
        return None
    return MemoryLocation(owner, cast("Retention", retention), is_archived)


def is_allowed_name(part: str) -> bool:
    """Whether a file or folder of this name is read."""
    return not part.startswith(".") and part == part.strip() and _NAME.fullmatch(part) is not None


def folder_of(owner: str, retention: Retention, day: str) -> str:
    """Return the folder of a new memory; `day` like `2026-03-01`."""
    return f"{owner}/{retention}/{day}" if retention == "daily" else f"{owner}/{retention}"


def new_memory_path(owner: str, retention: Retention, memory_id: str, title: str) -> str:
    """Return the path of a new stand-alone memory: day, title, and a number that makes it unique."""
    day, number = cast("re.Match[str]", MEMORY_ID.fullmatch(memory_id)).groups()
    return f"{folder_of(owner, retention, day)}/{'-'.join(filter(None, (day, slug(title), number)))}.md"


def id_in_name(path: str) -> str:
    """Return the id for which `new_memory_path` made a file's name; empty for another name."""
    match = _OWN_NAME.fullmatch(path.rpartition("/")[2])
    return f"mem-{match[1]}-{match[2]}" if match else ""


def archive_path(path: str) -> str:
    """Return a memory file's path in the archive."""
    return f"{ARCHIVE}/{path}"


def unarchived_path(path: str) -> str:
    """Return an archived file's original path."""
    return path.removeprefix(f"{ARCHIVE}/")


def slug(title: str) -> str:
    """Turn a title into a file name: lowercase ASCII letters and digits, joined by hyphens; may be empty."""
    return _SLUG.sub("-", title.lower())[: MAX_SLUG + 1].strip("-")[:MAX_SLUG].rstrip("-")


def project_path(path: str) -> str:
    """Return a memory's path relative to the project folder, masked."""
    return f"{OWN_FOLDER}/{MEMORIES}/{redact(path)}"
