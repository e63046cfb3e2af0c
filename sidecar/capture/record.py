"""The record of a run that ended, and what is counted of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from sidecar.capture.drafts.adr import boundary_events, keep_adr
from sidecar.capture.drafts.devlog import keep_devlog, window_begin_ms
from sidecar.capture.drafts.events import fixes
from sidecar.capture.drafts.rejected_approach import keep_rejections, new_rejections, turn_events, turn_of
from sidecar.capture.effects.worktree_changes import Change as ChangedFile
from sidecar.capture.model import PostRunResult
from sidecar.capture.pack_metrics import measured
from sidecar.capture.run import Finished
from sidecar.capture.test_results.verdicts import Change, Verdict, change_of
from sidecar.core.secrets.redact import redact
from sidecar.governor import Word
from sidecar.metrics import count_call, labelled, roll_up
from sidecar.runs import Artifact, FailingTests, Item, SubChat, artifacts, forget_old, records
from sidecar.runs import records as telling

LOOKED_AT_CHARACTERS = 20_000
KEPT_CHARACTERS = 2_000
"""Of what an agent said last so much is kept of its beginning, and as much of its end."""


def kept_conclusion(text: str) -> str:
    """Gives of a conclusion what is kept: how it begins and how it ends, its secrets masked."""
    is_long = len(text) > 2 * LOOKED_AT_CHARACTERS
    told = redact(f"{text[:LOOKED_AT_CHARACTERS]}\n{text[-LOOKED_AT_CHARACTERS:]}" if is_long else text)
    if len(told) <= 2 * KEPT_CHARACTERS:
        return told
    return f"{told[:KEPT_CHARACTERS].rstrip()}\n…\n{told[-KEPT_CHARACTERS:].lstrip()}"


def _touched(one: Finished, change: ChangedFile) -> list[Any]:
    """A changed file with its counts and, where they are known, the marks of the lines that are left of this work."""
    kept = one.lines.kept.get(change.path)
    return [*change, *((kept.digest, sorted(kept.lines)) if kept is not None else ())]


def keep_run(
    tx: apsw.Connection,
    one: Finished,
    state: SubChat,
    result: PostRunResult,
    word: Word,
    had: Mapping[str, Item],
    drafted: Sequence[Artifact],
) -> None:
    """Writes the run's row with the answer it was given, and counts it; `had` is what its session had before.

    Of the artifacts it `drafted` those count that are new: a draft that goes on was counted when it began.
    """
    params, worth = one.params, measured(tx, one, had)
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
            "objective": state.task.objective if state.task else "",
            "conclusion": kept_conclusion(one.conclusion),
            "touched": [_touched(one, change) for change in one.observed.changes],
            "usage": params.usage.model_dump(mode="json", by_alias=True) if params.usage else None,
            "worth": worth.record,
            "result": result.model_dump(mode="json", by_alias=True),
            "started_at_ms": int(params.started_at.timestamp() * 1000),
            "finished_at_ms": int(params.finished_at.timestamp() * 1000),
            "recorded_at_ms": one.now_ms,
        },
    )
    telling.name_project(tx, one.workspace.project_key, redact(one.workspace.project.name))
    new = sum(artifact.created_at_ms == one.now_ms for artifact in drafted)
    usage = params.usage.model_dump(exclude_none=True, by_alias=True) if params.usage else {}
    count_call(
        tx, one.workspace.project_key, params.provider, shadow=one.is_shadow, now_ms=one.now_ms,
        measures={
            "runs": 1, f"outcome.{params.outcome}": 1, "drafts": new, **usage, **worth.measures,
            **(_governed(word) if one.reached else {}),
        },
    )  # fmt: skip
    roll_up(tx, one.now_ms)
    forget_old(tx, one.now_ms, int(one.call.process.settings("")["retention.days"]))


def _governed(word: Word) -> dict[str, float]:
    """Counts the governor's word and what made it."""
    return {
        labelled("governor", action=word.action): 1.0,
        **{labelled("governor.cause", cause=cause): 1.0 for cause in word.causes},
        **({labelled("governor.withheld", action=word.withheld): 1.0} if word.withheld else {}),
    }


# Drafts what a completed run is worth keeping: the events first, then the texts that tell of them.


def keep_drafts(
    tx: apsw.Connection, one: Finished, state: SubChat, steps: Sequence[tuple[str, str]], tests: Sequence[Change]
) -> list[Artifact]:
    """Drafts what a run is worth; one that was aborted, failed or never began drafts nothing.

    `state` is the conversation's before the run, `steps` its task list after it, `tests` what the run changed of the
    runners' verdicts.
    """
    if one.params.outcome != "completed":
        return []
    turn = turn_of(tx, one, state, steps)
    news = new_rejections(tx, one, turn)
    turned = turn_events(one, turn, news)
    touched, mended = boundary_events(one.boundaries), fixes(tests, one.observed.files)
    known = _told(tx, one, one.start_head) if touched else frozenset[str]()
    lately = _told(tx, one, None) if mended or turned else frozenset[str]()
    events = [event for event in touched if event.key not in known]
    events += [event for event in (*mended, *turned) if event.key not in lately]
    drafted = [keep_devlog(tx, one, state, events), keep_adr(tx, one, state, one.boundaries, known)]
    notes = keep_rejections(tx, one, state, news, tests)
    return [artifact for artifact in (*drafted, *notes) if artifact is not None]


def _told(tx: apsw.Connection, one: Finished, start_commit: str | None) -> frozenset[str]:
    """What artifacts within the dedupe window tell of, whatever became of them; older ones that began at a commit."""
    return artifacts.told_events(tx, one.workspace.project_key, window_begin_ms(one), start_commit)


# What a run's tests said, kept per runner of the workspace.


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
