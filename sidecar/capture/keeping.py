"""The record of a run that ended, and what is counted of it."""

from __future__ import annotations

import apsw

from sidecar.capture.finished import Finished
from sidecar.capture.model import PostRunResult
from sidecar.metrics import count_call
from sidecar.runs import SubChat, records


def keep_run(tx: apsw.Connection, one: Finished, state: SubChat, result: PostRunResult) -> None:
    """Writes the run's row with the answer it was given, and counts it."""
    params = one.params
    records.record_run(
        tx,
        {
            "run_id": params.run_id,
            "sub_chat_id": params.sub_chat_id,
            "chat_id": params.chat_id,
            "project": one.workspace.project_key,
            "workspace": one.workspace.key,
            "provider": params.provider,
            "mode": params.mode,
            "outcome": params.outcome,
            "session_before": params.session.before,
            "session_after": params.session.after,
            "task_fingerprint": state.task.fingerprint if state.task else None,
            "head_commit": one.observed.state.head if one.observed.state else None,
            "touched": [list(change) for change in one.observed.changes],
            "usage": params.usage.model_dump(mode="json", by_alias=True) if params.usage else None,
            "result": result.model_dump(mode="json", by_alias=True),
            "started_at_ms": int(params.started_at.timestamp() * 1000),
            "finished_at_ms": int(params.finished_at.timestamp() * 1000),
            "recorded_at_ms": one.now_ms,
        },
    )
    usage = params.usage.model_dump(exclude_none=True, by_alias=True) if params.usage else {}
    count_call(
        tx, one.workspace.project_key, params.provider, shadow=one.is_shadow, now_ms=one.now_ms,
        measures={"runs": 1, f"outcome.{params.outcome}": 1, "drafts": len(result.artifacts), **usage},
    )  # fmt: skip
