"""Memories as wire messages. Pure."""

from collections.abc import Container
from typing import Any

from sidecar.core.clock import rfc3339
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import FOLDER, MEMORIES
from sidecar.memory.model import MemoryDetail, MemorySummary, MemoryWarning
from sidecar.memory.store.entries import IndexedMemory


def memory_summary(entry: IndexedMemory) -> MemorySummary:
    """Return a memory without its text."""
    return MemorySummary(**_summary_fields(entry.memory), tokens=entry.tokens)


def memory_detail(entry: IndexedMemory, warning: str, linked: Container[str]) -> MemoryDetail:
    """Return a memory with its text, and with links to memories within reach."""
    memory = entry.memory
    return MemoryDetail(
        **_summary_fields(memory),
        tokens=entry.tokens,
        text=memory.text,
        session_id=memory.session or None,
        supersedes=[linked_id for linked_id in memory.supersedes if linked_id in linked],
        contradicts=[linked_id for linked_id in memory.contradicts if linked_id in linked],
        warning=warning or None,
    )


def memory_warning(path: str, sentence: str) -> MemoryWarning:
    """Return a warning about a file or folder of the memories."""
    return MemoryWarning(path=project_path(path), warning=sentence)


def project_path(path: str) -> str:
    """Return a memory's path relative to the project folder."""
    return f"{FOLDER}/{MEMORIES}/{path}"


def _summary_fields(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": memory.title,
        "type": memory.type,
        "sector": memory.sector,
        "owner": memory.owner,
        "retention": memory.retention,
        "tier": memory.tier,
        "archived": memory.is_archived,
        "tags": list(memory.tags),
        "agent": memory.agent,
        "author": memory.author,
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "access_count": memory.access_count,
        "last_accessed_at": None if memory.last_accessed_ms is None else rfc3339(memory.last_accessed_ms),
        "created_at": rfc3339(memory.created_ms),
        "at": rfc3339(memory.at_ms),
        "path": project_path(memory.path),
        "position": memory.position,
        "version": memory.version,
    }
