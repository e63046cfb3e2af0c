"""The figures of a replay: one row per turn, and sums. Pure."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from sidecar.core.wire_types import WireModel
from sidecar.runs.model import Provider, RunMode

MissReason = Literal[
    "first prompt", "other provider", "other mode", "other task", "other budget", "deadline", "changed by the user",
    "changed by the run",
]  # fmt: skip
"""Reason why a pack was not in the cache: the first that applies."""

HOST_DEADLINE_MS = 800.0
"""1Code's time limit (host.md, Lifecycle)."""


class TurnFigures(WireModel):
    """One prompt: the bytes sent with it, and those that would have been. Bytes are UTF-8."""

    session: str
    kind: str
    line: int
    chat: str
    provider: Provider
    mode: RunMode
    provider_session: str | None
    """The continued session; null if a new one starts."""
    action: str
    reason: str | None
    has_look_up: bool
    """Whether a pack was looked up: not for a slash command, a local model, or with injection off."""
    hit: bool
    """Whether the task's pack was in the cache when the prompt came. A pack built for the prompt is not a hit."""
    miss_reason: MissReason | None
    prompt_bytes: int
    """Bytes sent without continuity."""
    sent_bytes: int
    """Bytes that the packs add: the blocks, and system text that is new to the provider session."""
    anchor_bytes: int
    """The anchor's part of `sent_bytes`."""
    injected_bytes: int
    """`sent_bytes` as counted by the sidecar."""
    reused_bytes: int
    baseline_bytes: int
    """Bytes of sending all packs again, as counted by the sidecar."""
    measured_baseline_bytes: int | None = None
    """The same, measured by playing the session as if each prompt started a provider session."""
    partial: bool
    ms: float
    """Milliseconds from the request to its answer."""
    prepared_ms: float
    """Milliseconds of background work in the pause before the prompt."""
    settled: bool
    """Whether the background work finished within the pause."""


class Sums(WireModel):
    """The sums of some turns."""

    turns: int
    look_ups: int
    hits: int
    hit_rate: float | None
    """Hits per look-up, including first prompts; null without look-ups."""
    prompt_bytes_per_turn: float
    sent_bytes_per_turn: float
    baseline_bytes_per_turn: float
    measured_baseline_bytes_per_turn: float | None
    saved: float | None
    """Share of the baseline that was not sent; null without a baseline."""
    measured_saved: float | None
    misses: dict[str, int]
    median_ms: float
    p90_ms: float
    p99_ms: float
    slowest_ms: float
    over_host_deadline: int
    """Number of turns beyond 1Code's time limit."""
    partial: int
    unsettled: int
    """Number of pauses that ended before the background work did."""
    slowest_preparation_ms: float


def sums(turns: Sequence[TurnFigures]) -> Sums:
    """Sum at least one turn."""
    look_ups = [turn for turn in turns if turn.has_look_up]
    hits = sum(turn.hit for turn in look_ups)
    sent = sum(turn.sent_bytes for turn in turns)
    baseline = sum(turn.baseline_bytes for turn in turns)
    measured = _total(turn.measured_baseline_bytes for turn in turns)
    times = sorted(turn.ms for turn in turns)
    return Sums(
        turns=len(turns),
        look_ups=len(look_ups),
        hits=hits,
        hit_rate=round(hits / len(look_ups), 4) if look_ups else None,
        prompt_bytes_per_turn=_per(sum(turn.prompt_bytes for turn in turns), turns),
        sent_bytes_per_turn=_per(sent, turns),
        baseline_bytes_per_turn=_per(baseline, turns),
        measured_baseline_bytes_per_turn=None if measured is None else _per(measured, turns),
        saved=_saved(sent, baseline),
        measured_saved=None if measured is None else _saved(sent, measured),
        misses=dict(Counter(str(turn.miss_reason) for turn in look_ups if turn.miss_reason is not None).most_common()),
        median_ms=percentile(times, 0.5),
        p90_ms=percentile(times, 0.9),
        p99_ms=percentile(times, 0.99),
        slowest_ms=times[-1],
        over_host_deadline=sum(time > HOST_DEADLINE_MS for time in times),
        partial=sum(turn.partial for turn in turns),
        unsettled=sum(not turn.settled for turn in turns),
        slowest_preparation_ms=max(turn.prepared_ms for turn in turns),
    )


def by(turns: Iterable[TurnFigures], name: Callable[[TurnFigures], str]) -> dict[str, Sums]:
    """Sum turns by name, in the order in which the names first appear."""
    groups: dict[str, list[TurnFigures]] = {}
    for turn in turns:
        groups.setdefault(name(turn), []).append(turn)
    return {key: sums(group) for key, group in groups.items()}


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _total(values: Iterable[int | None]) -> int | None:
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def _per(amount: int, turns: Sequence[TurnFigures]) -> float:
    return round(amount / len(turns), 1)


def _saved(sent: int, baseline: int) -> float | None:
    return round(1 - sent / baseline, 4) if baseline else None
