"""`memory/capture`, and what `memory/status` tells of captures."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory.asking import asked
from sidecar.memory.capture.capturing import Asking, capture_digest
from sidecar.memory.capture.digest import source_within
from sidecar.memory.capture.given import answer_of, digest_of, drop_counts
from sidecar.memory.capture.model import (
    CaptureShown,
    CaptureState,
    MemoryCaptureParams,
    MemoryCaptureResult,
)
from sidecar.memory.store import captures
from sidecar.method import Lane, method

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
