"""The provider's own transcript of a session, as far as it tells what the host does not."""

import os
import stat

from sidecar.capture.compaction import begins_after, was_compacted

LOOKED_AT_BYTES = 32 * 2**20
"""How much of a transcript's end is looked at."""


def compacted_since(path: str, since_ms: int) -> bool | None:
    """Says whether a session was compacted since a moment; None where the transcript cannot be read.

    Where the part that is looked at begins after the moment, what came before it is not known: it counts as a
    compaction, because giving something again does less harm than not giving it.
    """
    tail = _tail(path)
    if tail is None:
        return None
    lines, is_whole = tail
    if was_compacted(lines, since_ms):
        return True
    return not is_whole and next((begins_after(line, since_ms) for line in lines if b'"timestamp"' in line), True)


def _tail(path: str) -> tuple[list[bytes], bool] | None:
    """The last whole lines of a regular file, and whether they are all of it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - LOOKED_AT_BYTES)
            file.seek(start)
            lines = file.read(LOOKED_AT_BYTES).split(b"\n")
    except (OSError, ValueError):
        return None
    return (lines[1:], False) if start else (lines, True)
