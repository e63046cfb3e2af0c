"""`continuity/postRun`: understand the run, then keep everything of it in one transaction."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.call import Call
from sidecar.capture.artifacts.memory_branch import commit_later
from sidecar.capture.delivery import forget_lost, settle_delivery
from sidecar.capture.drafts.rejected_approach import RUNS
from sidecar.capture.effects.boundaries import touched_boundaries
from sidecar.capture.effects.direction_change import Kept, lines_left
from sidecar.capture.effects.session_loss import Loss, Recent, compacted_since, loss_by_prompt, recent
from sidecar.capture.effects.tool_parts import Failure, work_of
from sidecar.capture.effects.transcript_errors import failures_in
from sidecar.capture.effects.worktree_changes import observe
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.capture.pack_metrics import had_before
from sidecar.capture.record import keep_drafts, keep_run, keep_tests
from sidecar.capture.run import Finished
from sidecar.capture.test_results.runner_output import outcomes_of
from sidecar.context import Bracket, Standing, standing_of
from sidecar.core.secrets.redact import redact
from sidecar.governor import (
    RunPressure,
    Word,
    after_compaction,
    after_refusal,
    after_run,
    after_snapshot,
    after_turnover,
    in_session,
    is_renewed,
    judged,
    keep_snapshot,
)
from sidecar.governor.model import GovernorWord
from sidecar.runs import CallRecord, Counters, SubChat, is_deleted, records
from sidecar.runs.model import ArtifactReference

# Counts a run for the governor, asks it, and keeps the structured state where it says so.


def govern(one: Finished, state: SubChat) -> tuple[Word, SubChat]:
    """Counts the run, and asks the governor; what the session lost in the run puts no more pressure on it."""
    if not one.reached:
        return Word("ok", ()), state
    renewed = _is_renewed(one, state.counters)
    counters = after_run(_begun(one, state.counters, renewed=renewed), _pressure(one, renewed=renewed))
    counters = _after_loss(one, counters)
    word = judged(counters, one.settings, shadow=one.is_shadow)
    if word.action != "ok":
        counters = after_snapshot(counters, one.now_ms)
    return word, state._replace(counters=counters)


def _asked_fresh(one: Finished) -> bool:
    return one.given is not None and bool(one.given.record.get("fresh"))


def _is_renewed(one: Finished, counters: Counters) -> bool:
    session = one.params.session
    return session.after is not None and is_renewed(
        counters, session.before, session.after, asked_fresh=_asked_fresh(one)
    )


def _begun(one: Finished, counters: Counters, *, renewed: bool) -> Counters:
    """The counters of the session the run was in: none of them where that began with the run."""
    after = one.params.session.after
    if after is None:
        return counters
    if renewed:
        counters = after_turnover(counters, one.now_ms)
    elif _asked_fresh(one):
        counters = after_refusal(counters)
    return in_session(counters, after)


def _bracket(one: Finished, *, renewed: bool) -> Bracket | None:
    """How full the run's window was, as the host told; what it told before a turnover was of the one that was left."""
    if one.before is None or (renewed and _asked_fresh(one)):
        return None
    told: Bracket | None = one.before.record.get("bracket")
    return told


def _pressure(one: Finished, *, renewed: bool) -> RunPressure:
    given, standing = one.given.record if one.given is not None else None, _standing(one)
    return RunPressure(
        now_ms=one.now_ms,
        run_ms=one.run_ms,
        diff_lines=one.observed.diff_lines,
        committed_lines=one.observed.committed_lines,
        touched_lines=one.observed.touched_lines,
        grown_lines=one.observed.grown_lines,
        injected_bytes=int(given["metadata"]["wouldInjectBytes"]) if given is not None else 0,
        files=tuple(given["files"]) if given is not None else (),
        bracket=_bracket(one, renewed=renewed),
        score=standing.score,
        agent=standing.agent,
        next_agent_pending=standing.next_agent_pending,
        shadow=one.is_shadow,
    )


def _standing(one: Finished) -> Standing:
    """Where the agent stands among others: as the host tells, else as the project's session file says."""
    pipeline = one.params.pipeline
    if pipeline is not None:
        return Standing("", pipeline.score, pipeline.next_agent_pending)
    return standing_of(one.workspace.project, one.workspace.cwd, int(one.params.started_at.timestamp() * 1000))


def _after_loss(one: Finished, counters: Counters) -> Counters:
    if one.loss is Loss.SESSION:
        return after_turnover(counters, one.now_ms)
    started_ms = int(one.params.started_at.timestamp() * 1000)
    was_told = counters.compacted_at_ms is not None and counters.compacted_at_ms > started_ms
    if one.loss is Loss.TRANSCRIPT and not was_told:
        return after_compaction(counters, one.now_ms)
    return counters


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
    from sidecar.capture.memory_handoff import leave_for_memory

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
