"""Counts a run for the governor, asks it, and keeps the structured state where it says so."""

from __future__ import annotations

import apsw

from sidecar.capture.finished import Finished
from sidecar.core.redact import redact
from sidecar.governor import Word, after_run, after_snapshot, after_turnover, decide, signals_of
from sidecar.runs import SubChat, records

SNAPSHOT_RUNS = 50
SNAPSHOT_FILES = 60
"""How far back the structured state looks for files the conversation changed, and how many it names."""


def govern(tx: apsw.Connection, one: Finished, state: SubChat) -> tuple[Word, SubChat]:
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
