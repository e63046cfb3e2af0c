"""What a call leaves behind: its task, the pending delivery with what explains it, its measures."""

from collections.abc import Iterable
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

from sidecar.call import Call, Process
from sidecar.codebase import RepositoryState, StateFailed, may_show, repository_of
from sidecar.core.errors import Busy, SidecarError, StateDegraded
from sidecar.core.text.sanitize import line_count, size
from sidecar.metrics import count_call, labelled, latency_bucket
from sidecar.packs.collect import Gathered
from sidecar.packs.composition import Composed, Fate
from sidecar.packs.context_pack import gives_content
from sidecar.packs.delta_files import Differences
from sidecar.packs.items import PackItem, Priority
from sidecar.packs.model import PreRunParams, PreRunResult
from sidecar.packs.request import Turn, reported_bracket
from sidecar.runs import CallRecord, keys, ledger, records
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    import apsw


# Where the worktree stood when a run began: its post-run tells by it what the run did.


def stood(state: RepositoryState | None) -> dict[str, Any]:
    """Gives the head, and a digest of each file that differs from it; None for both where the state is not known."""
    if state is None:
        return {"head": None, "changed": None}
    changed = {file.path: keys.change_digest(file) for file in state.changed if may_show(file.path)}
    return {"head": state.head, "changed": changed}


def standing(process: Process, workspace: Workspace, wait_ms: int) -> dict[str, Any]:
    """Gives the same if it is known within `wait_ms`: a prompt that passes through is not kept waiting for it."""
    repository = repository_of(workspace, process)
    found = repository.at_once()
    if found is not None:
        return stood(found[0])
    if not wait_ms:
        return stood(None)
    look = process.background.submit(repository.state)
    if not wait((look,), timeout=wait_ms / 1000).done or look.exception() is not None:
        return stood(None)
    return stood(look.result())


def stand_later(process: Process, workspace: Workspace, token: str) -> None:
    """Has it added to a call's record once it is known, where the call could not wait for it."""
    try:
        process.background.submit(_stand, process, workspace, token)
    except RuntimeError:
        process.log.warning("packs.standing.unknown", kind="ending")


def _stand(process: Process, workspace: Workspace, token: str) -> None:
    """The run has begun meanwhile: `late` says that what it wrote first may count as having been there."""
    try:
        state = repository_of(workspace, process).state()
        with process.database.write(durable=False, aside=True) as tx:
            records.add_to_call(tx, token, {**stood(state), "late": True})
    except (StateFailed, SidecarError, OSError) as error:
        process.log.warning("packs.standing.unknown", kind=type(error).__name__)


LOOK_MS = 150
"""How long a prompt that passes through waits to know where the worktree stands, milliseconds."""


def record_untouched(call: Call, params: PreRunParams, turn: Turn | None, result: PreRunResult, token: str) -> None:
    """Keeps why a prompt passed through; and the task of one that came too late, so that a follow-up is known as one.

    Such a record explains and delivers nothing; a post-run takes from it only where the worktree stood, if known.
    """
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    session = turn.session.session_id if turn is not None and turn.session is not None else None
    shadow, now_ms = turn is not None and turn.is_shadow, call.now_ms()
    anchor = result.system and PackItem(keys.ANCHOR, "anchor", Priority.ANCHOR, result.system.text, "", "stays pinned")
    record = {
        "action": result.action, "reason": result.reason, "passedThrough": True,
        "metadata": result.metadata.model_dump(mode="json", by_alias=True),
        "items": explained_items([(anchor, "alreadyDelivered")] if anchor else []),
        **standing(call.process, workspace, LOOK_MS if result.reason != "deadline" else 0),
    }  # fmt: skip
    blocks: dict[str, Any] = {
        "system": result.system.model_dump(by_alias=True) if result.system else None,
        "blocks": [],
    }
    kept = CallRecord(
        token, params.run_id, params.sub_chat_id, workspace.project_key, workspace.key, params.provider, session,
        shadow, "dropped", now_ms, record, blocks,
    )  # fmt: skip
    try:
        with call.database.write(durable=False, aside=result.reason != "deadline") as tx:
            if turn is not None and result.reason == "deadline":
                _put_task(tx, turn, now_ms)
            records.record_call(tx, kept)
            measures = {labelled("passedThrough", reason=result.reason or "unknown"): 1.0}
            if result.reason == "deadline":
                measures[latency_bucket(result.metadata.elapsed_ms)] = 1.0
            count_call(tx, workspace.project_key, params.provider, shadow=shadow, now_ms=now_ms, measures=measures)
        if record["changed"] is None:
            stand_later(call.process, workspace, token)
    except (StateDegraded, Busy) as error:  # the prompt passes through all the same
        call.log.warning("packs.untouched.unrecorded", kind=error.kind)


def _lines(differences: Differences | None) -> dict[str, int] | None:
    """The lines of each difference there is; None where they were not read."""
    if differences is None:
        return None
    new = {path: line_count(text) for path, text in differences.new_files.items()}
    return new | {path: diff.added + diff.removed for path, diff in differences.diffs.items()}


def explained_items(fates: Iterable[tuple[PackItem, Fate]]) -> list[list[Any]]:
    """Gives what is kept of each item to explain it."""
    return [[item.key, item.kind, item.bytes, fate, item.why, dict(item.score)] for item, fate in fates]


def _put_task(tx: "apsw.Connection", turn: Turn, now_ms: int) -> None:
    state, workspace = turn.sub_chat._replace(task=turn.task), turn.workspace
    records.put_sub_chat(tx, turn.params.sub_chat_id, workspace.project_key, workspace.key, state, now_ms)


def record(turn: Turn, gathered: Gathered, composed: Composed, result: PreRunResult, token: str) -> None:
    """Keeps the task, the pending delivery, what explains it, and the measures, in one transaction."""
    params, now_ms = turn.params, turn.call.now_ms()
    is_other_task = turn.sub_chat.task != turn.task
    ends_shadow = turn.sub_chat.counters.shadow and not turn.is_shadow
    with turn.call.database.write(durable=False, aside=not (is_other_task or ends_shadow)) as tx:
        if is_other_task:
            _put_task(tx, turn, now_ms)
        if ends_shadow:
            ledger.drop_shadow_sessions(tx, params.sub_chat_id)
        records.record_call(tx, _call_record(turn, gathered, composed, result, token, now_ms))
        project, provider = turn.workspace.project_key, params.provider
        count_call(tx, project, provider, shadow=turn.is_shadow, now_ms=now_ms, measures=_measured(turn, result))
    if gathered.state is None:
        stand_later(turn.call.process, turn.workspace, token)


def _measured(turn: Turn, result: PreRunResult) -> dict[str, float]:
    metadata, is_hit, goes_on = result.metadata, result.metadata.cache_hit, turn.session is not None
    bracket = reported_bracket(turn.params)
    return {
        "calls": 1, "cacheHits": is_hit, **({"followUps": 1} if goes_on else {}),
        **({"followUpHits": 1} if goes_on and is_hit else {}),
        "injectedBytes": metadata.injected_bytes, "wouldInjectBytes": metadata.would_inject_bytes,
        "reusedBytes": metadata.reused_bytes, "baselineBytes": metadata.baseline_bytes,
        "fileHits": metadata.file_hits, "fileMisses": metadata.file_misses,
        "elapsedMs": metadata.elapsed_ms, latency_bucket(metadata.elapsed_ms): 1, "partial": metadata.partial,
        **({labelled("bracket", bracket=bracket): 1} if bracket else {}),
    }  # fmt: skip


def _delivered(turn: Turn, composed: Composed) -> list[list[Any]]:
    """What the session will have; an anchor that stands in a transcript of Claude's is named, for it can be lost."""
    given = [list(item.as_delivery()) for item in composed.delivered if not item.every_time]
    if composed.anchor is None or not composed.anchor_is_new:
        return given
    if turn.sends_system_text or turn.params.provider != "claude":
        return given
    return [[keys.ANCHOR, composed.anchor.id, size(composed.anchor.text)], *given]


def _call_record(
    turn: Turn, gathered: Gathered, composed: Composed, result: PreRunResult, token: str, now_ms: int
) -> CallRecord:
    state = gathered.state
    head = state.head if state else None
    was_told = any(item.key == keys.HEAD and fate != "trimmed" for item, fate in composed.fates)
    told_head = head if gathered.differences is not None and was_told else turn.known.head_commit or head
    record: dict[str, Any] = {
        "action": result.action,
        "reason": result.reason,
        "metadata": result.metadata.model_dump(mode="json", by_alias=True),
        "delivered": _delivered(turn, composed),
        "files": [keys.context_path(item.key) for item in composed.delivered if gives_content(item)],
        "pin": list(composed.anchor) if composed.anchor and composed.anchor_is_new else None,
        "fresh": turn.fresh,
        "bracket": reported_bracket(turn.params),
        "items": explained_items(composed.fates),
        **stood(state),
        "toldHead": told_head,
        "lines": _lines(gathered.differences),
    }
    blocks: dict[str, Any] = {
        "system": composed.system.model_dump(by_alias=True) if composed.system else None,
        "blocks": [block.model_dump(by_alias=True) for block in composed.blocks],
    }
    params = turn.params
    return CallRecord(
        token, params.run_id, params.sub_chat_id, turn.workspace.project_key, turn.workspace.key, params.provider,
        turn.session.session_id if turn.session else None, turn.is_shadow, "pending", now_ms, record, blocks,
    )  # fmt: skip
