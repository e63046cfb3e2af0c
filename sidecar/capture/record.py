"""Records of a finished run in the state file: its row and metrics, test verdicts, drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import apsw

from sidecar.capture.drafts.adr import boundary_events, store_adr
from sidecar.capture.drafts.devlog import fixes, store_devlog, window_begin_ms
from sidecar.capture.drafts.rejected_approach import (
    direction_change_of,
    direction_events,
    new_rejected_approaches,
    store_rejected_approaches,
)
from sidecar.capture.model import PostRunResult
from sidecar.capture.pack_metrics import measure_run, measures_of
from sidecar.capture.run import FinishedRun
from sidecar.capture.test_results.verdicts import Verdict, VerdictChange, change_of
from sidecar.core.secrets.redact import redact
from sidecar.governor import Decision
from sidecar.metrics import count_call, labelled, roll_up
from sidecar.runs import Artifact, FailingTests, Item, SubChat, artifacts, delete_old_runs, records
from sidecar.runs.model import FileChange, RunRecord

READ_CHARACTERS = 20_000
STORED_CHARACTERS = 2_000
"""Maximum number of characters stored of a conclusion's beginning, and of its end."""


def stored_conclusion(text: str) -> str:
    """Return the stored part of a conclusion, its beginning and its end, with secrets masked."""
    is_long = len(text) > 2 * READ_CHARACTERS
    masked = redact(f"{text[:READ_CHARACTERS]}\n{text[-READ_CHARACTERS:]}" if is_long else text)
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
    decision: Decision,
    items_before: Mapping[str, Item],
    drafts: Sequence[Artifact],
) -> None:
    """Write the run's row with the answer it received, and count it.

    `items_before` is what its session had before the run.

    Only new drafts are counted: one that continues was counted when it started.
    """
    params, metrics = run.params, measure_run(tx, run, items_before)
    records.record_run(
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
            objective=state.task.objective if state.task else "",
            conclusion=stored_conclusion(run.conclusion),
            changes=_changes(run),
            usage=params.usage,
            pack_metrics=metrics,
            result=result.model_dump_json(by_alias=True).encode(),
            started_at_ms=int(params.started_at.timestamp() * 1000),
            finished_at_ms=int(params.finished_at.timestamp() * 1000),
            recorded_at_ms=run.now_ms,
        ),
    )
    records.name_project(tx, run.workspace.project_key, redact(run.workspace.project.name))
    new = sum(artifact.created_at_ms == run.now_ms for artifact in drafts)
    usage = params.usage.model_dump(exclude_none=True, by_alias=True) if params.usage else {}
    count_call(
        tx, run.workspace.project_key, params.provider, shadow=run.is_shadow, now_ms=run.now_ms,
        measures={
            "runs": 1, f"outcome.{params.outcome}": 1, "drafts": new, **usage, **measures_of(metrics),
            **(_governed(decision) if run.reached_provider else {}),
        },
    )  # fmt: skip
    roll_up(tx, run.now_ms)
    delete_old_runs(tx, run.now_ms, int(run.call.process.settings("")["retention.days"]))


def _governed(decision: Decision) -> dict[str, float]:
    """Return the counters of the governor's decision and of what triggered it."""
    return {
        labelled("governor", action=decision.action): 1.0,
        **{labelled("governor.reason", reason=reason): 1.0 for reason in decision.triggers},
        **({labelled("governor.suppressed", action=decision.suppressed): 1.0} if decision.suppressed else {}),
    }


def store_drafts(
    tx: apsw.Connection,
    run: FinishedRun,
    state: SubChat,
    steps: Sequence[tuple[str, str]],
    tests: Sequence[VerdictChange],
) -> list[Artifact]:
    """Draft what a completed run is worth. A run that was aborted, failed or never started drafts nothing.

    `state` is the conversation's state before the run, `steps` its task list afterwards, `tests` the changed verdicts.
    """
    if run.params.outcome != "completed":
        return []
    change = direction_change_of(tx, run, state, steps)
    new_approaches = new_rejected_approaches(tx, run, change)
    direction_news = direction_events(run, change, new_approaches)
    boundary_news, fixes_news = boundary_events(run.boundaries), fixes(tests, run.effects.files)
    covered = _covered_events(tx, run, run.start_head) if boundary_news else frozenset[str]()
    recently_covered = _covered_events(tx, run, None) if fixes_news or direction_news else frozenset[str]()
    events = [event for event in boundary_news if event.key not in covered]
    events += [event for event in (*fixes_news, *direction_news) if event.key not in recently_covered]
    drafts = [store_devlog(tx, run, state, events), store_adr(tx, run, state, run.boundaries, covered)]
    rejected = store_rejected_approaches(tx, run, state, new_approaches, tests)
    return [artifact for artifact in (*drafts, *rejected) if artifact is not None]


def _covered_events(tx: apsw.Connection, run: FinishedRun, start_commit: str | None) -> frozenset[str]:
    """Return the events covered by artifacts within the dedupe window, and by older ones that started at the commit."""
    return artifacts.covered_events(tx, run.workspace.project_key, window_begin_ms(run), start_commit)


def store_test_verdicts(tx: apsw.Connection, run: FinishedRun) -> list[VerdictChange]:
    """Store each runner's verdict and return what the run changed.

    While a runner keeps failing, the failure is identified by the run in which it started.
    """
    earlier = {failing.runner: failing for failing in records.failing_tests(tx, run.workspace.key)}
    changes = []
    for runner in dict.fromkeys(outcome.runner for outcome in run.tests):
        earlier_failure = earlier.get(runner)
        of_runner = [outcome for outcome in run.tests if outcome.runner == runner]
        change = change_of(runner, _verdict(earlier_failure), of_runner)
        failing = _failing(change, earlier_failure, run)
        records.put_tests(tx, run.workspace.key, failing, "failed" if change.is_red else "passed", run.now_ms)
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
