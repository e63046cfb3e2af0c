"""Loss of a provider session's content during a run: it was compacted, or started again."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from sidecar.transcripts.records import is_after, parse_record, written_ms
from sidecar.transcripts.tail import Recent, recent


class Loss(IntEnum):
    """Extent of what a session lost of what it had received. The greater value wins."""

    NOTHING = 0
    TRANSCRIPT = 1
    """Compacted: the content of its prompts is gone, a system text is not."""
    SESSION = 2
    """Started again, or went back to an earlier point."""


_COMMANDS = {
    "/compact": Loss.TRANSCRIPT,
    **dict.fromkeys(("/clear", "/new", "/reset", "/rewind", "/undo", "/resume"), Loss.SESSION),
}
"""Prompts with which Claude Code and Codex discard a session's content; the app sends them as prompts."""

_COMPACTION_MARK = b"ompact"
"""Part of every compaction record, Claude's and Codex's; other lines are not parsed."""


def loss_by_prompt(prompt: str) -> Loss:
    """Return what a prompt makes its session lose."""
    words = prompt.split(maxsplit=1)
    return _COMMANDS.get(words[0].casefold(), Loss.NOTHING) if words else Loss.NOTHING


def was_compacted(transcript: Iterable[bytes], since_ms: int) -> bool:
    """Whether a transcript's lines record a compaction at or after a moment; one without a time counts."""
    return any(_COMPACTION_MARK in line and _is_compaction(parse_record(line), since_ms) for line in transcript)


def _is_compaction(record: dict[str, Any], since_ms: int) -> bool:
    """Whether the provider recorded a compaction. Quoted records are nested deeper; subagents do not count."""
    payload = record.get("payload")
    is_compaction = (
        (record.get("type") == "system" and record.get("subtype") == "compact_boundary")
        or record.get("isCompactSummary") is True
        or record.get("type") == "compacted"
        or (
            record.get("type") == "event_msg"
            and isinstance(payload, dict)
            and payload.get("type") == "context_compacted"
        )
    )
    if not is_compaction or record.get("isSidechain") is True:
        return False
    moment = written_ms(record)
    return moment is None or moment >= since_ms


__all__ = ["Recent", "compacted_since", "recent"]


def compacted_since(transcript: Recent, since_ms: int) -> bool:
    """Whether a session was compacted since a moment.

    If the part that was read starts after that moment, what came before is unknown. That counts as a compaction,
    because sending something twice does less harm than not sending it.
    """
    if was_compacted(transcript.lines, since_ms):
        return True
    timed = (is_after(line, since_ms) for line in transcript.lines if b'"timestamp"' in line)
    return not transcript.is_whole and next(timed, True)
