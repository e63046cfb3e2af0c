"""Pressure signals → ok, snapshot or rehydrate (decisions.md, Governor). Pure.

An action needs two signals at their thresholds, or one at twice its threshold; time or the bracket alone never
trigger. A value equal to its threshold counts. Each restart criterion, and the user's request, forces a rehydrate.

A snapshot counts what was added since the last one, a rehydrate what was added since the session started: a snapshot
stores what was reached, and removes nothing from the session.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecar.context import BRACKETS, SessionCounters, restart_reasons
from sidecar.governor.model import GovernorAction
from sidecar.governor.pressure_counters import MINUTE_MS, WINDOW_CALLS
from sidecar.runs import Counters
from sidecar.settings.resolve import Settings

_ORDER = tuple(BRACKETS)
BRACKET_SNAPSHOT, BRACKET_REHYDRATE = _ORDER.index("DEPLETED"), _ORDER.index("CRITICAL")


class Signal(NamedTuple):
    """A measure and its two thresholds; `sufficient_alone`: whether it may trigger by itself."""

    name: str
    label: str
    value: float
    since_snapshot: float
    """The part added after the last snapshot; what a snapshot already covers does not trigger another."""
    snapshot_at: float
    rehydrate_at: float
    sufficient_alone: bool = True
    since: tuple[str, str] = ("", "")
    """Suffix of the label for a snapshot, and for a rehydrate."""


class Threshold(NamedTuple):
    """The values at which a signal counts towards a snapshot and towards a rehydrate."""

    snapshot: float
    rehydrate: float


THRESHOLDS: dict[str, Threshold] = {
    "turns": Threshold(7, 12),
    "injectedBytes": Threshold(90_000, 150_000),
    "files": Threshold(10, 18),
    "diffLines": Threshold(160, 280),
    "minutes": Threshold(25, 50),
}
"""By signal (decisions.md, Governor). The bracket has its own two."""


class Decision(NamedTuple):
    """The governor's decision and its reasons in words."""

    action: GovernorAction
    reasons: tuple[str, ...]
    triggers: tuple[str, ...] = ()
    """Signals behind the reasons; `forced` for a restart criterion or the user's request."""
    suppressed: GovernorAction | None = None
    """The strongest action that was due and not allowed."""


_STRONGEST_FIRST: tuple[GovernorAction, ...] = ("rehydrate", "snapshot")
SWITCHED_OFF = "switched off in the settings"
REFUSED = "the host continued the same session at the last request"
_SINCE = (" since the last snapshot", " in this session")


def signals_of(counters: Counters) -> tuple[Signal, ...]:
    """Return a conversation's counters with the thresholds from the settings."""

    def signal(
        name: str,
        label: str,
        value: float,
        at_snapshot: float,
        *,
        sufficient_alone: bool = True,
        since: tuple[str, str] = _SINCE,
    ) -> Signal:
        threshold = THRESHOLDS[name]
        return Signal(
            name, label, value, value - at_snapshot, threshold.snapshot, threshold.rehydrate, sufficient_alone, since
        )

    injected = sum(counters.injected[-WINDOW_CALLS:])
    new_bytes = sum(counters.injected[counters.injected_before :][-WINDOW_CALLS:])
    minutes = counters.active_ms // MINUTE_MS
    new_minutes = (counters.active_ms - counters.active_ms_before) // MINUTE_MS
    bracket = counters.bracket
    return (
        signal("turns", "turns", counters.turns, counters.turns_before),
        signal(
            "injectedBytes", f"bytes injected over the last {WINDOW_CALLS} calls", injected, injected - new_bytes,
            since=("", ""),
        ),
        signal("files", "distinct files delivered", len(counters.files), counters.files_before),
        signal("diffLines", "lines added to the diff", counters.diff_lines, counters.diff_lines_before),
        signal("minutes", "active minutes", minutes, minutes - new_minutes, sufficient_alone=False),
        Signal(
            "bracket", _ORDER[bracket], bracket, bracket if bracket > counters.bracket_before else 0,
            BRACKET_SNAPSHOT, BRACKET_REHYDRATE, sufficient_alone=False,
        ),
    )  # fmt: skip


def session_counters_of(counters: Counters) -> SessionCounters:
    """Return the counters that the restart criteria use."""
    return SessionCounters(
        counters.compactions,
        counters.critical_in_a_row,
        counters.last_score,
        counters.score,
        counters.next_agent_pending,
    )


@lru_cache(maxsize=64)
def evaluate(counters: Counters, settings: Settings, *, shadow: bool) -> Decision:
    """Return the decision on a conversation, from its signals, the restart criteria, and a request by the user."""
    forced = (
        ()
        if counters.rehydrate_reason is None
        else (f"requested: {counters.rehydrate_reason}" if counters.rehydrate_reason else "requested manually",)
    )
    suppressed: dict[GovernorAction, str] = {}
    if not settings["snapshot"]:
        suppressed["snapshot"] = SWITCHED_OFF
    if shadow or not (settings["rehydrate"] or forced):
        suppressed["rehydrate"] = SWITCHED_OFF
    elif (
        counters.refused_at_turn is not None
        and counters.turns - counters.refused_at_turn < THRESHOLDS["turns"].snapshot
    ):
        suppressed["rehydrate"] = REFUSED
    return decide(signals_of(counters), (*forced, *restart_reasons(session_counters_of(counters))), suppressed)


def decide(signals: tuple[Signal, ...], forced: tuple[str, ...], suppressed: Mapping[GovernorAction, str]) -> Decision:
    """Return the strongest action that is due and not suppressed. A suppressed action is reported with its reason.

    A suppressed rehydrate does not cause repeated snapshots: those need pressure since the last one.
    """
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    suppressed_action: GovernorAction | None = None
    for action in _STRONGEST_FIRST:
        forced_reasons, due_signals = (forced if action == "rehydrate" else ()), _due(signals, action)
        if not (forced_reasons or due_signals):
            continue
        if not reasons:
            reasons = (*forced_reasons, *(_describe(signal, action) for signal in due_signals))
            triggers = (*(("forced",) if forced_reasons else ()), *(signal.name for signal in due_signals))
        if action not in suppressed:
            return Decision(action, (*reasons, *notes), triggers, suppressed_action)
        notes = notes or (f"{action} is due but {suppressed[action]}",)
        suppressed_action = suppressed_action or action
    return Decision("ok", (*reasons, *notes), triggers, suppressed_action)


def _due(signals: tuple[Signal, ...], action: GovernorAction) -> tuple[Signal, ...]:
    """Return the signals that together make an action due; none if it is not."""
    reached = tuple(signal for signal in signals if _value(signal, action) >= _threshold(signal, action))
    strong = any(signal.sufficient_alone and _is_double(signal, action) for signal in reached)
    return reached if len(reached) >= 2 or strong else ()


def _value(signal: Signal, action: GovernorAction) -> float:
    return signal.value if action == "rehydrate" else signal.since_snapshot


def _threshold(signal: Signal, action: GovernorAction) -> float:
    return signal.rehydrate_at if action == "rehydrate" else signal.snapshot_at


def _is_double(signal: Signal, action: GovernorAction) -> bool:
    return _value(signal, action) >= 2 * _threshold(signal, action)


def _describe(signal: Signal, action: GovernorAction) -> str:
    """Describe what was reached, and why it is sufficient alone if it is."""
    if signal.name == "bracket":
        return f"the context window is {signal.label}"
    amount = f"{_value(signal, action):,.0f} {signal.label}{signal.since[action == 'rehydrate']}"
    times = "twice" if signal.sufficient_alone and _is_double(signal, action) else "from"
    return f"{amount} ({times} {_threshold(signal, action):,.0f})"
