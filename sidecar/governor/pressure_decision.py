"""Decision on a session under pressure: signals → ok, snapshot or rehydrate. Pure.

An action needs two signals at their thresholds, or one at twice its threshold; time or the bracket alone never
trigger. A value equal to its threshold counts. A rehydrate needs a signal of the session itself: lines of the diff,
with or without time, never make one due. It also needs a window that is used up: its thresholds hold in a CRITICAL one,
are twice as high in a DEPLETED one or if the host reports none, and with more room left none is due. Each restart
criterion, and the user's request, forces a rehydrate. A request is stated once per provider session and cause, whether
or not it may be followed.

A snapshot counts what was added since the last one, a rehydrate what was added since the session started: a snapshot
stores what was reached, and removes nothing from the session.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from sidecar.context import BRACKETS, restart_criteria, session_counters
from sidecar.core.clock import MINUTE_MS
from sidecar.governor.pressure_counters import WINDOW_CALLS
from sidecar.runs import PressureCounters
from sidecar.settings.resolve import Settings

GovernorAction = Literal["ok", "snapshot", "rehydrate"]

_ORDER = tuple(BRACKETS)
BRACKET_SNAPSHOT, BRACKET_REHYDRATE = _ORDER.index("DEPLETED"), _ORDER.index("CRITICAL")


class Suffix(NamedTuple):
    """The end of a signal's label in the reason for a snapshot, and for a rehydrate."""

    snapshot: str = ""
    rehydrate: str = ""


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
    is_reason_to_leave: bool = True
    """Whether it may make a rehydrate due: it measures the session, not work or time, and the window has no room."""
    suffix: Suffix = Suffix()


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
"""By signal. The bracket has its own two."""

ROOM_FACTOR = 2.0
"""Factor of the thresholds for a rehydrate while the window is not CRITICAL."""


class Trigger(NamedTuple):
    """A signal, restart criterion or request that makes an action due, with its words."""

    name: str
    reason: str
    is_forced: bool = False
    """Whether it is a restart criterion or the user's request."""
    is_cause: bool = False
    """Whether it causes a rehydrate."""


@dataclass(frozen=True)
class PressureDecision:
    """The governor's decision, and what is behind it."""

    action: GovernorAction
    triggers: tuple[Trigger, ...] = ()
    suppressed: GovernorAction | None = None
    """The strongest action that was due and not allowed."""
    suppressed_reason: str = ""

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """The reasons in words, also of what was suppressed."""
        notes = (f"{self.suppressed} is due but {self.suppressed_reason}",) if self.suppressed else ()
        return (*(trigger.reason for trigger in self.triggers), *notes)

    @property
    def causes(self) -> tuple[str, ...]:
        """Names of the causes of a due rehydrate; none if it was stated before."""
        return tuple(trigger.name for trigger in self.triggers if trigger.is_cause)

    @property
    def counted_triggers(self) -> tuple[str, ...]:
        """Names of the signals behind the reasons; `forced` for all restart criteria and requests together."""
        return tuple(dict.fromkeys("forced" if trigger.is_forced else trigger.name for trigger in self.triggers))


_STRONGEST_FIRST: tuple[GovernorAction, ...] = ("rehydrate", "snapshot")
SWITCHED_OFF = "switched off in the settings"
REQUESTED = "requested"
"""The cause of the user's own request, which nothing stated before makes redundant."""
_SINCE = Suffix(" since the last snapshot", " in this session")


def signals_of(counters: PressureCounters) -> tuple[Signal, ...]:
    """Return a conversation's counters with the thresholds that hold in its window."""
    bracket = counters.bracket or 0
    has_room = counters.bracket is not None and bracket < BRACKET_SNAPSHOT
    factor = 1.0 if bracket == BRACKET_REHYDRATE else ROOM_FACTOR

    def signal(
        name: str,
        label: str,
        value: float,
        at_snapshot: float,
        *,
        sufficient_alone: bool = True,
        is_of_session: bool = True,
        suffix: Suffix = _SINCE,
    ) -> Signal:
        threshold = THRESHOLDS[name]
        return Signal(
            name=name,
            label=label,
            value=value,
            since_snapshot=value - at_snapshot,
            snapshot_at=threshold.snapshot,
            rehydrate_at=threshold.rehydrate * factor,
            sufficient_alone=sufficient_alone,
            is_reason_to_leave=is_of_session and not has_room,
            suffix=suffix,
        )

    injected = sum(counters.injected[-WINDOW_CALLS:])
    new_bytes = sum(counters.injected[counters.injected_before :][-WINDOW_CALLS:])
    minutes = counters.active_ms // MINUTE_MS
    new_minutes = (counters.active_ms - counters.active_ms_before) // MINUTE_MS
    return (
        signal("turns", "turns", counters.turns, counters.turns_before),
        signal(
            "injectedBytes", f"bytes injected over the last {WINDOW_CALLS} calls", injected, injected - new_bytes,
            suffix=Suffix(),
        ),
        signal("files", "distinct files delivered", len(counters.files), counters.files_before),
        signal(
            "diffLines", "lines added to the diff", counters.diff_lines, counters.diff_lines_before, is_of_session=False
        ),
        signal(
            "minutes", "active minutes", minutes, minutes - new_minutes, sufficient_alone=False, is_of_session=False
        ),
        Signal(
            name="bracket",
            label=_ORDER[bracket],
            value=bracket,
            since_snapshot=bracket if bracket > (counters.bracket_before or 0) else 0,
            snapshot_at=BRACKET_SNAPSHOT,
            rehydrate_at=BRACKET_REHYDRATE,
            sufficient_alone=False,
        ),
    )  # fmt: skip


@lru_cache(maxsize=64)
def evaluate_pressure(counters: PressureCounters, settings: Settings, *, shadow: bool) -> PressureDecision:
    """Return the decision on a conversation, from its signals, the restart criteria, and a request by the user."""
    forced = restart_criteria(session_counters(counters.session, next_agent_pending=counters.next_agent_pending))
    if counters.rehydrate_reason is not None:
        words = f"requested: {counters.rehydrate_reason}" if counters.rehydrate_reason else "requested manually"
        forced = {REQUESTED: words, **forced}
    suppressed: dict[GovernorAction, str] = {}
    if not settings["snapshot"]:
        suppressed["snapshot"] = SWITCHED_OFF
    if shadow or not (settings["rehydrate"] or REQUESTED in forced):
        suppressed["rehydrate"] = SWITCHED_OFF
    stated = frozenset(cause for cause, turn in counters.requested if turn < counters.turns)
    return decide_action(signals_of(counters), forced, suppressed, stated)


def decide_action(
    signals: tuple[Signal, ...],
    forced: Mapping[str, str],
    suppressed: Mapping[GovernorAction, str],
    stated: Collection[str] = (),
) -> PressureDecision:
    """Return the strongest action that is due and not suppressed. A suppressed action is reported with its reason.

    A suppressed rehydrate does not cause repeated snapshots: those need pressure since the last one. `forced` are the
    restart criteria that are met, by name; a rehydrate whose causes are all among `stated` is not due again.
    """
    decision = PressureDecision("ok")
    for action in _STRONGEST_FIRST:
        triggers = _triggers(signals, forced, action)
        causes = PressureDecision(action, triggers).causes
        was_stated = REQUESTED not in causes and all(cause in stated for cause in causes)
        if not triggers or (action == "rehydrate" and was_stated):
            continue
        decision = replace(decision, triggers=decision.triggers or triggers)
        if action not in suppressed:
            return replace(decision, action=action)
        if decision.suppressed is None:
            decision = replace(decision, suppressed=action, suppressed_reason=suppressed[action])
    return decision


def _triggers(signals: tuple[Signal, ...], forced: Mapping[str, str], action: GovernorAction) -> tuple[Trigger, ...]:
    """Return what makes an action due; nothing if it is not."""
    is_rehydrate = action == "rehydrate"
    due = (
        Trigger(signal.name, _describe(signal, action), is_cause=is_rehydrate and signal.is_reason_to_leave)
        for signal in _due(signals, action)
    )
    criteria = forced.items() if is_rehydrate else ()
    return (*(Trigger(name, reason, is_forced=True, is_cause=True) for name, reason in criteria), *due)


def _due(signals: tuple[Signal, ...], action: GovernorAction) -> tuple[Signal, ...]:
    """Return the signals that together make an action due; none if it is not."""
    reached = tuple(signal for signal in signals if _value(signal, action) >= _threshold(signal, action))
    counting = tuple(signal for signal in reached if action == "snapshot" or signal.is_reason_to_leave)
    strong = any(signal.sufficient_alone and _is_double(signal, action) for signal in counting)
    return reached if counting and (len(reached) >= 2 or strong) else ()


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
    suffix = signal.suffix.rehydrate if action == "rehydrate" else signal.suffix.snapshot
    amount = f"{_value(signal, action):,.0f} {signal.label}{suffix}"
    times = "twice" if signal.sufficient_alone and _is_double(signal, action) else "from"
    return f"{amount} ({times} {_threshold(signal, action):,.0f})"
