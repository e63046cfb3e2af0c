"""Memories: Markdown files below `.chati/memories`, an index derived from them, and who may reach what."""

from sidecar.language.sentence_patterns import Kind
from sidecar.memory import knowledge_pointer
from sidecar.memory.access import SHARED_ONLY, Reach, grant, reach_of, revoke
from sidecar.memory.capture.capture_session import (
    Asking,
    Captured,
    capture_digest,
    heard_until,
    leave,
    source_of,
    tag_of,
)
from sidecar.memory.capture.extract_notes import mending, worth_keeping
from sidecar.memory.capture.methods import answer_of, digest_of
from sidecar.memory.capture.session_summary import Digest, Note, Said, Trouble, source_within
from sidecar.memory.capture.session_transcript import told_in
from sidecar.memory.entry import Memory
from sidecar.memory.files.front_matter import Value
from sidecar.memory.files.layout import AGENTS, SHARED
from sidecar.memory.index import Index, index_of
from sidecar.memory.managed_memories import Change, Placed, Written, read_back, rewritten, written
from sidecar.memory.model import MemoryCaptureResult, MemoryDigest
from sidecar.memory.phrasing import head_of, taken_back
from sidecar.memory.privacy_filter import screened
from sidecar.memory.proposals import accepted_rules
from sidecar.memory.retrieval.detail_levels import Level, told
from sidecar.memory.retrieval.recall import Relevance, Relevant, look_over, preload, recalled
from sidecar.memory.store.entry_queries import tiers
from sidecar.memory.upkeep.maintain import clean_session, tend_later

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
    "knowledge_pointer",
    "leave",
    "look_over",
    "mending",
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
