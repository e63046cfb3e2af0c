"""Memories: Markdown files below `.chati/memories`, an index derived from them, and who may reach what."""

from sidecar.memory.access import SHARED_ONLY, THE_USERS, Reach, grant, reach_of, revoke
from sidecar.memory.capture.capturing import Asking, Captured, capture_digest, capture_waiting
from sidecar.memory.capture.digest import Digest, Note, Said, Trouble
from sidecar.memory.entry import Keeping, Memory, Sector, Tier
from sidecar.memory.index import Index, index_of
from sidecar.memory.layout import AGENTS, SHARED
from sidecar.memory.levels import Level, told
from sidecar.memory.preloading import Preloaded, preload
from sidecar.memory.relevant import Relevance, Relevant, look_over, standing
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
    "Level",
    "Memory",
    "Note",
    "Preloaded",
    "Reach",
    "Relevance",
    "Relevant",
    "Said",
    "Screened",
    "Sector",
    "Tier",
    "Trouble",
    "capture_digest",
    "capture_waiting",
    "grant",
    "index_of",
    "look_over",
    "preload",
    "reach_of",
    "revoke",
    "screened",
    "standing",
    "told",
]
