"""Memories: Markdown files below `.chati/memories`, an index derived from them, and who may reach what."""

from sidecar.memory.access import SHARED_ONLY, THE_USERS, Reach, grant, reach_of, revoke
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
    "Index",
    "Keeping",
    "Memory",
    "Preloaded",
    "Reach",
    "Screened",
    "Sector",
    "Tier",
    "grant",
    "index_of",
    "preload",
    "reach_of",
    "revoke",
    "screened",
]
