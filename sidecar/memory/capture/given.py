"""Between the messages that capture and the values of it. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sidecar.memory.capture.capturing import Captured
from sidecar.memory.capture.digest import Digest, Note, Said, Trouble
from sidecar.memory.capture.model import DropCount, MemoryCaptureResult, MemoryDigest
from sidecar.memory.telling import project_path


def digest_of(session: str, source: str, given: MemoryDigest | None, text: str | None, now_ms: int) -> Digest:
    """Gives what a message tells of a session; what has no time is of now."""
    said = [Said(one.author, one.text, _ms(one.at, now_ms)) for one in given.messages] if given else []
    said += [Said("assistant", text, now_ms)] if text else []
    troubles = [Trouble(one.text, one.resolution, _ms(one.at, now_ms)) for one in given.errors] if given else []
    notes = [
        Note(one.type, one.title, one.text, one.author or "", _ms(one.at, now_ms), one.confidence, tuple(one.tags))
        for one in (given.entries if given else [])
    ]
    return Digest(session, source, tuple(said), tuple(troubles), tuple(notes))


def answer_of(done: Captured) -> MemoryCaptureResult:
    """Gives what became of a digest as it is answered."""
    return MemoryCaptureResult(
        kept=list(done.new),
        repeated=list(done.repeated),
        contradicted=list(done.contradicted),
        withheld=done.withheld,
        dropped=drop_counts(done.dropped),
        paths=[project_path(path) for path in done.paths],
    )


def drop_counts(counts: Mapping[str, int]) -> list[DropCount]:
    """Gives the reasons in order, each with how many were dropped for it."""
    told: list[tuple[Any, int]] = sorted((reason, count) for reason, count in counts.items() if count)
    return [DropCount(reason=reason, count=count) for reason, count in told]


def _ms(at: datetime | None, now_ms: int) -> int:
    return now_ms if at is None else int(at.timestamp() * 1000)
