"""`memory/capture`, and the capture part of `memory/status`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

import apsw

from sidecar.call import Call
from sidecar.core.clock import epoch_ms, rfc3339
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory.call_scope import memory_context
from sidecar.memory.capture.capture_session import CaptureContext, CaptureResult, capture_session_summary
from sidecar.memory.capture.session_summary import (
    ErrorEvent,
    NearMissReason,
    Note,
    SessionSummary,
    Utterance,
    session_source,
)
from sidecar.memory.model import (
    CaptureState,
    CaptureSummary,
    DropCount,
    MemoryCaptureParams,
    MemoryCaptureResult,
    NearMiss,
    NearMissCount,
    SessionSummaryInput,
)
from sidecar.memory.serialize import project_path
from sidecar.memory.store import captures
from sidecar.method import Lane, method


def to_session_summary(
    session: str, source: str, sent: SessionSummaryInput | None, text: str | None, now_ms: int
) -> SessionSummary:
    """Convert what a host sent to a session summary; items without a time are of now."""
    utterances = [Utterance(item.author, item.text, _ms(item.at, now_ms)) for item in sent.messages] if sent else []
    utterances += [Utterance("assistant", text, now_ms)] if text else []
    errors = [ErrorEvent(item.text, item.resolution, _ms(item.at, now_ms)) for item in sent.errors] if sent else []
    notes = [
        Note(
            item.type, item.title, item.text, item.author or "", _ms(item.at, now_ms), item.confidence, tuple(item.tags)
        )
        for item in (sent.entries if sent else [])
    ]
    return SessionSummary(session, source, tuple(utterances), tuple(errors), tuple(notes))


def to_capture_result(result: CaptureResult) -> MemoryCaptureResult:
    """Convert a capture's outcome to its wire result."""
    return MemoryCaptureResult(
        added=list(result.new),
        repeated=list(result.repeated),
        contradicted=list(result.contradicted),
        suppressed=result.suppressed,
        dropped=drop_counts(result.dropped),
        paths=[project_path(path) for path in result.paths],
    )


def drop_counts(counts: Mapping[str, int]) -> list[DropCount]:
    """Return the drop reasons in order with their counts."""
    sorted_counts: list[tuple[Any, int]] = sorted((reason, count) for reason, count in counts.items() if count)
    return [DropCount(reason=reason, count=count) for reason, count in sorted_counts]


def _ms(at: datetime | None, now_ms: int) -> int:
    return now_ms if at is None else epoch_ms(at)


DROPPED, NEAR_MISSES = "dropped.", "nearMisses."
"""Prefixes of totals, before the reason."""


def capture(call: Call, params: MemoryCaptureParams) -> MemoryCaptureResult:
    """Store what a session leaves: decisions, corrections of the user, resolved errors, proven patterns.

    Each becomes a short entry of the session's file of the day, with author, time and original wording. Known content
    counts as evidence, content the user deleted stays deleted, junk is dropped and counted.
    """
    ctx = memory_context(call, params)
    context = CaptureContext(call.process, ctx.workspace, ctx.reach, "request", params.automatic)
    if params.summary is None and params.text is None:
        raise InvalidParams("The capture is empty.", hint="Send `summary`, `text`, or both.")
    content = params.model_dump(mode="json", include={"summary", "text"})
    source = params.source_id or session_source(params.session_id, short_id(content))
    summary = to_session_summary(params.session_id, source, params.summary, params.text, call.now_ms())
    return to_capture_result(capture_session_summary(context, summary))


def capture_state(tx: apsw.Connection, project: str, owners: Sequence[str]) -> CaptureState:
    """Return capture totals within reach."""
    totals: Counter[str] = Counter(captures.totals(tx, project, owners))
    last = captures.last_captures(tx, project, owners, 1)
    dropped = {name.removeprefix(DROPPED): count for name, count in totals.items() if name.startswith(DROPPED)}
    return CaptureState(
        last=_capture_summary(last[0]) if last else None,
        captures=totals["captures"],
        added=totals["added"],
        repeated=totals["repeated"],
        suppressed=totals["suppressed"],
        dropped=drop_counts(dropped),
        waiting=captures.count_pending(tx, project),
        near_misses=[
            NearMissCount(reason=reason, count=totals[NEAR_MISSES + reason])
            for reason in get_args(NearMissReason)
            if totals[NEAR_MISSES + reason]
        ],
    )


def last_near_misses(tx: apsw.Connection, project: str, now_ms: int) -> list[NearMiss]:
    """Return the last near misses of a project, newest first."""
    return [
        NearMiss.model_validate(
            {"at": rfc3339(record.at_ms), "reason": record.reason, "score": record.score, "text": record.text}
        )
        for record in captures.last_near_misses(tx, project, now_ms)
    ]


def _capture_summary(record: captures.CaptureRecord) -> CaptureSummary:
    return CaptureSummary.model_validate(
        {
            "at": rfc3339(record.at_ms), "sessionId": record.session, "origin": record.origin, "added": record.added,
            "repeated": record.repeated, "suppressed": record.suppressed, "dropped": drop_counts(record.dropped),
        }
    )  # fmt: skip


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy, InvalidParams)

METHODS = (method("memory/capture", capture, lane=Lane.WORKSPACE, errors=_ERRORS),)
