"""`continuity/postRun`: analyse the run, then store everything about it in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import apsw
import orjson

from sidecar.call import Call
from sidecar.capture.artifact_commits import commit_later
from sidecar.capture.effects.architectural_boundaries import touched_boundaries
from sidecar.capture.effects.run_activity import (
    Loss,
    RunActivity,
    TextEdit,
    ToolFailure,
    activity_of,
    compacted_since,
    loss_by_prompt,
    relative_to,
    transcript_errors,
)
from sidecar.capture.effects.run_changes import observe_effects
from sidecar.capture.effects.surviving_lines import surviving_lines
from sidecar.capture.finished_run import FinishedRun
from sidecar.capture.measure_outcome import measure_outcome
from sidecar.capture.model import NotesSpan, PostRunParams, PostRunResult, Remembered, Withdrawn
from sidecar.capture.pack_measures import items_before_run
from sidecar.capture.record_run_and_delivery import (
    confirm_delivery,
    drop_lost_deliveries,
    drop_printed_delivery,
    drop_rolled_back,
    record_run,
    store_drafts,
    store_test_verdicts,
)
from sidecar.capture.rejected_approach_draft import RUNS
from sidecar.capture.test_results import VerdictChange, outcomes_of
from sidecar.context import AgentProgress, Bracket, SessionRecord, agent_progress, load_session_record
from sidecar.core.clean_text import utf16_length
from sidecar.core.clock import epoch_ms
from sidecar.core.errors import InvalidParams
from sidecar.core.redact import redact
from sidecar.experiment.rollout import unit_of_chat
from sidecar.governor import (
    PressureDecision,
    RunPressure,
    after_compaction,
    after_new_session,
    after_refusal,
    after_request,
    after_snapshot,
    counters_after_run,
    evaluate_pressure,
    started_new_session,
    store_snapshot,
    with_session,
)
from sidecar.governor.model import GovernorDecision
from sidecar.language.notes_block import read_notes_block
from sidecar.runs import CallRecord, PressureCounters, SubChat, conversations, is_deleted, run_records
from sidecar.runs.model import ArtifactReference, FileLines
from sidecar.runs.pre_run_record import WorktreeBaseline, call_of_run, call_of_token, first_call_of_run
from sidecar.settings.resolve import Settings
from sidecar.transcripts.transcript_tail import TranscriptTail, read_tail
from sidecar.workspace import Workspace


def govern(tx: apsw.Connection, run: FinishedRun, state: SubChat) -> tuple[PressureDecision, SubChat]:
    """Count the run and evaluate the governor. What the session lost during the run no longer adds pressure."""
    if not run.reached_provider:
        return PressureDecision("ok"), state
    is_new_session = _is_new_session(run, state.counters)
    counters = counters_after_run(
        _counters_of_session(tx, run, state.counters, is_new_session=is_new_session),
        _pressure(run, is_new_session=is_new_session),
    )
    counters = _after_loss(run, counters)
    decision = evaluate_pressure(counters, run.settings, shadow=run.is_shadow)
    counters = after_request(counters, decision.causes)
    if decision.action != "ok":
        counters = after_snapshot(counters, run.now_ms)
    return decision, replace(state, counters=counters)


def _fresh_requested(run: FinishedRun) -> bool:
    return run.delivered_call is not None and run.delivered_call.details.is_fresh


def _is_new_session(run: FinishedRun, counters: PressureCounters) -> bool:
    session = run.params.session
    return session.after is not None and started_new_session(
        counters, session.before, session.after, fresh_requested=_fresh_requested(run)
    )


def _counters_of_session(
    tx: apsw.Connection, run: FinishedRun, counters: PressureCounters, *, is_new_session: bool
) -> PressureCounters:
    """Return the counters of the run's session.

    Those of a session that started with the run, or that the conversation returns to, are what other calls reported of
    it. A session that continues under an id nobody reported continues with its counters.
    """
    after = run.params.session.after
    if after is None:
        return counters
    if is_new_session:
        counters = after_new_session(counters, run.now_ms)
    elif _fresh_requested(run):
        counters = after_refusal(counters)
    stored = load_session_record(tx, run.workspace.project_key, after)
    if stored != SessionRecord():
        counters = replace(counters, session=stored)
    return with_session(counters, after)


def _bracket(run: FinishedRun, *, is_new_session: bool) -> Bracket | None:
    """Return the reported context-window bracket; None if it was the previous session's window."""
    if run.pre_run is None or (is_new_session and _fresh_requested(run)):
        return None
    return run.pre_run.details.bracket


def _pressure(run: FinishedRun, *, is_new_session: bool) -> RunPressure:
    delivered, agent = run.delivered_call.details if run.delivered_call is not None else None, _pipeline_position(run)
    return RunPressure(
        now_ms=run.now_ms,
        run_id=run.params.run_id,
        duration_ms=run.duration_ms,
        diff_lines=run.effects.diff_lines,
        committed_lines=run.effects.committed_lines,
        touched_lines=run.effects.touched_lines,
        grown_lines=run.effects.grown_lines,
        injected_bytes=delivered.metadata.would_inject_bytes if delivered is not None else 0,
        files=delivered.files if delivered is not None else (),
        bracket=_bracket(run, is_new_session=is_new_session),
        score=agent.score,
        agent=agent.agent,
        next_agent_pending=agent.next_agent_pending,
        shadow=run.is_shadow,
    )


def _pipeline_position(run: FinishedRun) -> AgentProgress:
    """Return the agent's position in the pipeline, from the host or else from the project's session file."""
    pipeline = run.params.pipeline
    if pipeline is not None:
        return AgentProgress("", pipeline.score, pipeline.next_agent_pending)
    return agent_progress(run.workspace.project, run.workspace.cwd, epoch_ms(run.params.started_at))


def _after_loss(run: FinishedRun, counters: PressureCounters) -> PressureCounters:
    if run.loss is Loss.SESSION:
        return after_new_session(counters, run.now_ms)
    started_ms = epoch_ms(run.params.started_at)
    was_reported = counters.compacted_at_ms is not None and counters.compacted_at_ms > started_ms
    if run.loss is Loss.TRANSCRIPT and not was_reported:
        return after_compaction(counters, run.now_ms)
    return counters


_NOT_ACCEPTED = PostRunResult(
    accepted=False, duplicate=False, artifacts=[], governor=GovernorDecision(action="ok", reasons=[])
)


def capture_run(call: Call, params: PostRunParams) -> PostRunResult:
    """Store a finished run. The same run id again returns the same answer and changes nothing."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    with call.database.read() as tx:
        own_pre_run = _find_pre_run(tx, params)
        settings = _settings_of_chat(settings, own_pre_run)
        if settings.mode == "off":
            return _NOT_ACCEPTED
        previous_result = run_records.run_result(tx, params.run_id)
        stored_lines = [*run_records.stored_surviving_lines(tx, params.sub_chat_id, RUNS).values()]
        is_deleted = _is_deleted(tx, params)
        if previous_result is None:
            _check_token(tx, params, own_pre_run)
    if previous_result is not None:
        return _with_remembered(call, workspace, params, _duplicate(previous_result))
    if is_deleted:
        return _NOT_ACCEPTED
    finished = _observe(call, params, workspace, settings, own_pre_run, stored_lines)
    with call.database.write() as tx:
        previous_result = run_records.run_result(tx, params.run_id)
        if previous_result is None and _is_deleted(tx, params):  # deleted since the first check
            return _NOT_ACCEPTED
        result = _duplicate(previous_result) if previous_result is not None else _store(tx, finished)
    commit_later(call.process, workspace, settings)
    from sidecar.memory import run_upkeep_later  # not needed by the first answer

    result = _with_remembered(call, workspace, params, result)
    call.process.after_run(call.process, workspace, params.sub_chat_id)
    run_upkeep_later(call.process, workspace)
    if finished.effects.has_new_code:
        from sidecar.registry import follow_code

        follow_code(workspace, call.process)
    return result


def _observe(
    call: Call,
    params: PostRunParams,
    workspace: Workspace,
    settings: Settings,
    own_pre_run: CallRecord | None,
    stored_lines: Sequence[Mapping[str, FileLines]],
) -> FinishedRun:
    """Look at what a run did and what it left in the worktree; `stored_lines` has the lines of earlier runs."""
    parts = params.assistant.parts if params.assistant else []
    transcript = _transcript(call, params)
    failures = _failures(params, transcript)
    activity = activity_of(parts, failures, params.cwd)
    pre_run = own_pre_run if own_pre_run is not None and not own_pre_run.details.is_passthrough else None
    effects = observe_effects(call, workspace, params.cwd, activity, _baseline(own_pre_run))
    loss, now_ms = _session_loss(params, transcript, own_pre_run), call.now_ms()
    finished = FinishedRun(
        call=call,
        params=params,
        workspace=workspace,
        settings=settings,
        activity=activity,
        tests=outcomes_of(activity.commands, params.cwd),
        own_pre_run=own_pre_run,
        pre_run=pre_run,
        effects=effects,
        loss=loss,
        now_ms=now_ms,
        failures=tuple(failures),
        transcript=transcript,
    )
    noted = finished.notes_block.notes if finished.notes_block is not None else ()
    finished.surviving_lines = surviving_lines(
        workspace, effects, _baseline(pre_run), stored_lines, edits=_edits(params.cwd, activity),
        looks_back=finished.reversal is not None, looks_further=any(note.key == "dropped" for note in noted),
        counts_values=finished.reversal is not None and finished.reversal.kind == "undo",
        refused=finished.refused,
    )  # fmt: skip
    if params.outcome == "completed":
        finished.boundaries = touched_boundaries(
            call, workspace, effects, finished.start_head, settings["capture.boundaries"]
        )
    return finished


def _settings_of_chat(settings: Settings, pre_run: CallRecord | None) -> Settings:
    """Return the settings in the mode that the user chose for the run's chat, if any.

    A control chat keeps the settings' mode: what it leaves is stored as in every other chat.
    """
    rollout = pre_run.details.metadata.rollout if pre_run is not None else None
    return settings.in_mode(rollout.mode) if rollout is not None and rollout.decided_by == "chat" else settings


def _with_remembered(call: Call, workspace: Workspace, params: PostRunParams, result: PostRunResult) -> PostRunResult:
    """Return an answer with the memories that the run added and the statements that it withdrew, if they last."""
    return result.model_copy(update=changes_in_memory(call, workspace, (params.run_id,))._asdict())


class ChangesInMemory(NamedTuple):
    """Lasting changes that runs made in memory."""

    remembered: list[Remembered]
    withdrawn: list[Withdrawn]


def changes_in_memory(call: Call, workspace: Workspace, run_ids: Iterable[str]) -> ChangesInMemory:
    """Return the memories that runs added and the statements that they withdrew, if they last."""
    from sidecar.memory import remember_run

    runs = [remember_run(call.process, workspace, run_id) for run_id in run_ids]
    return ChangesInMemory(
        [
            Remembered(id=memory.id, text=memory.text, standing=memory.is_standing)
            for run in runs
            for memory in run.added
        ],
        [
            Withdrawn(id=old.id, text=old.text, replaced_by=old.replaced_by or None)
            for run in runs
            for old in run.withdrawn
        ],
    )


def _edits(cwd: str, activity: RunActivity) -> list[TextEdit]:
    """Return a run's edits with paths relative to `cwd`; those of files outside it are left out."""
    relative = ((edit, relative_to(cwd, edit.path)) for edit in activity.edits)
    return [edit._replace(path=path) for edit, path in relative if path is not None]


def _baseline(pre_run: CallRecord | None) -> WorktreeBaseline | None:
    return pre_run.details.baseline if pre_run is not None else None


def _is_deleted(tx: apsw.Connection, params: PostRunParams) -> bool:
    return is_deleted(tx, params.sub_chat_id, (params.session.before, params.session.after))


def _find_pre_run(tx: apsw.Connection, params: PostRunParams) -> CallRecord | None:
    """Return the run's own pre-run. One that passed through is the last choice; another run's token is ignored."""
    by_token = call_of_token(tx, params.delivery_token) if params.delivery_token else None
    pre_runs = [call for call in (by_token, call_of_run(tx, params.run_id)) if call is not None]
    for pre_run in sorted(pre_runs, key=lambda call: call.details.is_passthrough):
        if (pre_run.run_id, pre_run.sub_chat_id, pre_run.provider) == (
            params.run_id,
            params.sub_chat_id,
            params.provider,
        ):
            return _with_first_worktree(tx, pre_run)
    return None


def _check_token(tx: apsw.Connection, params: PostRunParams, pre_run: CallRecord | None) -> None:
    """Raise InvalidParams for a token that no pre-run returned, though the run has one: its delivery would be lost."""
    token = params.delivery_token
    if token and pre_run is not None and token != pre_run.delivery_token and call_of_token(tx, token) is None:
        raise InvalidParams(
            "No pre-run returned this `deliveryToken`.",
            hint="Send the token that the run's pre-run returned, or null if its packs were not used.",
        )


def _with_first_worktree(tx: apsw.Connection, pre_run: CallRecord) -> CallRecord:
    """Return a pre-run with the worktree as the run's first pre-run saw it: a run that is compacted has two."""
    first = first_call_of_run(tx, pre_run.run_id)
    if first is None or first.delivery_token == pre_run.delivery_token or first.details.is_passthrough:
        return pre_run
    baseline = replace(first.details.baseline, is_late=pre_run.details.baseline.is_late)
    return replace(pre_run, details=replace(pre_run.details, baseline=baseline))


def _transcript(call: Call, params: PostRunParams) -> TranscriptTail | None:
    """Return the end of the provider's transcript of the run. A run that never started has none."""
    if params.transcript_path is None or params.outcome == "notStarted":
        return None
    transcript = read_tail(params.transcript_path, epoch_ms(params.started_at))
    if transcript is None:
        call.log.warning("capture.transcript.unreadable")
    return transcript


def _failures(params: PostRunParams, transcript: TranscriptTail | None) -> list[ToolFailure]:
    """Return the failed tool calls from the host, and those of its parts that only the transcript shows."""
    errors = [
        ToolFailure(error.tool_call_id, error.text, error.exit_code, error.tool_name)
        for error in params.tool_errors or []
    ]
    reported_ids = {error.tool_call_id for error in errors}
    part_ids = {str(part.get("toolCallId")) for part in params.assistant.parts} if params.assistant else set()
    in_transcript = transcript_errors(transcript.lines, epoch_ms(params.started_at)) if transcript is not None else []
    return errors + [
        failure
        for failure in in_transcript
        if failure.tool_call_id in part_ids and failure.tool_call_id not in reported_ids
    ]


def _session_loss(params: PostRunParams, transcript: TranscriptTail | None, pre_run: CallRecord | None) -> Loss:
    """Return what the run's session lost, whatever the outcome. A run that never started lost nothing.

    What the run received after its compaction is not lost.
    """
    if params.outcome == "notStarted":
        return Loss.NOTHING
    loss = loss_by_prompt(params.prompt)
    if loss is not Loss.NOTHING or transcript is None:
        return loss
    since_ms = epoch_ms(params.started_at)
    if pre_run is not None and pre_run.delivery_token == params.delivery_token:
        since_ms = max(since_ms, pre_run.created_at_ms)
    return Loss.TRANSCRIPT if compacted_since(transcript, since_ms) else Loss.NOTHING


def _duplicate(result: bytes) -> PostRunResult:
    return PostRunResult.model_validate(orjson.loads(result)).model_copy(update={"duplicate": True})


def _store(tx: apsw.Connection, run: FinishedRun) -> PostRunResult:
    state = conversations.sub_chat(tx, run.params.sub_chat_id)
    failing_before = run_records.failing_tests(tx, run.workspace.key)
    tests = store_test_verdicts(tx, run)
    drop_rolled_back(tx, run)
    drop_printed_delivery(tx, run)
    items_before = items_before_run(tx, run)
    confirm_delivery(tx, run)
    from sidecar.capture.check_notes_block import verified_notes
    from sidecar.capture.memory_handoff import queue_for_memory

    notes = verified_notes(tx, run)
    if not run.is_measured_only:
        queue_for_memory(tx, run, notes, tests, failing_before)
    drop_lost_deliveries(tx, run)
    steps = _todos(run, state)
    drafts = store_drafts(tx, run, state, steps, tests, notes)
    state = replace(state, todos=steps, plan=run.plan or state.plan)
    decision, state = govern(tx, run, state)
    conversations.put_sub_chat(
        tx, run.params.sub_chat_id, run.workspace.project_key, run.workspace.key, state, run.now_ms
    )
    result = PostRunResult(
        accepted=True,
        duplicate=False,
        artifacts=[
            ArtifactReference(id=artifact.id, type=artifact.type, status=artifact.status) for artifact in drafts
        ],
        governor=GovernorDecision(action=decision.action, reasons=list(decision.reasons)),
        notes_block=_notes_span(run),
    )
    _measure_outcome(tx, run, tests)
    record_run(tx, run, state, result, decision, items_before, drafts)
    if decision.action != "ok":
        store_snapshot(tx, run.params.sub_chat_id, run.params.run_id, decision.reasons, run.now_ms)
    return result


def _measure_outcome(tx: apsw.Connection, run: FinishedRun, tests: Sequence[VerdictChange]) -> None:
    """Measure a run that an experiment compares."""
    if run.rollout is None or run.rollout.experiment is None:
        return
    unit = unit_of_chat(tx, run.rollout.experiment, run.params.sub_chat_id)
    if unit is not None:
        measure_outcome(tx, run, unit, tests)


def _notes_span(run: FinishedRun) -> NotesSpan | None:
    """Return where the notes block is in the host's text, in UTF-16 units, as JavaScript counts."""
    text = run.params.assistant.text if run.params.assistant else ""
    block = read_notes_block(text) if run.notes_block is not None else None
    if block is None:
        return None
    return NotesSpan(start=utf16_length(text[: block.start]), end=utf16_length(text[: block.end]))


def _todos(run: FinishedRun, state: SubChat) -> tuple[tuple[str, str], ...]:
    if run.params.todos is not None:
        return tuple((redact(todo.content), todo.status) for todo in run.params.todos)
    if run.activity.todos is not None:
        return tuple((redact(content), status) for content, status in run.activity.todos)
    return state.todos
