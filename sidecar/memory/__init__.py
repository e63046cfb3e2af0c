"""Memories: Markdown files below `.chati/memories`, a derived index, and access control."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sidecar.core.yaml_text import Value
from sidecar.memory import standing_instruction_register
from sidecar.memory.access_control import SHARED_ONLY, Reach, grant, reach_of, revoke
from sidecar.memory.detail_levels import Level, render_memory
from sidecar.memory.entry import (
    DROPPED,
    SECTORS,
    Memory,
    ParsedMemoryFile,
    Sector,
    content_hash,
    is_same_decision,
    normalized,
)
from sidecar.memory.file_index import MAX_INLINE_FILES, MemoryIndex, RefreshResult, memory_index_of
from sidecar.memory.files.layout import AGENTS, SHARED
from sidecar.memory.knowledge_pointer_files import (
    MemoryFile,
    MemoryFileChange,
    PointerFiles,
    edit_memory_file,
    read_memory_file,
    render_memory_file,
)
from sidecar.memory.recall import RecallQuery, Relevant, memories_by_id, preload, recall_query, refresh_index
from sidecar.memory.standing_instruction_register import accepted_rules
from sidecar.memory.storable_text import filter_private, memory_heading, revoked_line
from sidecar.memory.store.entry_queries import count_by_tier

if TYPE_CHECKING:
    from sidecar.language.conclusions import StatementKind
    from sidecar.memory.capture.capture_session import (
        CaptureContext,
        CaptureResult,
        added_in_arm,
        artifact_source,
        artifact_tag,
        capture_session_summary,
        captured_statements,
        captured_until,
        enqueue_summary,
        remember_run,
        session_memories,
    )
    from sidecar.memory.capture.extract_notes import note_title, reduce_summary
    from sidecar.memory.capture.session_material import (
        ConversationContent,
        ErrorEvent,
        Note,
        SessionSummary,
        Utterance,
        read_conversation,
        read_transcript,
        session_source,
    )
    from sidecar.memory.capture.verify_noted_rule import Support, TypedMessage, repeats_one_task, verify_rule
    from sidecar.memory.methods import to_capture_result, to_session_summary
    from sidecar.memory.model import MemoryCaptureResult, SessionSummaryInput
    from sidecar.memory.upkeep import clean_session, run_upkeep, run_upkeep_later

_LOADED_LATER = {
    "sidecar.memory.capture.capture_session": (
        "CaptureContext",
        "CaptureResult",
        "artifact_source",
        "artifact_tag",
        "capture_session_summary",
        "captured_until",
        "captured_statements",
        "added_in_arm",
        "enqueue_summary",
        "remember_run",
        "session_memories",
    ),
    "sidecar.memory.capture.extract_notes": ("reduce_summary", "note_title"),
    "sidecar.memory.methods": ("to_capture_result", "to_session_summary"),
    "sidecar.memory.capture.session_material": (
        "ConversationContent",
        "ErrorEvent",
        "Note",
        "SessionSummary",
        "Utterance",
        "read_conversation",
        "read_transcript",
        "session_source",
    ),
    "sidecar.memory.capture.verify_noted_rule": ("Support", "TypedMessage", "repeats_one_task", "verify_rule"),
    "sidecar.language.conclusions": ("StatementKind",),
    "sidecar.memory.model": ("MemoryCaptureResult", "SessionSummaryInput"),
    "sidecar.memory.upkeep": ("clean_session", "run_upkeep", "run_upkeep_later"),
}
"""Names of modules that no pre-run needs: they are loaded when a name is first used."""


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _LOADED_LATER.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value
