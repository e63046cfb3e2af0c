"""`continuity/postRun`: understand the run, then keep everything of it in one transaction."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.call import Call
from sidecar.capture.artifacts.committing import commit_later
from sidecar.capture.delivering import forget_lost, settle_delivery
from sidecar.capture.drafting.drafts import keep_drafts
from sidecar.capture.drafting.rejections import RUNS
from sidecar.capture.finished import Finished
from sidecar.capture.governing import govern
from sidecar.capture.keeping import keep_run
from sidecar.capture.measuring import had_before
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.capture.reading.compaction import Loss, loss_by_prompt
from sidecar.capture.reading.direction import Kept
from sidecar.capture.reading.observed import observe
from sidecar.capture.reading.observed_contracts import touched_boundaries
from sidecar.capture.reading.observed_lines import lines_left
from sidecar.capture.reading.parts import Failure, work_of
from sidecar.capture.reading.told_errors import failures_in
from sidecar.capture.reading.transcript import Recent, compacted_since, recent
from sidecar.capture.testing.outcomes import outcomes_of
from sidecar.capture.testing.records import keep_tests
from sidecar.core.secrets.redact import redact
from sidecar.governor import keep_snapshot
from sidecar.governor.model import GovernorWord
from sidecar.runs import CallRecord, SubChat, is_deleted, records
from sidecar.runs.model import ArtifactReference

_NOT_KEPT = PostRunResult(accepted=False, duplicate=False, artifacts=[], governor=GovernorWord(action="ok", reasons=[]))

STOOD = ("head", "changed", "lines", "toldHead")
"""What a pre-run keeps of the worktree."""


def run(call: Call, params: PostRunParams) -> PostRunResult:
    """Keeps a run that ended; the same run id again gives the same answer and changes nothing."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off":
        return _NOT_KEPT
    with call.database.read() as tx:
        known = records.run_result(tx, params.run_id)
        asked = _pre_run(tx, params)
        earlier = records.lines_left(tx, params.sub_chat_id, RUNS)
        deleted = _is_deleted(tx, params)
    if known is not None:
        return _again(known)
    if deleted:
        return _NOT_KEPT
    parts = params.assistant.parts if params.assistant else []
    told = _transcript(call, params)
    work = work_of(parts, _failures(params, told))
    before = asked if asked is not None and not asked.record.get("passedThrough") else None
    observed = observe(call, workspace, params.cwd, work, asked.record if asked else None)
    loss, now_ms = _loss(params, told, asked), call.now_ms()
    one = Finished(
        call, params, workspace, settings, work, outcomes_of(work.commands, params.cwd), before, observed, loss, now_ms
    )
    left = {path: Kept(frozenset(marks), digest) for path, (digest, marks) in earlier.items()}
    one.lines = lines_left(call, workspace, observed, before, left)
    if params.outcome == "completed":
        one.boundaries = touched_boundaries(call, workspace, observed, one.start_head, settings["capture.boundaries"])
    with call.database.write() as tx:
        known = records.run_result(tx, params.run_id)
        if known is None and _is_deleted(tx, params):  # meanwhile
            return _NOT_KEPT
        result = _again(known) if known is not None else _keep(tx, one)
    call.process.after_run(call.process, workspace, params.sub_chat_id)
    commit_later(call.process, workspace, settings)
    from sidecar.memory import tend_later  # loaded behind what the way to a first answer needs

    tend_later(call.process, workspace)
    return result


def _is_deleted(tx: apsw.Connection, params: PostRunParams) -> bool:
    return is_deleted(tx, params.sub_chat_id, (params.session.before, params.session.after))


def _pre_run(tx: apsw.Connection, params: PostRunParams) -> CallRecord | None:
    """Gives the run's own pre-run, one that passed through last; a token of another run says nothing of this one."""
    by_token = records.call_of_token(tx, params.delivery_token) if params.delivery_token else None
    called = [call for call in (by_token, records.call_of_run(tx, params.run_id)) if call is not None]
    for found in sorted(called, key=lambda call: bool(call.record.get("passedThrough"))):
        if (found.run_id, found.sub_chat_id, found.provider) == (
            params.run_id,
            params.sub_chat_id,
            params.provider,
        ):
            return _as_begun(tx, found)
    return None


def _as_begun(tx: apsw.Connection, found: CallRecord) -> CallRecord:
    """Gives a run's pre-run with the worktree as the run's first one saw it: a run that is compacted has two."""
    first = records.first_call_of_run(tx, found.run_id)
    if first is None or first.delivery_token == found.delivery_token or first.record.get("passedThrough"):
        return found
    stood = {name: first.record[name] for name in STOOD if name in first.record}
    return found._replace(record={**found.record, **stood})


def _transcript(call: Call, params: PostRunParams) -> Recent | None:
    """The provider's transcript of the run, where the host says where it is; one of a run that never began has none."""
    if params.transcript_path is None or params.outcome == "notStarted":
        return None
    found = recent(params.transcript_path, _began_ms(params))
    if found is None:
        call.log.warning("capture.transcript.unreadable")
    return found


def _failures(params: PostRunParams, told: Recent | None) -> list[Failure]:
    """The failed tool calls the host tells of, and those of the message's parts that only the transcript does."""
    errors = [
        Failure(error.tool_call_id, error.text, error.exit_code, error.tool_name) for error in params.tool_errors or []
    ]
    known = {error.tool_call_id for error in errors}
    called = {str(part.get("toolCallId")) for part in params.assistant.parts} if params.assistant else set()
    found = failures_in(told.lines, _began_ms(params)) if told is not None else []
    return errors + [one for one in found if one.tool_call_id in called and one.tool_call_id not in known]


def _began_ms(params: PostRunParams) -> int:
    return int(params.started_at.timestamp() * 1000)


def _loss(params: PostRunParams, told: Recent | None, asked: CallRecord | None) -> Loss:
    """What the run's session has lost. A run that never began lost nothing; how another one ended makes no odds.

    Nor did a run lose what it was given after its compaction.
    """
    if params.outcome == "notStarted":
        return Loss.NOTHING
    loss = loss_by_prompt(params.prompt)
    if loss is not Loss.NOTHING or told is None:
        return loss
    since_ms = _began_ms(params)
    if asked is not None and asked.delivery_token == params.delivery_token:
        since_ms = max(since_ms, asked.created_at_ms)
    return Loss.TRANSCRIPT if compacted_since(told, since_ms) else Loss.NOTHING


def _again(known: dict[str, Any]) -> PostRunResult:
    return PostRunResult.model_validate({**known, "duplicate": True})


def _keep(tx: apsw.Connection, one: Finished) -> PostRunResult:
    state = records.sub_chat(tx, one.params.sub_chat_id)
    red_before = records.failing_tests(tx, one.workspace.key)
    tests = keep_tests(tx, one)
    had = had_before(tx, one)
    settle_delivery(tx, one)
    from sidecar.capture.remembering import leave_for_memory

    leave_for_memory(tx, one, tests, red_before)
    forget_lost(tx, one)
    steps = _todos(one, state)
    drafted = keep_drafts(tx, one, state, steps, tests)
    state = state._replace(todos=steps, plan=one.plan or state.plan)
    word, state = govern(one, state)
    records.put_sub_chat(tx, one.params.sub_chat_id, one.workspace.project_key, one.workspace.key, state, one.now_ms)
    result = PostRunResult(
        accepted=True,
        duplicate=False,
        artifacts=[
            ArtifactReference(id=artifact.id, type=artifact.type, status=artifact.status) for artifact in drafted
        ],
        governor=GovernorWord(action=word.action, reasons=list(word.reasons)),
    )
    keep_run(tx, one, state, result, word, had, drafted)
    if word.action != "ok":
        keep_snapshot(tx, one.params.sub_chat_id, one.params.run_id, word.reasons, one.now_ms)
    return result


def _todos(one: Finished, state: SubChat) -> tuple[tuple[str, str], ...]:
    if one.params.todos is not None:
        return tuple((redact(todo.content), todo.status) for todo in one.params.todos)
    if one.work.todos is not None:
        return tuple((redact(content), status) for content, status in one.work.todos)
    return state.todos
