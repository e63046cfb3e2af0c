"""What puts pressure on a session, counted run by run. Pure."""

from typing import NamedTuple

from sidecar.context import BRACKETS, Bracket
from sidecar.runs import Counters

WINDOW_CALLS = 10
"""Number of calls over which injected bytes are summed."""

MINUTE_MS = 60_000
IDLE_GAP_MS = 10 * MINUTE_MS
"""A longer gap between two runs is a pause of the user's and does not count as elapsed."""

KEPT_SESSIONS = 20
"""Sessions of a conversation that are known as such; going back to an older one looks like a new one."""

_ORDER = tuple(BRACKETS)


class RunPressure(NamedTuple):
    """What one run adds: its length, the difference after it, what its call was given."""

    now_ms: int
    run_ms: int = 0
    diff_lines: int = 0
    """Lines of the whole difference; where the run's own are not known, what it has grown by since the last run."""
    injected_bytes: int = 0
    files: tuple[str, ...] = ()
    bracket: Bracket | None = None
    """None where the host did not tell how full the context window is."""
    score: float | None = None
    agent: str = ""
    """Whose score it is; empty where the host told it."""
    next_agent_pending: bool = False
    shadow: bool = False
    """Whether it was given nothing, as passive mode only computes."""
    committed_lines: int = 0
    """Lines that the run committed: they are no longer in the difference."""
    touched_lines: int | None = None
    """Lines of what the run changed: it has not made the difference grow by more. None where that is not known."""
    grown_lines: int | None = None
    """Lines that the run made the difference grow by; None where that is not known."""


def after_run(counters: Counters, run: RunPressure) -> Counters:
    """Adds one run to the counters. The first run of a conversation sets the clock.

    What passive mode only pretended to give (`shadow`) stops counting with the first run that was given something.
    """
    if counters.shadow and not run.shadow:
        counters = _without_given(counters)
    growth = _growth(counters.last_diff_lines, run)
    return counters._replace(
        turns=counters.turns + 1,
        injected=(*counters.injected, run.injected_bytes)[-WINDOW_CALLS:],
        injected_before=max(0, counters.injected_before - max(0, len(counters.injected) + 1 - WINDOW_CALLS)),
        files=tuple(dict.fromkeys((*counters.files, *run.files))),
        diff_lines=counters.diff_lines + growth,
        last_diff_lines=run.diff_lines,
        active_ms=counters.active_ms + _active_ms(counters.last_seen_ms, run.now_ms, run.run_ms),
        last_seen_ms=run.now_ms,
        bracket=_ORDER.index(run.bracket) if run.bracket is not None else 0,
        critical_in_a_row=counters.critical_in_a_row + 1 if run.bracket == _ORDER[-1] else 0,
        score=run.score if run.score is not None or run.agent != counters.agent else counters.score,
        last_score=counters.last_score if run.agent == counters.agent else None,
        agent=run.agent,
        next_agent_pending=run.next_agent_pending,
        shadow=run.shadow,
    )


def after_snapshot(counters: Counters, now_ms: int) -> Counters:
    """Remembers what a snapshot has kept: it asks for no other one. The session has all its pressure still."""
    return counters._replace(
        turns_before=counters.turns,
        injected_before=len(counters.injected),
        files_before=len(counters.files),
        diff_lines_before=counters.diff_lines,
        active_ms_before=counters.active_ms,
        bracket_before=counters.bracket,
        snapshot_at_ms=now_ms,
    )


def after_turnover(counters: Counters, now_ms: int) -> Counters:
    """Begins to count everything anew, for a fresh session."""
    return Counters(
        last_diff_lines=counters.last_diff_lines,
        last_seen_ms=now_ms,
        snapshot_at_ms=counters.snapshot_at_ms,
        sessions=counters.sessions,
    )


def _growth(last_diff_lines: int | None, run: RunPressure) -> int:
    """The lines of the run's own changes: not of a branch the user switched to, nor of what he brought back."""
    if run.grown_lines is not None:
        return run.grown_lines
    begun = last_diff_lines if last_diff_lines is not None else run.diff_lines
    grown = max(0, run.diff_lines + run.committed_lines - begun)
    return grown if run.touched_lines is None else min(grown, run.touched_lines)


def after_compaction(counters: Counters, now_ms: int) -> Counters:
    """Takes away what a compacted session no longer holds: the bytes and files it was given."""
    return _without_given(counters)._replace(
        bracket=0,
        bracket_before=0,
        compactions=counters.compactions + 1,
        compacted_at_ms=now_ms,
        last_score=counters.score,
    )


def before_new_session(counters: Counters) -> Counters:
    """Gives what presses on a session that the host is about to begin: nothing but the user's wish for a fresh one."""
    return Counters(asked=counters.asked)


def in_session(counters: Counters, session_id: str) -> Counters:
    """Notes the session a run ended in."""
    others = [known for known in counters.sessions if known != session_id]
    return counters._replace(sessions=(*others, session_id)[-KEPT_SESSIONS:])


def after_refusal(counters: Counters) -> Counters:
    """Remembers that the host went on in the same session: it is asked again once there is new pressure."""
    return counters._replace(asked=None, refused_at=counters.turns)


def is_renewed(counters: Counters, before: str | None, after: str, *, asked_fresh: bool) -> bool:
    """Says whether a run ended in a session that began with it.

    The host's word decides, not ours: where a fresh session was asked for and the same one went on, nothing was turned
    over. One that goes on under another id, or is forked from another, has all that it had.
    """
    if after == before or after in counters.sessions:
        return False
    return asked_fresh or before is None


def _without_given(counters: Counters) -> Counters:
    return counters._replace(injected=(), injected_before=0, files=(), files_before=0)


def _active_ms(last_seen_ms: int | None, now_ms: int, run_ms: int) -> int:
    """The time since the last run that counts: the run's own, however long, and before it no longer pause."""
    if last_seen_ms is None:
        return 0
    elapsed_ms = max(0, now_ms - last_seen_ms)
    working_ms = min(max(0, run_ms), elapsed_ms)
    pause_ms = elapsed_ms - working_ms
    return working_ms + (pause_ms if pause_ms <= IDLE_GAP_MS else 0)
