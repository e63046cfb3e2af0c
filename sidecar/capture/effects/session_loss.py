"""Whether a run took away what its provider session had been given: it was compacted, or began anew. Pure."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from sidecar.transcripts.records import is_after, parse_record, written_ms
from sidecar.transcripts.tail import Recent, recent


class Loss(IntEnum):
    """What a run's session has lost of what it had been given; the greater one holds."""

    NOTHING = 0
    TRANSCRIPT = 1
    """It was compacted: what stood in its prompts is gone, a system text is not."""
    SESSION = 2
    """It began anew, or went back to an earlier place."""


_COMMANDS = {
    "/compact": Loss.TRANSCRIPT,
    **dict.fromkeys(("/clear", "/new", "/reset", "/rewind", "/undo", "/resume"), Loss.SESSION),
}
"""Prompts by which Claude Code and Codex give up what a session holds; the app sends them as prompts."""

_SUSPECT = b"ompact"
"""Stands in every record of a compaction, Claude's and Codex's; other lines are not even parsed."""


def loss_by_prompt(prompt: str) -> Loss:
    """Says what a prompt makes its session lose."""
    words = prompt.split(maxsplit=1)
    return _COMMANDS.get(words[0].casefold(), Loss.NOTHING) if words else Loss.NOTHING


def was_compacted(transcript: Iterable[bytes], since_ms: int) -> bool:
    """Says whether a transcript's lines tell of a compaction at or after a moment; one without a time counts."""
    return any(_SUSPECT in line and _is_compaction(parse_record(line), since_ms) for line in transcript)


def _is_compaction(record: dict[str, Any], since_ms: int) -> bool:
    """Only records of the provider's own: what a message quotes lies deeper. A subagent's session is another one."""
    payload = record.get("payload")
    is_one = (
        (record.get("type") == "system" and record.get("subtype") == "compact_boundary")
        or record.get("isCompactSummary") is True
        or record.get("type") == "compacted"
        or (
            record.get("type") == "event_msg"
            and isinstance(payload, dict)
            and payload.get("type") == "context_compacted"
        )
    )
    if not is_one or record.get("isSidechain") is True:
        return False
    moment = written_ms(record)
    return moment is None or moment >= since_ms


# The provider's own transcript of a session, as far as it tells what the host does not.


__all__ = ["Recent", "compacted_since", "recent"]


def compacted_since(found: Recent, since_ms: int) -> bool:
    """Says whether a session was compacted since a moment.

    Where the part that is looked at begins after the moment, what came before it is not known: it counts as a
    compaction, because giving something again does less harm than not giving it.
    """
    if was_compacted(found.lines, since_ms):
        return True
    timed = (is_after(line, since_ms) for line in found.lines if b'"timestamp"' in line)
    return not found.is_whole and next(timed, True)
