"""The provider's own transcript of a session, as far as it tells what the host does not."""

from sidecar.capture.reading.compaction import was_compacted
from sidecar.core.transcript_records import begins_after
from sidecar.system.transcript_file import Recent, recent

__all__ = ["Recent", "compacted_since", "recent"]


def compacted_since(found: Recent, since_ms: int) -> bool:
    """Says whether a session was compacted since a moment.

    Where the part that is looked at begins after the moment, what came before it is not known: it counts as a
    compaction, because giving something again does less harm than not giving it.
    """
    if was_compacted(found.lines, since_ms):
        return True
    timed = (begins_after(line, since_ms) for line in found.lines if b'"timestamp"' in line)
    return not found.is_whole and next(timed, True)
