"""The outcomes of a chat, and how each is computed from its runs. Pure.

A chat counts once its window is over, so that what is compared no longer changes; a chat is a unit with its sub-chats
and forks. Nothing here contains a prompt or a path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sidecar.core.clock import DAY_MS
from sidecar.experiment.statistics import Survival
from sidecar.runs.pre_run_record import Arm

WINDOW_MS = DAY_MS
"""Time after a chat's first pre-run in which its runs count."""

Scale = Literal["ratio", "rate", "difference", "share"]
"""Scale of an effect: a ratio of typical values, a ratio of rates (more is sooner), a difference per chat, and a
difference of shares of chats.
"""

FAILED = ("error", "empty", "notStarted")
"""Outcomes of runs that count as errors; `aborted` is the user's Stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """The measurements of one run; None is unknown."""

    run_id: str
    experiment: str
    unit: str
    project: str
    arm: Arm
    outcome: str
    pre_run_ms: float | None
    """Duration of its pre-run."""
    duration_ms: int
    lookups: int
    """Calls of Read, Grep and Glob, and shell commands that only display or search files."""
    lookups_before_edit: int
    edits: int
    edit_after_ms: int | None
    """Time from its start to its first edit."""
    files_read: int
    files_read_again: int
    """Reads of a file that the run, or an earlier run of the chat, had read."""
    input_tokens: int | None
    """Input tokens that did not come from the provider's cache."""
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    tests: Literal["passed", "failed"] | None
    """The last verdict of the test runners that it ran."""
    corrections: int
    repeated_prompts: int
    own_lookups: int
    """Calls of the sidecar's tools, and reads of stored memories: a way around the arm."""
    treated_items: int
    """Memories and artifacts of treated chats that they showed."""
    started_at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A chat whose window is over, with the facts known before its assignment."""

    arm: Arm
    share: int
    project: str
    provider: str
    model: str
    run_mode: str
    prompt_length: int
    runs: tuple[RunOutcome, ...]
    """The runs that started in its window, in order; at least one."""


class OutcomeMeasure(NamedTuple):
    """An outcome: its measure, its unit, and the smallest difference that would matter."""

    name: str
    title: str
    unit: str
    scale: Scale
    measure: Callable[[Chat], float | Survival | None]
    """Returns None where it was not measured."""
    relevant: float
    """On the scale of the effect: a share of the value, of the rate, or a difference."""
    is_primary: bool = False


MAX_COUNTED = 3
"""Counts above are taken as this, so that no single chat decides."""


def _sum_of(name: str) -> Callable[[Chat], float | None]:
    def measure(chat: Chat) -> float | None:
        values = [value for run in chat.runs if (value := getattr(run, name)) is not None]
        return float(sum(values)) if values else None

    return measure


def _capped_sum_of(name: str) -> Callable[[Chat], float]:
    return lambda chat: float(min(MAX_COUNTED, sum(getattr(run, name) for run in chat.runs)))


def _runs_before_edit(chat: Chat) -> Sequence[RunOutcome]:
    """Return the runs up to the first with an edit; all if there is none."""
    for number, run in enumerate(chat.runs, 1):
        if run.edits:
            return chat.runs[:number]
    return chat.runs


def reads_before_edit(chat: Chat) -> float:
    """Return the lookups before the first edit; all of them in a chat without an edit."""
    return float(sum(run.lookups_before_edit for run in _runs_before_edit(chat)))


def total_tokens(chat: Chat) -> float | None:
    """Return all tokens that the host reported."""
    parts = [_sum_of(name)(chat) for name in ("input_tokens", "cached_tokens", "output_tokens")]
    measured = [part for part in parts if part is not None]
    return sum(measured) if measured else None


def cost_in_cents(chat: Chat) -> float | None:
    """Return the cost that the host reported."""
    cost = _sum_of("cost_usd")(chat)
    return cost * 100 if cost is not None else None


def time_to_edit(chat: Chat) -> Survival | None:
    """Return the agent's seconds until the first edit; a chat without one is censored at the end of its last run."""
    runs = _runs_before_edit(chat)
    last = runs[-1]
    before_ms = sum(run.duration_ms for run in runs[:-1])
    if not last.edits:
        return Survival((before_ms + last.duration_ms) / 1000, False)
    return Survival((before_ms + last.edit_after_ms) / 1000, True) if last.edit_after_ms is not None else None


def runs_until_pass(chat: Chat) -> Survival | None:
    """Return the number of runs until tests passed; None in a chat that ran no tests."""
    verdicts = [run.tests for run in chat.runs]
    if "passed" in verdicts:
        return Survival(verdicts.index("passed") + 1, True)
    return Survival(len(verdicts), False) if "failed" in verdicts else None


def duration_in_seconds(chat: Chat) -> float:
    """Return the sum of the runs' durations."""
    return sum(run.duration_ms for run in chat.runs) / 1000


def _any_outcome(names: tuple[str, ...]) -> Callable[[Chat], float]:
    return lambda chat: float(any(run.outcome in names for run in chat.runs))


OUTCOMES = (
    OutcomeMeasure("readsBeforeEdit", "Reads before the first edit", "calls", "ratio", reads_before_edit, 0.15, True),
    OutcomeMeasure("totalTokens", "Tokens", "tokens", "ratio", total_tokens, 0.15, True),
    OutcomeMeasure("corrections", "Corrections", "prompts", "difference", _capped_sum_of("corrections"), 0.15, True),
    OutcomeMeasure("filesRead", "Files read", "files", "ratio", _sum_of("files_read"), 0.15),
    OutcomeMeasure("filesReadAgain", "Files read again", "reads", "ratio", _sum_of("files_read_again"), 0.15),
    OutcomeMeasure("inputTokens", "Input tokens, not cached", "tokens", "ratio", _sum_of("input_tokens"), 0.15),
    OutcomeMeasure("cachedTokens", "Input tokens from the cache", "tokens", "ratio", _sum_of("cached_tokens"), 0.15),
    OutcomeMeasure("outputTokens", "Output tokens", "tokens", "ratio", _sum_of("output_tokens"), 0.15),
    OutcomeMeasure("cost", "Cost", "US cents", "ratio", cost_in_cents, 0.15),
    OutcomeMeasure("timeToEdit", "Rate of first edits over time", "seconds", "rate", time_to_edit, 0.15),
    OutcomeMeasure("duration", "Duration", "seconds", "ratio", duration_in_seconds, 0.15),
    OutcomeMeasure("runsUntilTestsPass", "Rate of passing tests per run", "runs", "rate", runs_until_pass, 0.15),
    OutcomeMeasure(
        "repeatedPrompts", "Repeated prompts", "prompts", "difference", _capped_sum_of("repeated_prompts"), 0.15
    ),
    OutcomeMeasure("aborts", "Chats with an aborted run", "chats", "share", _any_outcome(("aborted",)), 0.05),
    OutcomeMeasure("errors", "Chats with a failed run", "chats", "share", _any_outcome(FAILED), 0.05),
)
"""The outcomes, primary ones first. Less is better in each, except a rate, where more is sooner."""


def to_scale(outcome: OutcomeMeasure, value: float) -> float:
    """Return a measure as it is compared: logarithms of ratios tame the few very large chats."""
    return math.log1p(value) if outcome.scale == "ratio" else value


MIN_TYPICAL = 0.05
"""Typical value below which a relative change is that of one more than the value."""


def effect_of(outcome: OutcomeMeasure, difference: float, control: float | None) -> float:
    """Return the effect of a difference as compared: for ratios, the change relative to the typical control chat.

    `control` is the mean of the control arm, as compared.
    """
    typical = math.expm1(control) if control is not None and outcome.scale == "ratio" else 0.0
    if typical >= MIN_TYPICAL:
        return max(-1.0, math.expm1(control + difference) / typical - 1) if control is not None else 0.0
    return math.expm1(difference) if outcome.scale in ("ratio", "rate") else difference


def relevant_difference(outcome: OutcomeMeasure, control: float | None) -> float:
    """Return the smallest difference that would matter, as outcomes are compared."""
    typical = math.expm1(control) if control is not None and outcome.scale == "ratio" else 0.0
    if typical >= MIN_TYPICAL:
        return math.log1p(typical) - math.log1p(typical * (1 - outcome.relevant))
    return -math.log1p(-outcome.relevant) if outcome.scale in ("ratio", "rate") else outcome.relevant
