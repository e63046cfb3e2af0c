"""What a call leaves behind: its task, the pending delivery with what explains it, its measures."""

from typing import TYPE_CHECKING, Any

from sidecar.codebase import may_show
from sidecar.metrics import count_call
from sidecar.packs.compose import Composed
from sidecar.packs.context import gives_content
from sidecar.packs.gather import Gathered
from sidecar.packs.model import PreRunMetadata
from sidecar.packs.turn import Turn
from sidecar.runs import CallRecord, keys, ledger, records

if TYPE_CHECKING:
    import apsw


def keep_task(turn: Turn) -> None:
    """Keeps the task of a call that had to go without, so that a follow-up is known as one."""
    with turn.call.database.write(durable=False) as tx:
        _put_task(tx, turn, turn.call.now_ms())


def _put_task(tx: "apsw.Connection", turn: Turn, now_ms: int) -> None:
    state, workspace = turn.sub_chat._replace(task=turn.task), turn.workspace
    records.put_sub_chat(tx, turn.params.sub_chat_id, workspace.project_key, workspace.key, state, now_ms)


def record(
    turn: Turn, gathered: Gathered, composed: Composed, metadata: PreRunMetadata, token: str | None, reason: str | None
) -> None:
    """Keeps the task, the pending delivery, what explains it, and the measures, in one transaction."""
    params, now_ms = turn.params, turn.call.now_ms()
    with turn.call.database.write(durable=False) as tx:
        if turn.sub_chat.task != turn.task:
            _put_task(tx, turn, now_ms)
        if turn.sub_chat.counters.shadow and not turn.is_shadow:
            ledger.drop_shadow(tx, params.sub_chat_id)
        if token is not None:
            records.record_call(tx, _call_record(turn, gathered, composed, metadata, token, reason, now_ms))
        count_call(
            tx, turn.workspace.project_key, params.provider, shadow=turn.is_shadow, now_ms=now_ms,
            measures={
                "calls": 1, "cacheHits": int(metadata.cache_hit), "injectedBytes": metadata.injected_bytes,
                "wouldInjectBytes": metadata.would_inject_bytes, "reusedBytes": metadata.reused_bytes,
                "baselineBytes": metadata.baseline_bytes, "fileHits": metadata.file_hits,
                "fileMisses": metadata.file_misses, "elapsedMs": metadata.elapsed_ms, "partial": int(metadata.partial),
            },
        )  # fmt: skip


def _call_record(
    turn: Turn,
    gathered: Gathered,
    composed: Composed,
    metadata: PreRunMetadata,
    token: str,
    reason: str | None,
    now_ms: int,
) -> CallRecord:
    state = gathered.state
    head = state.head if state else None
    told_head = head if gathered.differences is not None else turn.known.head_commit or head
    record: dict[str, Any] = {
        "action": "passthrough" if reason else "inject",
        "reason": reason,
        "metadata": metadata.model_dump(mode="json", by_alias=True),
        "delivered": [list(item.as_delivery()) for item in composed.delivered if not item.every_time],
        "files": [keys.context_path(item.key) for item in composed.delivered if gives_content(item)],
        "pin": list(composed.anchor) if composed.anchor and composed.anchor_is_new else None,
        "fresh": turn.fresh,
        "items": [[item.key, item.kind, item.bytes, fate, item.why, dict(item.score)] for item, fate in composed.fates],
        "head": head,
        "toldHead": told_head,
        "changed": {
            file.path: keys.change_digest(file) for file in (state.changed if state else ()) if may_show(file.path)
        },
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
