"""The record of a run that ended, and what is counted of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from sidecar.capture.finished import Finished
from sidecar.capture.measuring import measured
from sidecar.capture.model import PostRunResult
from sidecar.capture.reading.change import Change
from sidecar.core.secrets.redact import redact
from sidecar.governor import Word
from sidecar.metrics import count_call, labelled, roll_up
from sidecar.runs import Artifact, Item, SubChat, forget_old, records, telling

LOOKED_AT_CHARACTERS = 20_000
KEPT_CHARACTERS = 2_000
"""Of what an agent said last so much is kept of its beginning, and as much of its end."""


def kept_conclusion(text: str) -> str:
    """Gives of a conclusion what is kept: how it begins and how it ends, its secrets masked."""
    is_long = len(text) > 2 * LOOKED_AT_CHARACTERS
    told = redact(f"{text[:LOOKED_AT_CHARACTERS]}\n{text[-LOOKED_AT_CHARACTERS:]}" if is_long else text)
    if len(told) <= 2 * KEPT_CHARACTERS:
        return told
    return f"{told[:KEPT_CHARACTERS].rstrip()}\n…\n{told[-KEPT_CHARACTERS:].lstrip()}"


def _touched(one: Finished, change: Change) -> list[Any]:
    """A changed file with its counts and, where they are known, the marks of the lines that are left of this work."""
    kept = one.lines.kept.get(change.path)
    return [*change, *((kept.digest, sorted(kept.lines)) if kept is not None else ())]


def keep_run(
    tx: apsw.Connection,
    one: Finished,
    state: SubChat,
    result: PostRunResult,
    word: Word,
    had: Mapping[str, Item],
    drafted: Sequence[Artifact],
) -> None:
    """Writes the run's row with the answer it was given, and counts it; `had` is what its session had before.

    Of the artifacts it `drafted` those count that are new: a draft that goes on was counted when it began.
    """
    params, worth = one.params, measured(tx, one, had)
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
            "objective": state.task.objective if state.task else "",
            "conclusion": kept_conclusion(one.conclusion),
            "touched": [_touched(one, change) for change in one.observed.changes],
            "usage": params.usage.model_dump(mode="json", by_alias=True) if params.usage else None,
            "worth": worth.record,
            "result": result.model_dump(mode="json", by_alias=True),
            "started_at_ms": int(params.started_at.timestamp() * 1000),
            "finished_at_ms": int(params.finished_at.timestamp() * 1000),
            "recorded_at_ms": one.now_ms,
        },
    )
    telling.name_project(tx, one.workspace.project_key, redact(one.workspace.project.name))
    new = sum(artifact.created_at_ms == one.now_ms for artifact in drafted)
    usage = params.usage.model_dump(exclude_none=True, by_alias=True) if params.usage else {}
    count_call(
        tx, one.workspace.project_key, params.provider, shadow=one.is_shadow, now_ms=one.now_ms,
        measures={
            "runs": 1, f"outcome.{params.outcome}": 1, "drafts": new, **usage, **worth.measures,
            **(_governed(word) if one.reached else {}),
        },
    )  # fmt: skip
    roll_up(tx, one.now_ms)
    forget_old(tx, one.now_ms, int(one.call.process.settings("")["retention.days"]))


def _governed(word: Word) -> dict[str, float]:
    """Counts the governor's word and what made it."""
    return {
        labelled("governor", action=word.action): 1.0,
        **{labelled("governor.cause", cause=cause): 1.0 for cause in word.causes},
        **({labelled("governor.withheld", action=word.withheld): 1.0} if word.withheld else {}),
    }
