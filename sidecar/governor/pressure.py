"""Pressure signals → ok, snapshot or rehydrate (decisions.md, Governor). Pure.

An action needs two signals at its threshold, or one at twice its threshold; time alone never triggers.
Reaching a value counts.
"""

from typing import NamedTuple

from sidecar.governor.model import GovernorAction
from sidecar.runs import Counters
from sidecar.settings.resolve import Settings

MINUTE_MS = 60_000
IDLE_GAP_MS = 10 * MINUTE_MS
"""A longer gap between two runs is a pause of the user's and does not count as elapsed."""

_RANK: dict[GovernorAction, int] = {"ok": 0, "snapshot": 1, "rehydrate": 2}


class Signal(NamedTuple):
    """One measure beside its two thresholds; `alone` says whether it may trigger by itself."""

    name: str
    words: str
    value: float
    snapshot_at: float
    rehydrate_at: float
    alone: bool = True


class Word(NamedTuple):
    """The governor's decision and its reasons in words."""

    action: GovernorAction
    reasons: tuple[str, ...]


def signals_of(counters: Counters, settings: Settings) -> tuple[Signal, ...]:
    """Puts a conversation's counters beside the thresholds of the settings."""

    def signal(name: str, words: str, value: float, *, alone: bool = True) -> Signal:
        snapshot_at = float(settings[f"governor.{name}Snapshot"])
        return Signal(name, words, value, snapshot_at, float(settings[f"governor.{name}Rehydrate"]), alone)

    window = int(settings["governor.windowCalls"])
    return (
        signal("turns", "turns since the last snapshot", counters.turns),
        signal("injectedBytes", f"bytes injected over the last {window} calls", sum(counters.injected[-window:])),
        signal("files", "distinct files given", len(counters.files)),
        signal("diffLines", "lines the difference has grown by", counters.diff_lines),
        signal("minutes", "active minutes since the last snapshot", counters.active_ms // MINUTE_MS, alone=False),
    )


def decide(signals: tuple[Signal, ...], *, snapshot_allowed: bool, rehydrate_allowed: bool) -> Word:
    """Gives the strongest action that is due and allowed; a withheld one is named in the reasons."""
    due: GovernorAction = "ok"
    reasons: tuple[str, ...] = ()
    for action in ("rehydrate", "snapshot"):
        reached = _reached(signals, action)
        if reached:
            due, reasons = action, tuple(_in_words(signal, action) for signal in reached)
            break
    allowed: GovernorAction = due
    if allowed == "rehydrate" and not rehydrate_allowed:
        allowed = "snapshot"
    if allowed == "snapshot" and not snapshot_allowed:
        allowed = "ok"
    if _RANK[allowed] < _RANK[due]:
        reasons = (*reasons, f"{due} is due but switched off in the settings")
    return Word(allowed, reasons)


def after_run(
    counters: Counters,
    *,
    now_ms: int,
    run_ms: int,
    diff_lines: int,
    injected_bytes: int,
    files: tuple[str, ...],
    window: int,
    shadow: bool = False,
) -> Counters:
    """Adds one run to the counters. The first run of a conversation sets the clock and the difference's baseline.

    What passive mode only pretended to give (`shadow`) stops counting with the first run that was given something.
    """
    if counters.shadow and not shadow:
        counters = counters._replace(injected=(), files=())
    growth = max(0, diff_lines - counters.last_diff_lines) if counters.last_diff_lines is not None else 0
    return counters._replace(
        turns=counters.turns + 1,
        injected=(*counters.injected, injected_bytes)[-window:],
        files=tuple(dict.fromkeys((*counters.files, *files))),
        diff_lines=counters.diff_lines + growth,
        last_diff_lines=diff_lines,
        active_ms=counters.active_ms + _active_ms(counters.last_seen_ms, now_ms, run_ms),
        last_seen_ms=now_ms,
        shadow=shadow,
    )


def after_snapshot(counters: Counters, now_ms: int, snapshot: dict[str, object]) -> Counters:
    """Begins to count anew, with the structured state that was kept."""
    return Counters(
        last_diff_lines=counters.last_diff_lines, last_seen_ms=now_ms, snapshot_at_ms=now_ms, snapshot=snapshot
    )


def _active_ms(last_seen_ms: int | None, now_ms: int, run_ms: int) -> int:
    """The time since the last run that counts: the run's own, however long, and before it no longer pause."""
    if last_seen_ms is None:
        return 0
    elapsed_ms = max(0, now_ms - last_seen_ms)
    working_ms = min(max(0, run_ms), elapsed_ms)
    pause_ms = elapsed_ms - working_ms
    return working_ms + (pause_ms if pause_ms <= IDLE_GAP_MS else 0)


def _reached(signals: tuple[Signal, ...], action: GovernorAction) -> tuple[Signal, ...]:
    """The signals that together make an action due; none where it is not."""
    reached = tuple(signal for signal in signals if signal.value >= _threshold(signal, action))
    strong = any(signal.alone and signal.value >= 2 * _threshold(signal, action) for signal in reached)
    return reached if len(reached) >= 2 or strong else ()


def _threshold(signal: Signal, action: GovernorAction) -> float:
    return signal.rehydrate_at if action == "rehydrate" else signal.snapshot_at


def _in_words(signal: Signal, action: GovernorAction) -> str:
    return f"{signal.value:,.0f} {signal.words} (from {_threshold(signal, action):,.0f})"
