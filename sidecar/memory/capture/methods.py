"""`memory/capture`, and what `memory/status` tells of captures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory.capture.capture_session import Asking, Captured, capture_digest
from sidecar.memory.capture.session_summary import Digest, Note, Said, Trouble, source_within
from sidecar.memory.context import asked
from sidecar.memory.model import (
    CaptureShown,
    CaptureState,
    DropCount,
    MemoryCaptureParams,
    MemoryCaptureResult,
    MemoryDigest,
)
from sidecar.memory.serialize import project_path
from sidecar.memory.store import captures
from sidecar.method import Lane, method

# Between the messages that capture and the values of it. Pure.


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


DROPPED = "dropped."


def capture(call: Call, params: MemoryCaptureParams) -> MemoryCaptureResult:
    """Keeps what a session leaves: decisions, corrections of the user, errors with what ended them, proven patterns.

    Each becomes a short entry of the session's digest file of the day, with author, time and the wording as it was.
    What is known already counts as evidence, what the user deleted stays deleted, junk is dropped and counted.
    """
    found = asked(call, params)
    asking = Asking(call.process, found.workspace, found.reach, "request", params.automatic)
    if params.digest is None and params.text is None:
        raise InvalidParams("There is nothing to capture.", hint="Send `digest`, `text`, or both.")
    told = params.model_dump(mode="json", include={"digest", "text"})
    source = params.source_id or source_within(params.session_id, short_id(told))
    digest = digest_of(params.session_id, source, params.digest, params.text, call.now_ms())
    return answer_of(capture_digest(asking, digest))


def capture_state(tx: apsw.Connection, project: str, owners: Sequence[str]) -> CaptureState:
    """Gives what was captured within reach."""
    totals: Counter[str] = Counter(captures.totals(tx, project, owners))
    last = captures.last(tx, project, owners, 1)
    told = {name.removeprefix(DROPPED): count for name, count in totals.items() if name.startswith(DROPPED)}
    return CaptureState(
        last=_shown(last[0]) if last else None,
        captures=totals["captures"],
        kept=totals["kept"],
        repeated=totals["repeated"],
        withheld=totals["withheld"],
        dropped=drop_counts(told),
        waiting=captures.material(tx, project),
    )


def _shown(one: captures.Capture) -> CaptureShown:
    told: dict[str, Any] = {**one._asdict(), "dropped": drop_counts(one.dropped), "at": rfc3339(one.at_ms)}
    told["session_id"] = told.pop("session")
    del told["at_ms"]
    return CaptureShown(**told)


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy, InvalidParams)

METHODS = (method("memory/capture", capture, lane=Lane.WORKSPACE, errors=_ERRORS),)
