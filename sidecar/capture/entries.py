"""Keeps the devlog entry of a task: drafted, grown from run to run, closed when it is due."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.capture.drafting import Draft, Tally, devlog, following, grown, totals
from sidecar.capture.finished import Finished
from sidecar.runs import Artifact, SubChat, artifacts
from sidecar.settings.resolve import Settings

HOUR_MS = 3_600_000


def keep_devlog(tx: apsw.Connection, one: Finished, state: SubChat) -> list[Artifact]:
    """Drafts a devlog entry when a completed run changed something.

    Runs of one task add to the same draft until it has grown to the capture threshold; then the next begins.
    """
    if one.params.outcome != "completed" or not one.observed.changes:
        return []
    fingerprint = state.task.fingerprint if state.task else None
    event_key = f"devlog:{one.params.sub_chat_id}:{fingerprint or ''}"
    since_ms = one.now_ms - int(one.settings["capture.dedupeHours"]) * HOUR_MS
    found = artifacts.of_event(tx, one.workspace.project_key, event_key, since_ms)
    open_one = found if found is not None and found.status == "draft" and found.provenance.get("open") else None
    tally = grown(_tally(found, is_open=open_one is not None), one.start_head, one.observed.changes)
    runs = [*(open_one.provenance["runs"] if open_one else []), one.params.run_id]
    due = _is_due(tally, one.settings)
    draft = _draft(one, state, tally, len(runs))
    artifact = Artifact(
        id=open_one.id if open_one else f"devlog-{one.call.process.new_id()[:12]}",
        project=one.workspace.project_key,
        type="devlog",
        status="draft",
        title=draft.title,
        body=draft.body,
        event="mergedDiff" if due else "filesChanged",
        event_key=event_key,
        provenance={
            **_provenance(one, fingerprint, tally),
            "tally": list(tally),
            "runs": runs,
            "open": not due,
        },
        created_at_ms=open_one.created_at_ms if open_one else one.now_ms,
        updated_at_ms=one.now_ms,
    )
    artifacts.put(tx, artifact)
    return [artifact]


def _tally(found: Artifact | None, *, is_open: bool) -> Tally:
    if found is None or "tally" not in found.provenance:
        return Tally(None, {}, {}, {})
    tally = Tally._make(found.provenance["tally"])
    return tally if is_open else following(tally)


def _draft(one: Finished, state: SubChat, tally: Tally, runs: int) -> Draft:
    return devlog(
        state.task.objective if state.task else one.params.prompt[:2_000],
        totals(tally),
        one.conclusion,
        _test_lines(one),
        runs,
    )


def _provenance(one: Finished, fingerprint: str | None, tally: Tally) -> dict[str, Any]:
    return {
        "runId": one.params.run_id,
        "subChatId": one.params.sub_chat_id,
        "provider": one.params.provider,
        "sessionId": one.params.session.after,
        "taskFingerprint": fingerprint,
        "headCommit": one.observed.state.head if one.observed.state else None,
        "files": [change.path for change in totals(tally)],
        "sidecarVersion": one.call.process.version,
    }


def _is_due(tally: Tally, settings: Settings) -> bool:
    changes = totals(tally)
    lines = sum(change.added + change.removed for change in changes)
    return lines >= int(settings["capture.changedLines"]) or len(changes) >= int(settings["capture.changedFiles"])


def _test_lines(one: Finished) -> list[str]:
    return [
        f"{outcome.runner}: failing: {', '.join(outcome.names[:5]) or 'see its output'}"
        if outcome.failed
        else f"{outcome.runner}: passing"
        for outcome in {outcome.runner: outcome for outcome in one.tests}.values()
    ]
