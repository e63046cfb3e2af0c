"""Counts a run for the governor, asks it, and keeps the structured state where it says so."""

from __future__ import annotations

from sidecar.capture.finished import Finished
from sidecar.capture.reading.compaction import Loss
from sidecar.context import Bracket, Standing, standing_of
from sidecar.governor import (
    RunPressure,
    Word,
    after_compaction,
    after_refusal,
    after_run,
    after_snapshot,
    after_turnover,
    in_session,
    is_renewed,
    judged,
)
from sidecar.runs import Counters, SubChat


def govern(one: Finished, state: SubChat) -> tuple[Word, SubChat]:
    """Counts the run, and asks the governor; what the session lost in the run puts no more pressure on it."""
    if not one.reached:
        return Word("ok", ()), state
    renewed = _is_renewed(one, state.counters)
    counters = after_run(_begun(one, state.counters, renewed=renewed), _pressure(one, renewed=renewed))
    counters = _after_loss(one, counters)
    word = judged(counters, one.settings, shadow=one.is_shadow)
    if word.action != "ok":
        counters = after_snapshot(counters, one.now_ms)
    return word, state._replace(counters=counters)


def _asked_fresh(one: Finished) -> bool:
    return one.given is not None and bool(one.given.record.get("fresh"))


def _is_renewed(one: Finished, counters: Counters) -> bool:
    session = one.params.session
    return session.after is not None and is_renewed(
        counters, session.before, session.after, asked_fresh=_asked_fresh(one)
    )


def _begun(one: Finished, counters: Counters, *, renewed: bool) -> Counters:
    """The counters of the session the run was in: none of them where that began with the run."""
    after = one.params.session.after
    if after is None:
        return counters
    if renewed:
        counters = after_turnover(counters, one.now_ms)
    elif _asked_fresh(one):
        counters = after_refusal(counters)
    return in_session(counters, after)


def _bracket(one: Finished, *, renewed: bool) -> Bracket | None:
    """How full the run's window was, as the host told; what it told before a turnover was of the one that was left."""
    if one.before is None or (renewed and _asked_fresh(one)):
        return None
    told: Bracket | None = one.before.record.get("bracket")
    return told


def _pressure(one: Finished, *, renewed: bool) -> RunPressure:
    given, standing = one.given.record if one.given is not None else None, _standing(one)
    return RunPressure(
        now_ms=one.now_ms,
        run_ms=one.run_ms,
        diff_lines=one.observed.diff_lines,
        committed_lines=one.observed.committed_lines,
        touched_lines=one.observed.touched_lines,
        grown_lines=one.observed.grown_lines,
        injected_bytes=int(given["metadata"]["wouldInjectBytes"]) if given is not None else 0,
        files=tuple(given["files"]) if given is not None else (),
        bracket=_bracket(one, renewed=renewed),
        score=standing.score,
        agent=standing.agent,
        next_agent_pending=standing.next_agent_pending,
        shadow=one.is_shadow,
    )


def _standing(one: Finished) -> Standing:
    """Where the agent stands among others: as the host tells, else as the project's session file says."""
    pipeline = one.params.pipeline
    if pipeline is not None:
        return Standing("", pipeline.score, pipeline.next_agent_pending)
    return standing_of(one.workspace.project, one.workspace.cwd, int(one.params.started_at.timestamp() * 1000))


def _after_loss(one: Finished, counters: Counters) -> Counters:
    if one.loss is Loss.SESSION:
        return after_turnover(counters, one.now_ms)
    started_ms = int(one.params.started_at.timestamp() * 1000)
    was_told = counters.compacted_at_ms is not None and counters.compacted_at_ms > started_ms
    if one.loss is Loss.TRANSCRIPT and not was_told:
        return after_compaction(counters, one.now_ms)
    return counters
