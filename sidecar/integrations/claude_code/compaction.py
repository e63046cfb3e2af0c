"""A session's start and compaction: what is saved before, and what the session receives after."""

import os

from sidecar.call import Call
from sidecar.core.errors import SidecarError
from sidecar.integrations.location import Location
from sidecar.packs.methods import session_event
from sidecar.packs.model import SessionEventParams

START_SOURCES = ("startup", "resume", "clear")


def save_before_compaction(
    call: Call, location: Location, session_id: str, sub_chat_id: str, transcript_path: str
) -> None:
    """Save the session's state before its compaction; from then on nothing counts as delivered to it."""
    from sidecar.context.model import ContextPreCompactParams
    from sidecar.context.recovery.pre_compact import pre_compact

    existing_path = transcript_path if os.path.isfile(transcript_path) else None
    compaction_id = None if existing_path is not None else f"at-{call.now_ms()}"
    params = ContextPreCompactParams(
        cwd=location.cwd,
        project_path=location.project,
        session_id=session_id,
        compaction_id=compaction_id,
        transcript_path=existing_path,
    )
    event = SessionEventParams(
        event="compacted", cwd=location.cwd, sub_chat_id=sub_chat_id, provider="claude", session_id=session_id
    )
    session_event(call, event)
    pre_compact(call, params)


def session_start_texts(call: Call, location: Location, session_id: str, source: str) -> list[str]:
    """Return the texts for a session's start: the recovery after a compaction, else the block of its session lock."""
    if source == "compact":
        return _after_compaction(call, location, session_id)
    if source in START_SOURCES and _has_active_lock(call, location):
        return [_block(call, location, resumed=source == "resume")]
    return []


def _after_compaction(call: Call, location: Location, session_id: str) -> list[str]:
    from sidecar.context.model import ContextPostCompactParams
    from sidecar.context.recovery.post_compact import post_compact

    params = ContextPostCompactParams(cwd=location.cwd, project_path=location.project, session_id=session_id)
    try:
        result = post_compact(call, params)
    except SidecarError as error:
        call.log.warning("hook.postCompact.failed", kind=error.kind)
        return []
    if _has_active_lock(call, location):
        return [result.prompt, result.context.block]
    # Without a session lock there is no pipeline state, and Claude Code has its own summary.
    return [result.context.block] if result.context.data.memory is not None else []


def _has_active_lock(call: Call, location: Location) -> bool:
    from sidecar.session.methods import status
    from sidecar.session.model import SessionStatusParams

    return status(call, SessionStatusParams(cwd=location.cwd, project_path=location.project)).session.status == "active"


def _block(call: Call, location: Location, *, resumed: bool) -> str:
    from sidecar.context.methods import compose_block
    from sidecar.context.model import ContextComposeParams

    params = ContextComposeParams(cwd=location.cwd, project_path=location.project, bracket="FRESH", resumed=resumed)
    return compose_block(call, params).block
