"""What the session knows after a run: what it was given, what it saw by its own work, what it has lost."""

from __future__ import annotations

import apsw

from sidecar.capture.effects.session_loss import Loss
from sidecar.capture.run import Finished
from sidecar.runs import Item, Known, Pinned, SessionKey, keys, ledger, records


def settle_delivery(tx: apsw.Connection, one: Finished) -> None:
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


def forget_lost(tx: apsw.Connection, one: Finished) -> None:
    """Forgets what the run's session no longer has, this run's own deliveries too: the next call sends all again."""
    for session_id in (one.params.session.before, one.params.session.after):
        if session_id is not None and one.loss is not Loss.NOTHING:
            forget = ledger.compact if one.loss is Loss.TRANSCRIPT else ledger.forget
            forget(tx, one.params.provider, session_id, one.params.sub_chat_id)


def _own(one: Finished, known: Known, *, was_told_head: bool) -> list[Item]:
    """What the agent knows from its own work: what it read and wrote, what it committed, where it left HEAD."""
    own, state = list(one.observed.seen), one.observed.state
    if one.plan:
        own.append(Item(keys.PLAN, keys.plan_digest(one.plan), 0))
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
