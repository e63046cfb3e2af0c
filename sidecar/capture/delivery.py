"""Update the delivery ledger after a run: what the session was given, what it saw in its own work, what it lost."""

from __future__ import annotations

import apsw

from sidecar.capture.effects.session_loss import Loss
from sidecar.capture.run import FinishedRun
from sidecar.runs import Item, SessionContents, SessionKey, keys, ledger, records


def confirm_delivery(tx: apsw.Connection, run: FinishedRun) -> None:
    """Commit what the run was given if it reached the provider; otherwise it counts as never sent.

    If a session event dropped the delivery in the meantime, the session stays unknown and receives everything again.
    """
    params, pre_run = run.params, run.pre_run
    if pre_run is not None and pre_run.status != "pending":
        return
    if pre_run is not None:
        outcome_status = "committed" if run.reached_provider and run.delivered_call is not None else "dropped"
        records.set_call_status(tx, pre_run.delivery_token, outcome_status)
    if not run.reached_provider or params.session.after is None:
        return
    key = SessionKey(params.provider, params.session.after, run.is_shadow)
    # A run without a pre-run of its own may belong to a fork: only a session with an unchanged id certainly continues.
    unchanged_id = params.session.before if params.session.before == params.session.after else None
    continued_id = pre_run.session_id if pre_run is not None else unchanged_id
    continued = SessionKey(params.provider, continued_id, run.is_shadow) if continued_id is not None else None
    fresh = pre_run is not None and pre_run.details.is_fresh
    ledger.continue_session(tx, key, params.sub_chat_id, run.effects.head, None if fresh else continued, run.now_ms)
    details = run.delivered_call.details if run.delivered_call is not None else None
    delivered = details.delivered if details is not None else ()
    contents = ledger.session_contents(tx, key)
    was_sent_head = keys.HEAD in contents.items or any(item.key == keys.HEAD for item in delivered)
    own_items = [*_own_items(run, contents, was_sent_head=was_sent_head), *_own_tests(tx, run, contents)]
    anchor = details.anchor if details is not None else None
    ledger.deliver(tx, key, [*delivered, *own_items], anchor, params.run_id, run.now_ms)


def drop_lost_deliveries(tx: apsw.Connection, run: FinishedRun) -> None:
    """Delete what the run's session lost, this run's deliveries included; the next call sends it again."""
    for session_id in (run.params.session.before, run.params.session.after):
        if session_id is not None and run.loss is not Loss.NOTHING:
            drop = ledger.drop_transcript if run.loss is Loss.TRANSCRIPT else ledger.drop_session
            drop(tx, run.params.provider, session_id, run.params.sub_chat_id)


def _own_items(run: FinishedRun, contents: SessionContents, *, was_sent_head: bool) -> list[Item]:
    """Return what the agent knows from its own work: what it read, wrote and committed, and where it left HEAD."""
    items, state = list(run.effects.seen_items), run.effects.state
    if run.plan:
        items.append(Item(keys.PLAN, keys.plan_digest(run.plan), 0))
    if state is None:
        return items
    if state.kind == "folder" and (run.activity.written or run.activity.commands):
        items.append(Item(keys.HEAD, keys.folder_digest(state.changed_hash), 0))
    if state.kind == "git" and was_sent_head and run.effects.head == state.head:
        items.append(Item(keys.HEAD, keys.head_digest(state.branch, state.head), 0))
    present = {file.path for file in state.changed}
    changed_paths = (path for key in contents.items if (path := keys.changed_path(key)) is not None)
    items += [
        Item(keys.change_key(path), keys.REMOVED, 0)
        for path in changed_paths
        if path in run.effects.own_paths - present
    ]
    return items


def _own_tests(tx: apsw.Connection, run: FinishedRun, contents: SessionContents) -> list[Item]:
    """Return what the agent itself saw of tests: it only needs a reminder of a failure, and knows of one that ended."""
    ran = {outcome.runner for outcome in run.tests}
    failing = {tests.runner: tests for tests in records.failing_tests(tx, run.workspace.key) if tests.runner in ran}
    items = []
    for runner in sorted(ran):
        key, tests = keys.tests_key(runner), failing.get(runner)
        item = contents.items.get(key)
        if tests is not None:
            digest = keys.tests_digest(tests.names, tests.excerpt, tests.run_id)
            items += [Item(key, digest + keys.SEEN, 0)] if item is None or item.digest != digest else []
        elif item is not None:
            items.append(Item(key, keys.REMOVED, 0))
    return items
