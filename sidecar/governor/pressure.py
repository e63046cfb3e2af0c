"""Pressure signals → ok, snapshot or rehydrate (decisions.md, Governor). Pure.

An action needs two signals at its threshold, or one at twice its threshold; time and the bracket alone never trigger.
Reaching a value counts. Each spawn criterion, and the user's wish, forces a rehydrate.

A snapshot goes by what came since the last one, a rehydrate by what the session has had since it began: a snapshot
keeps what was reached, and takes nothing out of the session.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sidecar.context import BRACKETS, Wear, spawn_reasons
from sidecar.governor.model import GovernorAction
from sidecar.governor.pressure_counters import MINUTE_MS, WINDOW_CALLS
from sidecar.runs import Counters
from sidecar.settings.resolve import Settings

_ORDER = tuple(BRACKETS)
BRACKET_SNAPSHOT, BRACKET_REHYDRATE = _ORDER.index("DEPLETED"), _ORDER.index("CRITICAL")


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
    since: tuple[str, str] = ("", "")
    """How words go on for a snapshot, and for a rehydrate."""


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


class Word(NamedTuple):
    """The governor's decision and its reasons in words."""

    action: GovernorAction
    reasons: tuple[str, ...]
    causes: tuple[str, ...] = ()
    """The names of the signals that the reasons tell of; `forced` for a spawn criterion or the user's wish."""
    withheld: GovernorAction | None = None
    """The strongest action that was due and not allowed."""


_STRONGEST_FIRST: tuple[GovernorAction, ...] = ("rehydrate", "snapshot")
SWITCHED_OFF = "switched off in the settings"
REFUSED = "the host went on in the same session when it was last asked"
_SINCE = (" since the last snapshot", " in this session")


def signals_of(counters: Counters) -> tuple[Signal, ...]:
    """Return a conversation's counters with their thresholds."""

    def signal(
        name: str, words: str, value: float, before: float, *, alone: bool = True, since: tuple[str, str] = _SINCE
    ) -> Signal:
        threshold = THRESHOLDS[name]
        return Signal(name, words, value, value - before, threshold.snapshot, threshold.rehydrate, alone, since)

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
        signal("files", "distinct files given", len(counters.files), counters.files_before),
        signal("diffLines", "lines more in the difference", counters.diff_lines, counters.diff_lines_before),
        signal("minutes", "active minutes", minutes, minutes - new_minutes, alone=False),
        Signal(
            "bracket", _ORDER[bracket], bracket, bracket if bracket > counters.bracket_before else 0,
            BRACKET_SNAPSHOT, BRACKET_REHYDRATE, alone=False,
        ),
    )  # fmt: skip


def wear_of(counters: Counters) -> Wear:
    """Gives what the spawn criteria ask of a session."""
    return Wear(
        counters.compactions,
        counters.critical_in_a_row,
        counters.last_score,
        counters.score,
        counters.next_agent_pending,
    )


@lru_cache(maxsize=64)
def judged(counters: Counters, settings: Settings, *, shadow: bool) -> Word:
    """Gives the word on a conversation: by its signals, the spawn criteria, and whether the user asked."""
    forced = () if counters.asked is None else (f"asked for{': ' if counters.asked else ' by hand'}{counters.asked}",)
    withheld: dict[GovernorAction, str] = {}
    if not settings["snapshot"]:
        withheld["snapshot"] = SWITCHED_OFF
    if shadow or not (settings["rehydrate"] or forced):
        withheld["rehydrate"] = SWITCHED_OFF
    elif counters.refused_at is not None and counters.turns - counters.refused_at < THRESHOLDS["turns"].snapshot:
        withheld["rehydrate"] = REFUSED
    return decide(signals_of(counters), (*forced, *spawn_reasons(wear_of(counters))), withheld)


def decide(signals: tuple[Signal, ...], forced: tuple[str, ...], withheld: Mapping[GovernorAction, str]) -> Word:
    """Gives the strongest action that is due and not withheld; one that is, is named with its reason.

    A rehydrate that is withheld is no reason to snapshot again and again: that needs pressure since the last one.
    """
    named: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    denied: GovernorAction | None = None
    for action in _STRONGEST_FIRST:
        demands, due = (forced if action == "rehydrate" else ()), _due(signals, action)
        if not (demands or due):
            continue
        if not reasons:
            reasons = (*demands, *(_in_words(signal, action) for signal in due))
            causes = (*(("forced",) if demands else ()), *(signal.name for signal in due))
        if action not in withheld:
            return Word(action, (*reasons, *named), causes, denied)
        named = named or (f"{action} is due but {withheld[action]}",)
        denied = denied or action
    return Word("ok", (*reasons, *named), causes, denied)


def _due(signals: tuple[Signal, ...], action: GovernorAction) -> tuple[Signal, ...]:
    """The signals that together make an action due; none where it is not."""
    reached = tuple(signal for signal in signals if _value(signal, action) >= _threshold(signal, action))
    strong = any(signal.alone and _is_double(signal, action) for signal in reached)
    return reached if len(reached) >= 2 or strong else ()


def _value(signal: Signal, action: GovernorAction) -> float:
    return signal.value if action == "rehydrate" else signal.since_snapshot


def _threshold(signal: Signal, action: GovernorAction) -> float:
    return signal.rehydrate_at if action == "rehydrate" else signal.snapshot_at


def _is_double(signal: Signal, action: GovernorAction) -> bool:
    return _value(signal, action) >= 2 * _threshold(signal, action)


def _in_words(signal: Signal, action: GovernorAction) -> str:
    """Says what was reached, and why it is enough by itself where it is."""
    if signal.name == "bracket":
        return f"the context window is {signal.words}"
    amount = f"{_value(signal, action):,.0f} {signal.words}{signal.since[action == 'rehydrate']}"
    times = "twice" if signal.alone and _is_double(signal, action) else "from"
    return f"{amount} ({times} {_threshold(signal, action):,.0f})"
