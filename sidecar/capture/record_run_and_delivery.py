"""Records of a finished run in the state file: its row and metrics, test verdicts, drafts, and the delivery ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import apsw

from sidecar.capture.adr_draft import boundary_events, store_adrs
from sidecar.capture.check_notes_block import VerifiedNote, decision_sentences, dropped_approaches
from sidecar.capture.devlog_draft import store_devlog
from sidecar.capture.effects.direction_change import REVERTED_SHARE, direction_key, lines_taken_out, plan_heading
from sidecar.capture.effects.run_activity import Loss
from sidecar.capture.finished_run import FinishedRun, window_begin_ms
from sidecar.capture.model import PostRunResult
from sidecar.capture.pack_measures import estimate_of, measure_run, measures_of
from sidecar.capture.rejected_approach_draft import (
    MAX_NAMED,
    RUNS,
    DirectionChange,
    RejectedApproach,
    direction_change_of,
    new_rejected_approaches,
    rejected_approach_note,
    rejection_key,
    store_rejected_approach,
)
from sidecar.capture.test_results import Verdict, VerdictChange, change_of, fixes
from sidecar.codebase import content_identity
from sidecar.core.clean_text import join_first
from sidecar.core.clock import epoch_ms
from sidecar.core.digests import short_id
from sidecar.core.prose_sentences import first_sentence
from sidecar.core.redact import redact
from sidecar.core.terms import query_terms
from sidecar.daily_metrics import count_call, labelled, roll_up
from sidecar.governor import PressureDecision
from sidecar.language.own_words import request_in_full
from sidecar.language.work_taken_back import AbandonedApproach
from sidecar.runs import (
    Artifact,
    DeliveredItem,
    FailingTests,
    SessionContents,
    SessionFacts,
    SessionKey,
    SessionTurn,
    SubChat,
    artifact_store,
    delete_old_runs,
    entries,
    ledger,
    resolve_session,
    run_records,
    store_session,
)
from sidecar.runs.artifact_provenance import ArtifactEvent, RejectedApproachDetails
from sidecar.runs.model import FileChange, RunRecord
from sidecar.runs.pre_run_record import call_of_token, set_call_status
from sidecar.transcripts.transcript_tail import was_rolled_back

CHARACTERS_OF_EACH_END = 20_000
STORED_CHARACTERS = 2_000
"""Maximum number of characters stored of a conclusion's beginning, and of its end."""


def stored_conclusion(text: str) -> str:
    """Return the stored part of a conclusion, its beginning and its end, with secrets masked."""
    is_long = len(text) > 2 * CHARACTERS_OF_EACH_END
    masked = redact(f"{text[:CHARACTERS_OF_EACH_END]}\n{text[-CHARACTERS_OF_EACH_END:]}" if is_long else text)
    if len(masked) <= 2 * STORED_CHARACTERS:
        return masked
    return f"{masked[:STORED_CHARACTERS].rstrip()}\n…\n{masked[-STORED_CHARACTERS:].lstrip()}"


def _changes(run: FinishedRun) -> tuple[FileChange, ...]:
    """Return the run's changed files with the surviving lines of this conversation's work, if known."""
    surviving = run.surviving_lines.by_path
    return tuple(replace(change, surviving=surviving.get(change.path)) for change in run.effects.changes)


def record_run(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    result: PostRunResult,
    decision: PressureDecision,
    items_before: Mapping[str, DeliveredItem],
    drafts: Sequence[Artifact],
) -> None:
    """Write the run's row with the answer it received, and count it.

    `items_before` is what its session had before the run.

    Only new drafts are counted: one that continues was counted when it started.
    """
    params, metrics = run.params, measure_run(tx, run, items_before)
    run_records.store_run(
        tx,
        RunRecord(
            run_id=params.run_id,
            sub_chat_id=params.sub_chat_id,
            chat_id=params.chat_id,
            project=run.workspace.project_key,
            workspace=run.workspace.key,
            provider=params.provider,
            mode=params.mode,
            outcome=params.outcome,
            session_before=params.session.before,
            session_after=params.session.after,
            task_fingerprint=state.task.fingerprint if state.task else None,
            head_commit=run.effects.state.head if run.effects.state else None,
            objective=request_in_full(run.params.prompt) or (state.task.objective if state.task else ""),
            conclusion=stored_conclusion(run.conclusion),
            changes=_changes(run),
            usage=params.usage,
            pack_metrics=metrics,
            result=result.model_dump_json(by_alias=True).encode(),
            started_at_ms=epoch_ms(params.started_at),
            finished_at_ms=epoch_ms(params.finished_at),
            recorded_at_ms=run.now_ms,
        ),
    )
    run_records.name_project(tx, run.workspace.project_key, redact(run.workspace.project.name))
    new = sum(artifact.created_at_ms == run.now_ms for artifact in drafts)
    usage = params.usage.model_dump(exclude_none=True, by_alias=True) if params.usage else {}
    count_call(
        tx, run.workspace.project_key, params.provider, shadow=run.is_shadow, now_ms=run.now_ms,
        measures={
            "runs": 1, f"outcome.{params.outcome}": 1, "drafts": new, **usage, **measures_of(metrics),
            **estimate_of(run), **(_governed(decision) if run.reached_provider else {}),
        },
    )  # fmt: skip
    roll_up(tx, run.now_ms)
    delete_old_runs(tx, run.now_ms, int(run.call.process.settings("")["retention.days"]))


def _governed(decision: PressureDecision) -> dict[str, float]:
    """Return the counters of the governor's decision and of what triggered it."""
    return {
        labelled("governor", action=decision.action): 1.0,
        **{labelled("governor.reason", reason=trigger): 1.0 for trigger in decision.counted_triggers},
        **({labelled("governor.suppressed", action=decision.suppressed): 1.0} if decision.suppressed else {}),
    }


def store_drafts(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    steps: Sequence[tuple[str, str]],
    tests: Sequence[VerdictChange],
    notes: Sequence[VerifiedNote],
) -> list[Artifact]:
    """Draft what a completed run contains: a devlog, decision records, rejected approaches.

    A run that was aborted, failed or never started drafts nothing.

    `state` is the conversation's state before the run, `steps` its task list afterwards, `tests` the changed verdicts,
    `notes` those of its notes block.
    """
    if run.params.outcome != "completed":
        return []
    returned = _withdraw_returned_approaches(tx, run)
    dropped = dropped_approaches(notes)
    change = direction_change_of(tx, run, state, steps, dropped)
    new_approaches = new_rejected_approaches(tx, run, change)
    direction_news = direction_events(run, change, new_approaches)
    boundary_news = boundary_events(run.boundaries)
    fixes_news = fixes(tests, run.effects.files, is_explained=bool(run.stated_cause))
    decisions = decision_sentences(notes)
    covered = _covered_events(tx, run, run.start_head) if boundary_news or decisions else frozenset[str]()
    recently_covered = _covered_events(tx, run, None) if fixes_news or direction_news else frozenset[str]()
    events = [event for event in boundary_news if event.key not in covered]
    events += [event for event in (*fixes_news, *direction_news) if event.key not in recently_covered]
    entry = store_devlog(tx, run, state, events, partial(_is_void, run, returned))
    stubs = store_adrs(tx, run, state, run.boundaries, covered, decisions, _alternatives(dropped, change))
    rejected = [store_rejected_approach(tx, run, state, approach, tests) for approach in new_approaches]
    return [*([entry] if entry is not None else ()), *stubs, *rejected, *returned]


def direction_events(
    run: FinishedRun, change: DirectionChange, approaches: Sequence[RejectedApproach]
) -> list[ArtifactEvent]:
    """Return the events of a change of direction: each new rejected approach, else the dropped steps."""
    chat = run.params.sub_chat_id
    events = [
        ArtifactEvent(
            kind="directionChanged",
            key=direction_key(chat, approach.terms, approach.files),
            line=f"Direction changed: {rejected_approach_note(approach, '', ()).title}.",
        )
        for approach in approaches
    ]
    if change.dropped is not None and not change.rejected:
        dropped, instead = (_steps(steps) for steps in (change.dropped.steps, change.dropped.instead))
        key = direction_key(chat, change.dropped.steps)
        line = f"Steps dropped: {dropped}. Instead: {instead}."
        events.append(ArtifactEvent(kind="directionChanged", key=key, line=line))
    return events


MAX_STEPS = 4


def _steps(steps: Sequence[str]) -> str:
    shown = "; ".join(first_sentence(step, 120) for step in steps[:MAX_STEPS])
    return f"{shown} and {len(steps) - MAX_STEPS} more" if len(steps) > MAX_STEPS else shown


def _is_void(run: FinishedRun, returned: Sequence[Artifact], event: ArtifactEvent) -> bool:
    """Whether a run took back an event: the approach that was rejected, or the contract that changed, is as before.

    Changed contracts are compared with the commit at which the run started.
    """
    if event.kind == "directionChanged":
        chat = run.params.sub_chat_id
        details = [note.provenance.details for note in returned]
        return any(
            event.key == direction_key(chat, each.terms, each.reverted_files)
            for each in details
            if isinstance(each, RejectedApproachDetails)
        )
    changed = {change.path for change in run.effects.changes}
    is_changed = event.kind == "boundaryTouched" and not changed.isdisjoint(event.line.split("`")[1:2])
    return is_changed and all(event.key != current.key for current in boundary_events(run.boundaries))


def _withdraw_returned_approaches(tx: apsw.Connection, run: FinishedRun) -> list[Artifact]:
    """Withdraw the conversation's rejected approaches whose lines the run brought back, and return them.

    So is the draft of a refused plan of which nothing but the goal is known, once a later plan has the same goal.
    A draft is discarded. One that the user accepted keeps its status, warns nobody, and can be accepted again.
    """
    notes = artifact_store.artifacts_of_event(tx, run.workspace.project_key, rejection_key(run))
    by_run = run_records.stored_surviving_lines(tx, run.params.sub_chat_id, RUNS) if notes else {}
    present = frozenset[str]().union(*(file.lines for file in run.surviving_lines.by_path.values()))
    words = set(query_terms(run.added_text)) if notes else set()
    planned = set(query_terms(plan_heading(run.plan)))
    returned: list[Artifact] = []
    for note in notes:
        details = note.provenance.details
        if not isinstance(details, RejectedApproachDetails) or note.returned_in or note.status == "discarded":
            continue
        if note.status == "draft" and not details.reverted_files and set(details.terms) <= planned:
            returned.append(_withdrawn(tx, run, note, details))
            continue
        lines = lines_taken_out(by_run, note.provenance.run_id, details.reverted_files)
        is_alone = sum(other.provenance.run_id == note.provenance.run_id for other in notes) == 1
        is_named = is_alone or not words.isdisjoint(details.terms)
        if is_named and len(lines & present) >= max(1, REVERTED_SHARE * len(lines)):
            returned.append(_withdrawn(tx, run, note, details))
    return returned


def _withdrawn(tx: apsw.Connection, run: FinishedRun, note: Artifact, details: RejectedApproachDetails) -> Artifact:
    from sidecar.capture.memory_handoff import queue_withdrawn

    where = join_first([f"`{path}`" for path in details.reverted_files], MAX_NAMED)
    how = f"its lines are back in {where}" if where else "a later plan has the same goal"
    returned = f"{note.body.rstrip()}\n\nTaken up again since: {how}.\n"
    withdrawn = replace(
        note,
        status="discarded" if note.status == "draft" else note.status,
        body=note.body if note.status == "committed" else returned,
        provenance=replace(note.provenance, details=replace(details, returned_in=run.params.run_id)),
        updated_at_ms=max(run.now_ms, note.updated_at_ms + 1),
    )
    if note.status != "draft":
        queue_withdrawn(tx, withdrawn, run.now_ms)
    artifact_store.put(tx, withdrawn)
    return withdrawn


def _alternatives(noted: Sequence[AbandonedApproach], change: DirectionChange) -> list[str]:
    """Return what the notes block gives up; it counts as tried only if lost lines confirm it."""
    confirmed = {approach.quote for approach in change.rejected}
    labels = ("Tried and dropped" if each.sentence in confirmed else "Dropped, as the agent notes" for each in noted)
    return [f"{label}: {each.sentence}" for label, each in zip(labels, noted, strict=True)]


def _covered_events(tx: apsw.Connection, run: FinishedRun, start_commit: str | None) -> frozenset[str]:
    """Return the events covered by artifacts within the dedupe window, and by older ones that started at the commit."""
    return artifact_store.covered_events(tx, run.workspace.project_key, window_begin_ms(run), start_commit)


def store_test_verdicts(tx: apsw.Connection, run: FinishedRun) -> list[VerdictChange]:
    """Store each runner's verdict and return what the run changed.

    While a runner keeps failing, the failure is identified by the run in which it started.
    """
    earlier = {failing.runner: failing for failing in run_records.failing_tests(tx, run.workspace.key)}
    changes = []
    for runner in dict.fromkeys(outcome.runner for outcome in run.tests):
        earlier_failure = earlier.get(runner)
        of_runner = [outcome for outcome in run.tests if outcome.runner == runner]
        change = change_of(runner, _verdict(earlier_failure), of_runner)
        failing = _failing(change, earlier_failure, run)
        run_records.put_tests(tx, run.workspace.key, failing, "failed" if change.is_red else "passed", run.now_ms)
        changes.append(change)
    return changes


def _verdict(failing: FailingTests | None) -> Verdict:
    if failing is None:
        return Verdict()
    names = failing.names or ("",)
    selections = failing.selections if len(failing.selections) == len(names) else ("",) * len(names)
    return Verdict(dict(zip(names, selections, strict=True)), failing.excerpt, failing.total)


def _failing(change: VerdictChange, earlier_failure: FailingTests | None, run: FinishedRun) -> FailingTests:
    state, after = run.effects.state, change.after
    return FailingTests(
        change.runner,
        tuple(redact(name) for name in after.names),
        redact(after.excerpt),
        earlier_failure.run_id if earlier_failure is not None else run.params.run_id,
        head=state.head if state is not None else None,
        changed_hash=state.changed_hash if state is not None else None,
        selections=tuple(redact(seen) for name, seen in after.failing.items() if name or not after.names),
        total=after.total,
    )


def confirm_delivery(tx: apsw.Connection, run: FinishedRun) -> None:
    """Commit what the run was given if it reached the provider; otherwise it counts as never sent.

    If a session event dropped the delivery in the meantime, the session stays unknown and receives everything again.
    """
    params, pre_run = run.params, run.pre_run
    if pre_run is not None and pre_run.status != "pending":
        return
    if pre_run is not None:
        outcome_status = "committed" if run.reached_provider and run.delivered_call is not None else "dropped"
        set_call_status(tx, pre_run.delivery_token, outcome_status)
    if not run.reached_provider or params.session.after is None:
        return
    key = SessionKey(params.sub_chat_id, params.provider, params.session.after, run.is_shadow)
    _continue_session(tx, run, key)
    details = run.delivered_call.details if run.delivered_call is not None else None
    delivered = details.delivered if details is not None else ()
    contents = ledger.session_contents(tx, key)
    given = contents._replace(items={**contents.items, **{item.key: item for item in delivered}})
    own_items = [*_own_items(run, given), *_own_tests(tx, run, contents)]
    turn = SessionTurn(
        number=0,
        run_id=params.run_id,
        message_id=params.assistant.message_id if params.assistant is not None else None,
        head_commit=run.effects.head,
        sent_at_ms=pre_run.created_at_ms if pre_run is not None else epoch_ms(params.started_at),
        items=(*delivered, *own_items),
    )
    ledger.add_turn(tx, key, turn, details.anchor if details is not None else None)


def count_printed_delivery(tx: apsw.Connection, key: SessionKey, delivery_token: str, now_ms: int) -> None:
    """Count what a run was given as delivered to its session before the post-run, which adds the run's own items.

    The host has printed it, and sends the next prompt while the post-run waits or is computed.
    """
    pre_run = call_of_token(tx, delivery_token)
    if pre_run is None or pre_run.status != "pending" or pre_run.sub_chat_id != key.sub_chat_id:
        return
    key = key._replace(shadow=pre_run.shadow)
    ledger.drop_turn(tx, key, pre_run.run_id)
    ledger.open_session(tx, key, now_ms)
    turn = SessionTurn(
        number=0,
        run_id=pre_run.run_id,
        message_id=None,
        head_commit=pre_run.details.baseline.sent_head,
        sent_at_ms=pre_run.created_at_ms,
        items=pre_run.details.delivered,
    )
    ledger.add_turn(tx, key, turn, pre_run.details.anchor)


def drop_printed_delivery(tx: apsw.Connection, run: FinishedRun) -> None:
    """Delete what was counted as delivered before the post-run, which counts it again with the run's own items."""
    session_id, pre_run = run.params.session.after, run.pre_run
    if session_id is not None and pre_run is not None and pre_run.status == "pending":
        key = SessionKey(run.params.sub_chat_id, run.params.provider, session_id, run.is_shadow)
        ledger.drop_turn(tx, key, run.params.run_id)


ROLLBACK_SLACK_MS = 2_000
"""Time by which the session file may date a prompt before the call that reports it."""


def drop_rolled_back(tx: apsw.Connection, run: FinishedRun) -> None:
    """Delete what earlier runs left in the session if its file shows that the user went back before this run."""
    session_id = run.params.session.after
    if run.transcript is None or session_id is None:
        return
    key = SessionKey(run.params.sub_chat_id, run.params.provider, session_id, run.is_shadow)
    last_ms = ledger.last_sent_ms(tx, key)
    started_ms = epoch_ms(run.params.started_at) - ROLLBACK_SLACK_MS
    if last_ms is not None and was_rolled_back(run.transcript.lines, last_ms, started_ms):
        ledger.drop_rolled_back(tx, key, run.now_ms)
        run.call.process.slices.codebase.shown_regions.forget(session_id)


def _continue_session(tx: apsw.Connection, run: FinishedRun, key: SessionKey) -> None:
    """Open the session in which a run ended; one that continues under another id has all of its history.

    A run without a pre-run of its own may belong to a fork: only a session with an unchanged id certainly continues.
    """
    session, pre_run = run.params.session, run.pre_run
    unchanged_id = session.before if session.before == session.after else None
    continued_id = pre_run.session_id if pre_run is not None else unchanged_id
    if continued_id is not None and not (pre_run is not None and pre_run.details.is_fresh):
        continued = key._replace(session_id=continued_id)
        resolved = resolve_session(tx, continued, SessionFacts(), key._replace(session_id=""))
        store_session(tx, resolved, run.now_ms)
        history = ledger.session_history(tx, continued) if continued != key else None
        if history is not None:
            ledger.put_history(tx, key, history, run.now_ms)
    ledger.open_session(tx, key, run.now_ms)


def drop_lost_deliveries(tx: apsw.Connection, run: FinishedRun) -> None:
    """Delete what the run's session lost, this run's deliveries included; the next call sends it again."""
    for session_id in (run.params.session.before, run.params.session.after):
        if session_id is not None and run.loss is not Loss.NOTHING:
            run.call.process.slices.codebase.shown_regions.forget(session_id)
            provider, sub_chat_id = run.params.provider, run.params.sub_chat_id
            if run.loss is Loss.TRANSCRIPT:
                ledger.drop_transcript(tx, provider, session_id, sub_chat_id, run.now_ms, is_compaction=True)
            else:
                ledger.drop_session(tx, provider, session_id, sub_chat_id)


def _own_items(run: FinishedRun, contents: SessionContents) -> list[DeliveredItem]:
    """Return what the agent knows from its own work: what it read, wrote and committed, and where it left HEAD.

    `contents` are what the session had, with what this run was given.
    """
    items, state = [_merged(run, item, contents) for item in run.effects.seen_items], run.effects.state
    if run.plan:
        items.append(DeliveredItem(entries.PLAN, entries.TextEntry(short_id(run.plan)), 0))
    if state is None:
        return items
    if state.kind == "folder" and (run.activity.written or run.activity.commands):
        items.append(DeliveredItem(entries.HEAD, entries.folder_entry(state.changed_hash), 0))
    if state.kind == "git" and entries.HEAD in contents.items and run.effects.head == state.head:
        items.append(DeliveredItem(entries.HEAD, entries.head_entry(state.branch, state.head), 0))
    if state.kind == "git" and (run.activity.may_have_written or run.activity.written):
        items.append(DeliveredItem(entries.INDEX, entries.index_entry(state), 0))
        items.append(DeliveredItem(entries.UNNAMED, entries.unnamed_entry(state), 0))
    present = {file.path for file in state.all_changed}
    changed_paths = (path for key in contents.items if (path := entries.changed_path(key)) is not None)
    items += [
        DeliveredItem(entries.change_key(path), entries.past_entry(contents.items[entries.change_key(path)].entry), 0)
        for path in changed_paths
        if path in run.effects.own_paths - present
    ]
    return items


def _merged(run: FinishedRun, item: DeliveredItem, contents: SessionContents) -> DeliveredItem:
    """Return what a session has of a file after a run that opened it, together with what it had before.

    If the run edited a file whose content the session knew, the session knows the new content.
    """
    had, seen, path = contents.items.get(item.key), item.entry, entries.context_path(item.key)
    if had is None or not isinstance(had.entry, entries.FileEntry) or not isinstance(seen, entries.FileEntry):
        return item
    content = seen.content or had.entry.content
    if content and not seen.content and path in run.effects.own_paths:
        content = content_identity(run.effects.files.get(path, ""))
    return replace(item, entry=replace(had.entry, content=content, is_opened=True), bytes=had.bytes)


def _own_tests(tx: apsw.Connection, run: FinishedRun, contents: SessionContents) -> list[DeliveredItem]:
    """Return what the agent itself saw of tests: it only needs a reminder of a failure, and knows of one that ended."""
    ran = {outcome.runner for outcome in run.tests}
    failing = {tests.runner: tests for tests in run_records.failing_tests(tx, run.workspace.key) if tests.runner in ran}
    items = []
    for runner in sorted(ran):
        key, tests = entries.tests_key(runner), failing.get(runner)
        item = contents.items.get(key)
        if tests is not None:
            failure = entries.FailureEntry(entries.tests_digest(tests.names, tests.excerpt, tests.run_id))
            if item is None or item.entry != failure:
                items.append(DeliveredItem(key, replace(failure, is_own=True), 0))
        elif item is not None:
            items.append(DeliveredItem(key, entries.REMOVED, 0))
    return items
