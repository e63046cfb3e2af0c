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


class Signal(NamedTuple):
    """One measure beside its two thresholds; `alone` says whether it may trigger by itself."""

    name: str
    words: str
    value: float
    since_snapshot: float
    """The part of the value that came after the last snapshot: what a snapshot has kept does not ask for another."""
    snapshot_at: float
    rehydrate_at: float
    alone: bool = True


class Word(NamedTuple):
    """The governor's decision and its reasons in words."""

    action: GovernorAction
    reasons: tuple[str, ...]


def signals_of(counters: Counters, settings: Settings) -> tuple[Signal, ...]:
    """Puts a conversation's counters beside the thresholds of the settings."""

    def signal(name: str, words: str, value: float, since: float | None = None, *, alone: bool = True) -> Signal:
        news = value if since is None else since
        snapshot_at = float(settings[f"governor.{name}Snapshot"])
        return Signal(name, words, value, news, snapshot_at, float(settings[f"governor.{name}Rehydrate"]), alone)

    window = int(settings["governor.windowCalls"])
    injected, files = counters.injected[-window:], counters.files
    new_bytes = sum(counters.injected[counters.injected_before :][-window:])
    return (
        signal("turns", "turns since the last snapshot", counters.turns),
        signal("injectedBytes", f"bytes injected over the last {window} calls", sum(injected), new_bytes),
        signal("files", "distinct files given", len(files), len(files) - counters.files_before),
        signal("diffLines", "lines the difference has grown by", counters.diff_lines),
        signal("minutes", "active minutes since the last snapshot", counters.active_ms // MINUTE_MS, alone=False),
    )


def decide(signals: tuple[Signal, ...], *, snapshot_allowed: bool, rehydrate_allowed: bool) -> Word:
    """Gives the strongest action that is due and allowed; a withheld one is named in the reasons.

    A rehydrate that is switched off is no reason to snapshot again and again: that needs pressure since the last one.
    """
    allowed: dict[GovernorAction, bool] = {"rehydrate": rehydrate_allowed, "snapshot": snapshot_allowed}
    withheld: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    for action, is_allowed in allowed.items():
        reached = _reached(signals, action)
        if not reached:
            continue
        reasons = reasons or tuple(_in_words(signal, action) for signal in reached)
        if is_allowed:
            return Word(action, (*reasons, *withheld))
        withheld = withheld or (f"{action} is due but switched off in the settings",)
    return Word("ok", (*reasons, *withheld))


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
        counters = counters._replace(injected=(), injected_before=0, files=(), files_before=0)
    growth = max(0, diff_lines - counters.last_diff_lines) if counters.last_diff_lines is not None else 0
    return counters._replace(
        turns=counters.turns + 1,
        injected=(*counters.injected, injected_bytes)[-window:],
        injected_before=max(0, counters.injected_before - max(0, len(counters.injected) + 1 - window)),
        files=tuple(dict.fromkeys((*counters.files, *files))),
        diff_lines=counters.diff_lines + growth,
        last_diff_lines=diff_lines,
        active_ms=counters.active_ms + _active_ms(counters.last_seen_ms, now_ms, run_ms),
        last_seen_ms=now_ms,
        shadow=shadow,
    )


def after_snapshot(counters: Counters, now_ms: int, snapshot: dict[str, object]) -> Counters:
    """Begins to count turns, lines and time anew; the session still has the bytes and files it was given."""
    return after_turnover(counters, now_ms, snapshot)._replace(
        injected=counters.injected,
        injected_before=len(counters.injected),
        files=counters.files,
        files_before=len(counters.files),
        shadow=counters.shadow,
    )


def after_turnover(counters: Counters, now_ms: int, snapshot: dict[str, object]) -> Counters:
    """Begins to count everything anew, for a fresh session, with the structured state that was kept."""
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
    reached = tuple(signal for signal in signals if _value(signal, action) >= _threshold(signal, action))
    strong = any(signal.alone and _value(signal, action) >= 2 * _threshold(signal, action) for signal in reached)
    return reached if len(reached) >= 2 or strong else ()


def _value(signal: Signal, action: GovernorAction) -> float:
    return signal.value if action == "rehydrate" else signal.since_snapshot


def _threshold(signal: Signal, action: GovernorAction) -> float:
    return signal.rehydrate_at if action == "rehydrate" else signal.snapshot_at


def _in_words(signal: Signal, action: GovernorAction) -> str:
    return f"{_value(signal, action):,.0f} {signal.words} (from {_threshold(signal, action):,.0f})"
