"""What a replay measured: one row a turn, and what the rows come to. Pure."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from sidecar.core.wire import WireModel
from sidecar.runs.model import Provider, RunMode

Lost = Literal[
    "first prompt", "other provider", "other mode", "other task", "other budget", "deadline", "changed by the user",
    "changed by the run",
]  # fmt: skip
"""Why a pack was not in the cache: the first of these that holds."""

HOST_DEADLINE_MS = 800.0
"""What 1Code waits (host.md, Lifecycle)."""


class TurnFigures(WireModel):
    """One prompt: what went out with it, and what would have. Bytes are UTF-8."""

    session: str
    kind: str
    line: int
    chat: str
    provider: Provider
    mode: RunMode
    provider_session: str | None
    """The session that the prompt goes on in; null where one begins."""
    action: str
    reason: str | None
    looked_up: bool
    """Whether a pack was asked for: not for a slash command, a local model, or with injection off."""
    hit: bool
    """Whether the pack of the task was in the cache when the prompt came; one that had to be made now is no hit."""
    lost: Lost | None
    prompt_bytes: int
    """What goes out without continuity."""
    sent_bytes: int
    """What the packs add to it: the blocks, and system text that the provider session has not seen before."""
    anchor_bytes: int
    """The anchor's share of that."""
    injected_bytes: int
    """The same as `sent_bytes`, as the sidecar counts it."""
    reused_bytes: int
    baseline_bytes: int
    """What sending all packs again would have cost, as the sidecar counts it."""
    measured_baseline_bytes: int | None = None
    """The same, measured: what was sent when the session was played as if each prompt began a provider session."""
    partial: bool
    ms: float
    """From the request to its answer, in milliseconds."""
    prepared_ms: float
    """How much of the pause before the prompt the background used, in milliseconds."""
    settled: bool
    """Whether the background was done within the pause."""


class Sums(WireModel):
    """What some turns come to."""

    turns: int
    looked_up: int
    hits: int
    hit_rate: float | None
    """Hits of the look-ups, first prompts included; null without any."""
    prompt_bytes_per_turn: float
    sent_bytes_per_turn: float
    baseline_bytes_per_turn: float
    measured_baseline_bytes_per_turn: float | None
    saved: float | None
    """The share of the baseline that was not sent; null without a baseline."""
    measured_saved: float | None
    lost: dict[str, int]
    median_ms: float
    p90_ms: float
    p99_ms: float
    slowest_ms: float
    over_host_deadline: int
    """Turns that took longer than 1Code waits."""
    partial: int
    unsettled: int
    """Pauses that ended before the background was done."""
    slowest_preparation_ms: float


def sums(turns: Sequence[TurnFigures]) -> Sums:
    """Adds turns up; there is at least one."""
    asked = [turn for turn in turns if turn.looked_up]
    hits = sum(turn.hit for turn in asked)
    sent = sum(turn.sent_bytes for turn in turns)
    baseline = sum(turn.baseline_bytes for turn in turns)
    measured = _total(turn.measured_baseline_bytes for turn in turns)
    times = sorted(turn.ms for turn in turns)
    return Sums(
        turns=len(turns),
        looked_up=len(asked),
        hits=hits,
        hit_rate=round(hits / len(asked), 4) if asked else None,
        prompt_bytes_per_turn=_per(sum(turn.prompt_bytes for turn in turns), turns),
        sent_bytes_per_turn=_per(sent, turns),
        baseline_bytes_per_turn=_per(baseline, turns),
        measured_baseline_bytes_per_turn=None if measured is None else _per(measured, turns),
        saved=_saved(sent, baseline),
        measured_saved=None if measured is None else _saved(sent, measured),
        lost=dict(Counter(str(turn.lost) for turn in asked if turn.lost is not None).most_common()),
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
    """Adds turns up by a name, in the order in which the names come."""
    groups: dict[str, list[TurnFigures]] = {}
    for turn in turns:
        groups.setdefault(name(turn), []).append(turn)
    return {key: sums(group) for key, group in groups.items()}


def percentile(ordered: Sequence[float], share: float) -> float:
    """Gives the smallest value that at least this share of the values does not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _total(values: Iterable[int | None]) -> int | None:
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def _per(amount: int, turns: Sequence[TurnFigures]) -> float:
    return round(amount / len(turns), 1)


def _saved(sent: int, baseline: int) -> float | None:
    return round(1 - sent / baseline, 4) if baseline else None
