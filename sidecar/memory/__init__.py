"""Memories: Markdown files below `.chati/memories`, an index derived from them, and who may reach what."""

from sidecar.memory.access import SHARED_ONLY, THE_USERS, Reach, grant, reach_of, revoke
from sidecar.memory.capture.capturing import Asking, Captured, capture_digest, capture_waiting
from sidecar.memory.capture.digest import Digest, Note, Said, Trouble
from sidecar.memory.entry import Keeping, Memory, Sector, Tier
from sidecar.memory.index import Index, index_of
from sidecar.memory.layout import AGENTS, SHARED
from sidecar.memory.preloading import Preloaded, preload
from sidecar.memory.screening import Screened, screened

__all__ = [
    "AGENTS",
    "SHARED",
    "SHARED_ONLY",
    "THE_USERS",
    "Asking",
    "Captured",
    "Digest",
    "Index",
    "Keeping",
    "Memory",
    "Note",
    "Preloaded",
    "Reach",
    "Said",
    "Screened",
    "Sector",
    "Tier",
    "Trouble",
    "capture_digest",
    "capture_waiting",
    "grant",
    "index_of",
    "preload",
    "reach_of",
    "revoke",
    "screened",
]
