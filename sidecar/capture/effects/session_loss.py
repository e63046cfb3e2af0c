"""Loss of a provider session's content during a run: it was compacted, or started again."""

from collections.abc import Iterable
from enum import IntEnum

from sidecar.transcripts.events import Compaction
from sidecar.transcripts.transcript_tail import TranscriptTail, is_after, read_events


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


def loss_by_prompt(prompt: str) -> Loss:
    """Return what a prompt makes its session lose."""
    words = prompt.split(maxsplit=1)
    return _COMMANDS.get(words[0].casefold(), Loss.NOTHING) if words else Loss.NOTHING


def was_compacted(lines: Iterable[bytes], since_ms: int) -> bool:
    """Whether a transcript's lines record a compaction at or after a moment; one without a time counts."""
    return any(True for _ in read_events(lines, since_ms, Compaction))


def compacted_since(transcript: TranscriptTail, since_ms: int) -> bool:
    """Whether a session was compacted since a moment.

    If the part that was read starts after that moment, what came before is unknown. That counts as a compaction,
    because sending something twice does less harm than not sending it.
    """
    if was_compacted(transcript.lines, since_ms):
        return True
    timed = (is_after(line, since_ms) for line in transcript.lines if b'"timestamp"' in line)
    return not transcript.is_complete and next(timed, True)
