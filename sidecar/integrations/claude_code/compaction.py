"""Across a session's compaction and its start: what is kept before, and what it goes on with."""

import os

from sidecar.call import Call
from sidecar.core.errors import SidecarError
from sidecar.integrations.location import Place
from sidecar.packs.methods import session_event
from sidecar.packs.model import SessionEventParams

BEGINNINGS = ("startup", "resume", "clear")


def keep(call: Call, place: Place, session_id: str, sub_chat_id: str, transcript_path: str) -> None:
    """Keeps what a session knows before it is compacted; from then on it counts as one that was told nothing."""
    from sidecar.context.model import ContextPreCompactParams
    from sidecar.context.recovery.pre_compact import pre_compact

    known = transcript_path if os.path.isfile(transcript_path) else None
    compaction_id = None if known is not None else f"at-{call.now_ms()}"
    told = ContextPreCompactParams(
        cwd=place.cwd,
        project_path=place.project,
        session_id=session_id,
        compaction_id=compaction_id,
        transcript_path=known,
    )
    event = SessionEventParams(
        event="compacted", cwd=place.cwd, sub_chat_id=sub_chat_id, provider="claude", session_id=session_id
    )
    session_event(call, event)
    pre_compact(call, told)


def begin(call: Call, place: Place, session_id: str, source: str) -> list[str]:
    """Gives what a session begins with: after a compaction how it goes on, else what its session lock tells."""
    if source == "compact":
        return _after_compaction(call, place, session_id)
    if source in BEGINNINGS and _is_locked(call, place):
        return [_block(call, place, resumed=source == "resume")]
    return []


def _after_compaction(call: Call, place: Place, session_id: str) -> list[str]:
    from sidecar.context.model import ContextPostCompactParams
    from sidecar.context.recovery.post_compact import post_compact

    told = ContextPostCompactParams(cwd=place.cwd, project_path=place.project, session_id=session_id)
    try:
        result = post_compact(call, told)
    except SidecarError as error:
        call.log.warning("hook.postCompact.failed", kind=error.kind)
        return []
    if _is_locked(call, place):
        return [result.prompt, result.context.block]
    # Without a session lock nobody said where the session stands, and Claude Code keeps a summary of its own.
    return [result.context.block] if result.context.data.memory is not None else []


def _is_locked(call: Call, place: Place) -> bool:
    from sidecar.session.methods import status
    from sidecar.session.model import SessionStatusParams

    return status(call, SessionStatusParams(cwd=place.cwd, project_path=place.project)).session.status == "active"


def _block(call: Call, place: Place, *, resumed: bool) -> str:
    from sidecar.context.methods import compose_block
    from sidecar.context.model import ContextComposeParams

    wanted = ContextComposeParams(cwd=place.cwd, project_path=place.project, bracket="FRESH", resumed=resumed)
    return compose_block(call, wanted).block
