"""What a run's tests said, kept per runner of the workspace."""

from __future__ import annotations

import apsw

from sidecar.capture.finished import Finished
from sidecar.core.redact import redact
from sidecar.runs import FailingTests, records


def keep_tests(tx: apsw.Connection, one: Finished) -> None:
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
