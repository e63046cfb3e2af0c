"""`context/preCompact`: what a session knows is kept before its window is compacted."""

import os

from sidecar.call import Call
from sidecar.context import store
from sidecar.context.model import ContextPreCompactParams, ContextPreCompactResult
from sidecar.context.project.project_files import SESSION, gather
from sidecar.context.recovery import continuation
from sidecar.context.recovery.resume_point import Halt, masked, saved_values
from sidecar.core.digests import short_id
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, SidecarError, StateDegraded, WorkspaceUnavailable
from sidecar.memory import (
    Asking,
    Captured,
    Digest,
    MemoryCaptureResult,
    Reach,
    answer_of,
    capture_digest,
    digest_of,
    heard_until,
    preload,
    reach_of,
    source_within,
    told_in,
)
from sidecar.method import Lane, method
from sidecar.session import save
from sidecar.transcripts.tail import recent
from sidecar.workspace import Workspace


def pre_compact(call: Call, params: ContextPreCompactParams) -> ContextPreCompactResult:
    """Keeps what a session knows before its window is compacted; `context/postCompact` lets it go on from there.

    1. The session's digest is captured: what waits of its runs, what the transcript tells since then, what the host
    sends. 2. HOT and WARM memories are files already; with the digest written nothing of them is in memory or waits
    in our own state. 3. Where the session stands is stored in our state, and in `.chati/session.yaml` where there is
    one, whose other bytes stay. The compaction is counted here and not once more afterwards. Told twice it is done
    once, and after a crash the next call finishes it. Unless the mode is active nothing is written into the project,
    and what would have been captured is counted as withheld.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    workspace.require()
    with call.database.read() as tx:
        reach = reach_of(tx, call.process, workspace.project_key, params.token)
    halt = _halted(call, workspace, params)
    if halt.answer is not None:
        return ContextPreCompactResult.model_validate({**halt.answer, "duplicate": True})
    sources = gather(workspace.project, workspace.cwd, params.agent)
    counted = continuation.count_compaction(call, workspace, params.session_id, halt.compaction_id, sources)
    warnings: list[str] = []
    captured = _captured(call, workspace, params, reach, halt, warnings)
    is_saved = _saved(call, workspace, halt, counted.compactions, warnings)
    answer = ContextPreCompactResult(
        compaction_id=halt.compaction_id,
        captured=captured,
        hot=preload(call, workspace, params.token, "hot").total,
        warm=preload(call, workspace, params.token, "warm").total,
        saved=is_saved,
        compactions=counted.compactions,
        warnings=warnings,
        duplicate=False,
    )
    _keep(call, workspace, params.session_id, halt, answer)
    return answer


def _halted(call: Call, workspace: Workspace, params: ContextPreCompactParams) -> Halt:
    """Stores where the session stands, once; a call that is repeated goes on with what the first one stored."""
    compaction_id = params.compaction_id or _named_by(params.transcript_path)
    heard_until_ms = heard_until(call.process, workspace, params.session_id)
    with call.database.write() as tx:
        known = store.halt_of(tx, workspace.project_key, params.session_id)
        if known is not None and known.compaction_id == compaction_id:
            return known
        pending = None if params.pending_decisions is None else tuple(params.pending_decisions)
        told = params.agent, params.mode, params.task, params.progress, pending
        halt = masked(Halt(compaction_id, call.now_ms(), heard_until_ms, *told))
        store.put_halt(tx, workspace.project_key, params.session_id, halt, call.now_ms())
    return halt


def _named_by(transcript_path: str | None) -> str:
    """Names a compaction by how long the transcript is when it happens."""
    try:
        size = os.stat(transcript_path).st_size if transcript_path is not None else None
    except (OSError, ValueError):
        size = None
    if size is None:
        raise InvalidParams(
            "What tells this compaction from the others was not said.",
            hint="Send `compactionId`, or a `transcriptPath` that is there.",
        )
    return f"at-{size}"


def _captured(
    call: Call, workspace: Workspace, params: ContextPreCompactParams, reach: Reach, halt: Halt, warnings: list[str]
) -> MemoryCaptureResult | None:
    """Captures the session's digest; None, with a warning, where that cannot be done now."""
    asking = Asking(call.process, workspace, reach, "preCompact", automatic=True)
    try:
        done = capture_digest(asking, _digest(params, halt, warnings))
    except (PolicyDenied, StateDegraded, WorkspaceUnavailable, Busy) as error:
        warnings.append(f"The session's digest is not captured: {error.message}")
        return None
    _note_memories(call, workspace, params.session_id, halt, done)
    return answer_of(done)


def _digest(params: ContextPreCompactParams, halt: Halt, warnings: list[str]) -> Digest:
    """Puts together what the transcript tells since the session was last heard, and what the host sends."""
    source = params.run_id or source_within(params.session_id, f"{halt.compaction_id}:{short_id(halt.at_ms)}")
    digest = digest_of(params.session_id, source, params.digest, params.text, halt.at_ms)
    if params.transcript_path is None:
        return digest
    found = recent(params.transcript_path, halt.heard_until_ms)
    if found is None:
        warnings.append("The transcript cannot be read, so only what was sent is captured.")
        return digest
    told = told_in(found.lines, halt.heard_until_ms)
    return digest._replace(said=told.said + digest.said, troubles=told.troubles + digest.troubles)


def _note_memories(call: Call, workspace: Workspace, session_id: str, halt: Halt, done: Captured) -> None:
    """Keeps which memories were captured, also for a call that has to finish what this one began."""
    ids = tuple(dict.fromkeys((*halt.memories, *done.new, *done.repeated)))
    if ids != halt.memories:
        with call.database.write() as tx:
            store.put_halt(tx, workspace.project_key, session_id, halt._replace(memories=ids), call.now_ms())


def _saved(call: Call, workspace: Workspace, halt: Halt, compactions: int, warnings: list[str]) -> bool:
    """Stores where the session stands in the project's own session file, if there is one and the mode is active."""
    if call.process.settings(workspace.project_key).mode != "active":
        return False
    problem = save(workspace.project, saved_values(halt, compactions))
    if problem:
        warnings.append(problem)
    return not problem and os.path.isfile(os.path.join(workspace.project, SESSION))


def _keep(call: Call, workspace: Workspace, session_id: str, halt: Halt, answer: ContextPreCompactResult) -> None:
    """Keeps the answer once all is done; where the digest could not be captured, the next call tries again."""
    if answer.captured is None:
        return
    with call.database.write() as tx:
        now = store.halt_of(tx, workspace.project_key, session_id)
        if now is not None and now.compaction_id == halt.compaction_id:
            kept = now._replace(answer=answer.model_dump(mode="json", by_alias=True))
            store.put_halt(tx, workspace.project_key, session_id, kept, call.now_ms())


_ERRORS: tuple[type[SidecarError], ...] = (WorkspaceUnavailable, PolicyDenied, StateDegraded, Busy, InvalidParams)

METHODS = (method("context/preCompact", pre_compact, lane=Lane.WORKSPACE, errors=_ERRORS),)
