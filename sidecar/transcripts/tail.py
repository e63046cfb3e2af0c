"""Reads the end of a provider's transcript back to a given time; a long session has many megabytes."""

import os
from typing import BinaryIO, NamedTuple

from sidecar.system.safe_open import open_regular
from sidecar.transcripts.records import is_before

MAX_TAIL_BYTES = 8 * 2**20
"""Maximum bytes read from the end of a transcript; takes about 0.1 s."""

CHUNK_BYTES = 256 * 2**10
MAX_LINE_BYTES = 2 * 2**20
"""Longer lines are skipped: they contain images or files, never messages of interest."""

SLACK_MS = 5_000
"""How much earlier than the run a record must be before reading stops; clocks and record order vary."""


class TranscriptTail(NamedTuple):
    """The end of a transcript: its lines in order, and whether they include everything since the run's start."""

    lines: tuple[bytes, ...]
    is_complete: bool


def read_tail(path: str, since_ms: int) -> TranscriptTail | None:
    """Read a transcript backwards to a moment; None if it cannot be read or is not a regular file."""
    try:
        with os.fdopen(open_regular(path, follow_links=True), "rb") as file:
            return _read_backwards(file, since_ms)
    except OSError:
        return None


def _read_backwards(file: BinaryIO, since_ms: int) -> TranscriptTail:
    end = position = file.seek(0, os.SEEK_END)
    chunks: list[bytes] = []
    is_complete = False
    while position and not is_complete and end - position < MAX_TAIL_BYTES:
        size = min(CHUNK_BYTES, position, MAX_TAIL_BYTES - (end - position))
        position -= size
        file.seek(position)
        chunks.append(file.read(size))
        is_complete = _starts_before(chunks[-1], since_ms - SLACK_MS)
    lines = b"".join(reversed(chunks)).split(b"\n")[1 if position else 0 :]
    return TranscriptTail(tuple(line for line in lines if len(line) <= MAX_LINE_BYTES), is_complete or not position)


def _starts_before(chunk: bytes, moment_ms: int) -> bool:
    """Whether the first complete record with a time in a chunk is older than the given time."""
    lines = (line for line in chunk.split(b"\n")[1:-1] if b'"timestamp"' in line)
    return any(is_before(line, moment_ms) for line, _ in zip(lines, range(3), strict=False))
