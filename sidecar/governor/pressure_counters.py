"""Pressure on a session: its counters, updated run by run. Pure."""

from dataclasses import replace
from typing import NamedTuple

from sidecar.context import (
    BRACKETS,
    Bracket,
    Interaction,
    with_compaction,
    with_interaction,
)
from sidecar.core.clock import MINUTE_MS
from sidecar.runs import PressureCounters

WINDOW_CALLS = 10
"""Number of calls over which injected bytes are summed."""

IDLE_GAP_MS = 10 * MINUTE_MS
"""A longer gap between two runs is a pause of the user and does not count as active time."""

MAX_SESSIONS = 20
"""Maximum number of known sessions of a conversation; returning to an older one looks like a new one."""

_ORDER = tuple(BRACKETS)


class RunPressure(NamedTuple):
    """Pressure added by one run: its duration, the diff after it, what its call received."""

    now_ms: int
    duration_ms: int = 0
    diff_lines: int = 0
    """Lines of the whole diff. If the run's own lines are unknown, its growth since the last run counts."""
    injected_bytes: int = 0
    files: tuple[str, ...] = ()
    bracket: Bracket | None = None
    """None if the host did not report how full the context window is."""
    score: float | None = None
    agent: str = ""
    """The agent with that score; empty if the host reported it."""
    next_agent_pending: bool = False
    shadow: bool = False
    """Whether nothing was sent, because passive mode only computes."""
    committed_lines: int = 0
    """Lines that the run committed, which the diff no longer contains."""
    touched_lines: int | None = None
    """Lines of the files that the run changed, an upper limit of the growth; None if unknown."""
    grown_lines: int | None = None
    """Lines that the run added to the diff; None if unknown."""
    run_id: str = ""
    """A host that also reports the run as an interaction of that id has it counted once."""


def counters_after_run(counters: PressureCounters, run: RunPressure) -> PressureCounters:
    """Add one run to the counters. A conversation's first run starts the clock.

    What passive mode only computed (`shadow`) stops counting with the first run that received something.
    """
    if counters.shadow and not run.shadow:
        counters = replace(_without_delivered(counters), delivered_bytes=0)
    growth = _growth(counters.last_diff_lines, run)
    return replace(
        counters,
        turns=counters.turns + 1,
        injected=(*counters.injected, run.injected_bytes)[-WINDOW_CALLS:],
        injected_before=max(0, counters.injected_before - max(0, len(counters.injected) + 1 - WINDOW_CALLS)),
        delivered_bytes=counters.delivered_bytes + run.injected_bytes,
        files=tuple(dict.fromkeys((*counters.files, *run.files))),
        diff_lines=counters.diff_lines + growth,
        last_diff_lines=run.diff_lines,
        active_ms=counters.active_ms + _active_ms(counters.last_seen_ms, run.now_ms, run.duration_ms),
        last_seen_ms=run.now_ms,
        bracket=_ORDER.index(run.bracket) if run.bracket is not None else None,
        session=with_interaction(counters.session, Interaction(run.run_id, run.bracket, run.agent, run.score)),
        next_agent_pending=run.next_agent_pending,
        shadow=run.shadow,
    )


def after_snapshot(counters: PressureCounters, now_ms: int) -> PressureCounters:
    """Record what a snapshot covers, so that it does not trigger another. The session still has all its pressure."""
    return replace(
        counters,
        turns_before=counters.turns,
        injected_before=len(counters.injected),
        files_before=len(counters.files),
        diff_lines_before=counters.diff_lines,
        active_ms_before=counters.active_ms,
        bracket_before=counters.bracket,
        snapshot_at_ms=now_ms,
    )


def after_new_session(counters: PressureCounters, now_ms: int) -> PressureCounters:
    """Return new counters for a fresh session."""
    return PressureCounters(
        last_diff_lines=counters.last_diff_lines,
        last_seen_ms=now_ms,
        snapshot_at_ms=counters.snapshot_at_ms,
        sessions=counters.sessions,
    )


def _growth(last_diff_lines: int | None, run: RunPressure) -> int:
    """Return the lines of the run's own changes, without those of a branch the user switched to or restored."""
    if run.grown_lines is not None:
        return run.grown_lines
    earlier_lines = last_diff_lines if last_diff_lines is not None else run.diff_lines
    grown = max(0, run.diff_lines + run.committed_lines - earlier_lines)
    return grown if run.touched_lines is None else min(grown, run.touched_lines)


def after_compaction(counters: PressureCounters, now_ms: int) -> PressureCounters:
    """Remove what a compacted session no longer has: the bytes and files it received."""
    return replace(
        _without_delivered(counters),
        bracket=0,
        bracket_before=0,
        session=with_compaction(counters.session),
        compacted_at_ms=now_ms,
    )


def before_fresh_session(counters: PressureCounters) -> PressureCounters:
    """Return the counters for a session about to start: only a manual rehydrate request remains."""
    return PressureCounters(rehydrate_reason=counters.rehydrate_reason)


def with_session(counters: PressureCounters, session_id: str) -> PressureCounters:
    """Record the session in which a run ended."""
    earlier = [session for session in counters.sessions if session != session_id]
    return replace(counters, sessions=(*earlier, session_id)[-MAX_SESSIONS:])


def after_refusal(counters: PressureCounters) -> PressureCounters:
    """Record that the host continued in the same session although a fresh one was requested."""
    return replace(counters, rehydrate_reason=None)


def after_request(counters: PressureCounters, causes: tuple[str, ...]) -> PressureCounters:
    """Record the causes of a request that was stated after the last run; only others are stated later."""
    known = {cause for cause, _ in counters.requested}
    new = tuple((cause, counters.turns) for cause in causes if cause not in known)
    return replace(counters, requested=(*counters.requested, *new))


def started_new_session(counters: PressureCounters, before: str | None, after: str, *, fresh_requested: bool) -> bool:
    """Whether a run ended in a session that started with it.

    The host decides, not our request: if a fresh session was requested and the same one continued, nothing restarted. A
    session that continues under another id, or is forked from another, has everything it had.
    """
    if after == before or after in counters.sessions:
        return False
    return fresh_requested or before is None


def _without_delivered(counters: PressureCounters) -> PressureCounters:
    return replace(counters, injected=(), injected_before=0, files=(), files_before=0)


def _active_ms(last_seen_ms: int | None, now_ms: int, duration_ms: int) -> int:
    """Return the active time since the last run: the whole run, and before it at most a short pause."""
    if last_seen_ms is None:
        return 0
    elapsed_ms = max(0, now_ms - last_seen_ms)
    working_ms = min(max(0, duration_ms), elapsed_ms)
    pause_ms = elapsed_ms - working_ms
    return working_ms + (pause_ms if pause_ms <= IDLE_GAP_MS else 0)
