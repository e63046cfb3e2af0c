"""What a run's tests said, kept per runner of the workspace."""

from __future__ import annotations

import apsw

from sidecar.capture.finished import Finished
from sidecar.capture.testing.verdicts import Change, Verdict, change_of
from sidecar.core.secrets.redact import redact
from sidecar.runs import FailingTests, records


def keep_tests(tx: apsw.Connection, one: Finished) -> list[Change]:
    """Keeps each runner's verdict and gives what the run changed of it.

    While a runner goes on failing, the run in which that began is the failure's name.
    """
    earlier = {failing.runner: failing for failing in records.failing_tests(tx, one.workspace.key)}
    changes = []
    for runner in dict.fromkeys(outcome.runner for outcome in one.tests):
        begun = earlier.get(runner)
        of_runner = [outcome for outcome in one.tests if outcome.runner == runner]
        change = change_of(runner, _verdict(begun), of_runner)
        failing = _failing(change, begun, one)
        records.put_tests(tx, one.workspace.key, failing, "failed" if change.is_red else "passed", one.now_ms)
        changes.append(change)
    return changes


def _verdict(kept: FailingTests | None) -> Verdict:
    if kept is None:
        return Verdict()
    names = kept.names or ("",)
    selections = kept.selections if len(kept.selections) == len(names) else ("",) * len(names)
    return Verdict(dict(zip(names, selections, strict=True)), kept.excerpt, kept.total)


def _failing(change: Change, begun: FailingTests | None, one: Finished) -> FailingTests:
    state, after = one.observed.state, change.after
    return FailingTests(
        change.runner,
        tuple(redact(name) for name in after.names),
        redact(after.excerpt),
        begun.run_id if begun is not None else one.params.run_id,
        head=state.head if state is not None else None,
        changed_hash=state.changed_hash if state is not None else None,
        selections=tuple(redact(seen) for name, seen in after.failing.items() if name or not after.names),
        total=after.total,
    )
