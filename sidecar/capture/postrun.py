"""`continuity/postRun`: understand the run, then keep everything of it in one transaction."""

from __future__ import annotations

from typing import Any

import apsw

from sidecar.call import Call
from sidecar.capture.compaction import Loss, loss_by_prompt
from sidecar.capture.drafting import kept_plan
from sidecar.capture.entries import keep_devlog
from sidecar.capture.finished import Finished
from sidecar.capture.model import PostRunParams, PostRunResult
from sidecar.capture.observed import observe
from sidecar.capture.outcomes import outcomes_of
from sidecar.capture.parts import Failure, work_of
from sidecar.capture.transcript import compacted_since
from sidecar.core.redact import redact
from sidecar.governor import Word, after_run, after_snapshot, after_turnover, decide, signals_of
from sidecar.governor.model import GovernorWord
from sidecar.metrics import count_call
from sidecar.runs import (
    CallRecord,
    FailingTests,
    Item,
    Known,
    Pinned,
    SessionKey,
    SubChat,
    keys,
    ledger,
    records,
)
from sidecar.runs.model import ArtifactReference

SNAPSHOT_RUNS = 50
SNAPSHOT_FILES = 60
"""How far back the structured state looks for files the conversation changed, and how many it names."""


def run(call: Call, params: PostRunParams) -> PostRunResult:
    """Keeps a run that ended; the same run id again gives the same answer and changes nothing."""
    workspace = call.process.workspaces.get(params.cwd, params.project_path)
    settings = call.process.settings(workspace.project_key)
    if settings.mode == "off":
        return PostRunResult(
            accepted=False, duplicate=False, artifacts=[], governor=GovernorWord(action="ok", reasons=[])
        )
    with call.database.read() as tx:
        known = records.run_result(tx, params.run_id)
        before = _pre_run(tx, params)
    if known is not None:
        return _again(known)
    parts = params.assistant.parts if params.assistant else []
    failures = [Failure(error.tool_call_id, error.text, error.exit_code) for error in params.tool_errors or []]
    work = work_of(parts, failures)
    observed = observe(call, workspace, params.cwd, work, before.record if before else None)
    loss, now_ms = _loss(call, params), call.now_ms()
    one = Finished(call, params, workspace, settings, work, outcomes_of(work.commands), before, observed, loss, now_ms)
    with call.database.write() as tx:
        known = records.run_result(tx, params.run_id)
        result = _again(known) if known is not None else _keep(tx, one)
    call.process.after_run(call.process, workspace, params.sub_chat_id)
    return result


def _pre_run(tx: apsw.Connection, params: PostRunParams) -> CallRecord | None:
    """Gives the run's own pre-run; a token of another run says nothing of what this one was given."""
    by_token = records.call_of_token(tx, params.delivery_token) if params.delivery_token else None
    for found in (by_token, records.call_of_run(tx, params.run_id)):
        if found is None or found.record.get("passedThrough"):
            continue
        if (found.run_id, found.sub_chat_id, found.provider) == (
            params.run_id,
            params.sub_chat_id,
            params.provider,
        ):
            return found
    return None


def _loss(call: Call, params: PostRunParams) -> Loss:
    """What the run's session has lost. A run that never began lost nothing; how another one ended makes no odds."""
    if params.outcome == "notStarted":
        return Loss.NOTHING
    loss = loss_by_prompt(params.prompt)
    if loss is not Loss.NOTHING or params.transcript_path is None:
        return loss
    compacted = compacted_since(params.transcript_path, int(params.started_at.timestamp() * 1000))
    if compacted is None:
        call.log.warning("capture.transcript.unreadable")
    return Loss.TRANSCRIPT if compacted else Loss.NOTHING


def _again(known: dict[str, Any]) -> PostRunResult:
    return PostRunResult.model_validate({**known, "duplicate": True})


def _keep(tx: apsw.Connection, one: Finished) -> PostRunResult:
    state = records.sub_chat(tx, one.params.sub_chat_id)
    _keep_tests(tx, one)
    _settle_delivery(tx, one)
    _forget_lost(tx, one)
    drafted = keep_devlog(tx, one, state)
    state = state._replace(todos=_todos(one, state), plan=_plan(one) or state.plan)
    word, state = _govern(tx, one, state)
    records.put_sub_chat(tx, one.params.sub_chat_id, one.workspace.project_key, one.workspace.key, state, one.now_ms)
    result = PostRunResult(
        accepted=True,
        duplicate=False,
        artifacts=[
            ArtifactReference(id=artifact.id, type=artifact.type, status=artifact.status) for artifact in drafted
        ],
        governor=GovernorWord(action=word.action, reasons=list(word.reasons)),
    )
    _record(tx, one, state, result)
    return result


def _settle_delivery(tx: apsw.Connection, one: Finished) -> None:
    """Commits what the run was given, if it reached the provider; else it counts as never sent.

    Where a session event dropped it meanwhile, the session stays unknown and gets everything again.
    """
    params, before = one.params, one.before
    if before is not None and before.status != "pending":
        return
    if before is not None:
        settled = "committed" if one.reached and one.given is not None else "dropped"
        records.settle_call(tx, before.delivery_token, settled)
    if not one.reached or params.session.after is None:
        return
    key = SessionKey(params.provider, params.session.after, one.is_shadow)
    # A run without a pre-run of its own may be a fork's: only a session that kept its id is known to go on.
    kept_id = params.session.before if params.session.before == params.session.after else None
    origin = before.session_id if before is not None else kept_id
    continued = SessionKey(params.provider, origin, one.is_shadow) if origin is not None else None
    fresh = before is not None and bool(before.record.get("fresh"))
    ledger.continue_session(tx, key, params.sub_chat_id, one.observed.head, None if fresh else continued, one.now_ms)
    given = [Item(*item) for item in one.given.record["delivered"]] if one.given is not None else []
    pin = one.given.record["pin"] if one.given is not None else None
    known = ledger.known(tx, key)
    was_told_head = keys.HEAD in known.items or any(item.key == keys.HEAD for item in given)
    own = [*_own(one, known, was_told_head=was_told_head), *_own_tests(tx, one, known)]
    ledger.deliver(tx, key, [*given, *own], Pinned(*pin) if pin else None, params.run_id, one.now_ms)


def _forget_lost(tx: apsw.Connection, one: Finished) -> None:
    """Forgets what the run's session no longer has, this run's own deliveries too: the next call sends all again."""
    for session_id in (one.params.session.before, one.params.session.after):
        if session_id is not None and one.loss is not Loss.NOTHING:
            forget = ledger.compact if one.loss is Loss.TRANSCRIPT else ledger.forget
            forget(tx, one.params.provider, session_id, one.params.sub_chat_id)


def _own(one: Finished, known: Known, *, was_told_head: bool) -> list[Item]:
    """What the agent knows from its own work: what it read and wrote, what it committed, where it left HEAD."""
    own, state = list(one.observed.seen), one.observed.state
    if plan := _plan(one):
        own.append(Item(keys.PLAN, keys.plan_digest(plan), 0))
    if state is None:
        return own
    if state.kind == "folder" and (one.work.written or one.work.commands):
        own.append(Item(keys.HEAD, keys.folder_digest(state.changed_hash), 0))
    if state.kind == "git" and was_told_head and one.observed.head == state.head:
        own.append(Item(keys.HEAD, keys.head_digest(state.branch, state.head), 0))
    present = {file.path for file in state.changed}
    told = (path for key in known.items if (path := keys.changed_path(key)) is not None)
    own += [Item(keys.change_key(path), keys.GONE, 0) for path in told if path in one.observed.own - present]
    return own


def _own_tests(tx: apsw.Connection, one: Finished, known: Known) -> list[Item]:
    """What the agent saw itself of tests: of a failure it is only reminded, and that one is over it knows."""
    ran = {outcome.runner for outcome in one.tests}
    failing = {tests.runner: tests for tests in records.failing_tests(tx, one.workspace.key) if tests.runner in ran}
    own = []
    for runner in sorted(ran):
        key, tests = keys.tests_key(runner), failing.get(runner)
        told = known.items.get(key)
        if tests is not None:
            digest = keys.tests_digest(tests.names, tests.excerpt, tests.run_id)
            own += [Item(key, digest + keys.SEEN, 0)] if told is None or told.digest != digest else []
        elif told is not None:
            own.append(Item(key, keys.GONE, 0))
    return own


def _keep_tests(tx: apsw.Connection, one: Finished) -> None:
    """Keeps each runner's last word; while it goes on failing, the run in which that began is its name."""
    earlier = {failing.runner: failing for failing in records.failing_tests(tx, one.workspace.key)}
    state = one.observed.state
    for outcome in one.tests:
        begun = earlier.get(outcome.runner)
        failing = FailingTests(
            outcome.runner,
            tuple(redact(name) for name in outcome.names),
            redact(outcome.excerpt),
            begun.run_id if begun is not None else one.params.run_id,
            head=state.head if state is not None else None,
            changed_hash=state.changed_hash if state is not None else None,
        )
        records.put_tests(tx, one.workspace.key, failing, "failed" if outcome.failed else "passed", one.now_ms)


def _todos(one: Finished, state: SubChat) -> tuple[tuple[str, str], ...]:
    if one.params.todos is not None:
        return tuple((redact(todo.content), todo.status) for todo in one.params.todos)
    if one.work.todos is not None:
        return tuple((redact(content), status) for content, status in one.work.todos)
    return state.todos


def _plan(one: Finished) -> str:
    return kept_plan(one.work.plan or "")


def _govern(tx: apsw.Connection, one: Finished, state: SubChat) -> tuple[Word, SubChat]:
    """Counts the run, asks the governor, and snapshots the structured state where it says so."""
    if not one.reached:
        return Word("ok", ()), state
    counters = state.counters
    turned_over = one.before is not None and bool(one.before.record.get("fresh"))
    if turned_over:
        counters = after_turnover(counters, one.now_ms, counters.snapshot or {})
    counters = after_run(
        counters,
        now_ms=one.now_ms,
        run_ms=one.run_ms,
        diff_lines=one.observed.diff_lines,
        injected_bytes=int(one.given.record["metadata"]["wouldInjectBytes"]) if one.given else 0,
        files=tuple(one.given.record["files"]) if one.given else (),
        window=int(one.settings["governor.windowCalls"]),
        shadow=one.is_shadow,
    )
    word = decide(
        signals_of(counters, one.settings),
        snapshot_allowed=bool(one.settings["snapshot"]),
        rehydrate_allowed=bool(one.settings["rehydrate"]) and not one.is_shadow,
    )
    if word.action != "ok":
        snapshot = _structured_state(tx, one, state)
        counters = (
            after_snapshot(counters, one.now_ms, snapshot)
            if word.action == "snapshot"
            else counters._replace(snapshot=snapshot)
        )
    return word, state._replace(counters=counters)


def _structured_state(tx: apsw.Connection, one: Finished, state: SubChat) -> dict[str, object]:
    earlier = records.touched_files(tx, one.params.sub_chat_id, SNAPSHOT_RUNS)
    files = dict.fromkeys((*(change.path for change in one.observed.changes), *earlier))
    failing = [name for tests in records.failing_tests(tx, one.workspace.key) for name in tests.names]
    return {
        "objective": state.task.objective if state.task else "",
        "todos": [list(todo) for todo in state.todos],
        "files": list(files)[:SNAPSHOT_FILES],
        "failing": failing[:40],
        "conclusion": redact(one.conclusion[-20_000:])[-2_000:],
    }


def _record(tx: apsw.Connection, one: Finished, state: SubChat, result: PostRunResult) -> None:
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
