"""Memories as they are told on the wire. Pure."""

from collections.abc import Container
from typing import Any

from sidecar.core.clock import rfc3339
from sidecar.memory.entry import Memory
from sidecar.memory.files.layout import FOLDER, MEMORIES
from sidecar.memory.model import MemoryDetail, MemorySummary, MemoryWarning
from sidecar.memory.store.entries import Indexed


def summary(entry: Indexed) -> MemorySummary:
    """Gives a memory without its text."""
    return MemorySummary(**_told(entry.memory), tokens=entry.tokens)


def detail(entry: Indexed, warning: str, linked: Container[str]) -> MemoryDetail:
    """Gives a memory with its text, and its links to those that whoever asks may reach."""
    memory = entry.memory
    return MemoryDetail(
        **_told(memory),
        tokens=entry.tokens,
        text=memory.text,
        session_id=memory.session or None,
        supersedes=[one for one in memory.supersedes if one in linked],
        contradicts=[one for one in memory.contradicts if one in linked],
        warning=warning or None,
    )


def warned(path: str, sentence: str) -> MemoryWarning:
    """Gives a warning about a file or folder of the memories."""
    return MemoryWarning(path=project_path(path), warning=sentence)


def project_path(path: str) -> str:
    """Gives a memory's path below the project's folder."""
    return f"{FOLDER}/{MEMORIES}/{path}"


def _told(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": memory.title,
        "type": memory.type,
        "sector": memory.sector,
        "owner": memory.owner,
        "keeping": memory.keeping,
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
