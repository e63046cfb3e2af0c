"""Memories: Markdown files below `.chati/memories`, an index derived from them, and who may reach what."""

from sidecar.memory import pointed
from sidecar.memory.access import SHARED_ONLY, Reach, grant, reach_of, revoke
from sidecar.memory.capture.artifacts import source_of, tag_of
from sidecar.memory.capture.capturing import Asking, Captured, capture_digest, heard_until, leave
from sidecar.memory.capture.digest import Digest, Kind, Note, Said, Trouble, source_within
from sidecar.memory.capture.finding import mending, worth_keeping
from sidecar.memory.capture.given import answer_of, digest_of
from sidecar.memory.capture.model import MemoryCaptureResult, MemoryDigest
from sidecar.memory.capture.transcript import told_in
from sidecar.memory.entry import Memory
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import AGENTS, SHARED
from sidecar.memory.finding.levels import Level, told
from sidecar.memory.finding.preloading import preload, recalled
from sidecar.memory.finding.relevant import Relevance, Relevant, look_over
from sidecar.memory.index import Index, index_of
from sidecar.memory.placed import Change, Placed, Written, read_back, rewritten, written
from sidecar.memory.proposals.rules import accepted_rules
from sidecar.memory.screening import screened
from sidecar.memory.store.listing import tiers
from sidecar.memory.upkeep.maintaining import clean_session
from sidecar.memory.upkeep.tending import tend_later
from sidecar.memory.wording import head_of, taken_back

__all__ = [
    "AGENTS",
    "SHARED",
    "SHARED_ONLY",
    "Asking",
    "Captured",
    "Change",
    "Digest",
    "Index",
    "Kind",
    "Level",
    "Memory",
    "MemoryCaptureResult",
    "MemoryDigest",
    "Note",
    "Placed",
    "Reach",
    "Relevance",
    "Relevant",
    "Said",
    "Trouble",
    "Value",
    "Written",
    "accepted_rules",
    "answer_of",
    "capture_digest",
    "clean_session",
    "digest_of",
    "grant",
    "head_of",
    "heard_until",
    "index_of",
    "leave",
    "look_over",
    "mending",
    "pointed",
    "preload",
    "reach_of",
    "read_back",
    "recalled",
    "revoke",
    "rewritten",
    "screened",
    "source_of",
    "source_within",
    "tag_of",
    "taken_back",
    "tend_later",
    "tiers",
    "told",
    "told_in",
    "worth_keeping",
    "written",
]
