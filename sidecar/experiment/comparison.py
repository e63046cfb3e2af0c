"""The comparison of an experiment's arms: effects with intervals, a sentence per outcome, and advice. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sidecar.core.clean_text import join_and
from sidecar.experiment.model import Advice, ExperimentOutcome, OutcomeVerdict
from sidecar.experiment.outcomes import OUTCOMES, Chat, OutcomeMeasure, effect_of, relevant_difference, to_scale
from sidecar.experiment.statistics import (
    BURN_IN,
    Regression,
    Scores,
    Survival,
    chats_needed,
    holm,
    log_rate_scores,
)

MAX_PROJECTS, MAX_MODELS = 8, 4
"""Maximum number of projects and of models that the regression tells apart; the first ones in time."""

MEAN_LENGTH, LENGTH_SPREAD = 5.0, 1.5
"""Typical logarithm of a first prompt's characters, and its spread."""

Feature = tuple[int, float]


class ArmMeans(NamedTuple):
    """Mean of an outcome in each arm, as it is compared."""

    treated: float | None
    control: float | None


class Measured(NamedTuple):
    """The scores of one outcome, and the means of its arms."""

    number: int
    """Chats in which it was measured."""
    scores: Scores
    means: ArmMeans


def features_of(chats: Sequence[Chat]) -> Iterator[list[Feature]]:
    """Yield what is known of each chat before its assignment, as features that depend on no later chat."""
    numbers: dict[tuple[str, str], int] = {}
    counts = {"project": 0, "model": 0}
    limits = {"project": MAX_PROJECTS, "model": MAX_MODELS}
    for chat in chats:
        features = [(0, 1.0), (1, (math.log1p(chat.prompt_length) - MEAN_LENGTH) / LENGTH_SPREAD)]
        if chat.provider == "codex":
            features.append((2, 1.0))
        if chat.run_mode == "plan":
            features.append((3, 1.0))
        for kind, name in (("project", chat.project), ("model", chat.model)):
            key = (kind, name)
            if name and key not in numbers and counts[kind] < limits[kind]:
                counts[kind] += 1
                numbers[key] = 4 + len(numbers)
            if key in numbers:
                features.append((numbers[key], 1.0))
        yield features


def measure(chats: Sequence[Chat], outcomes: Sequence[OutcomeMeasure] = OUTCOMES) -> list[Measured]:
    """Return the scores of each outcome; `chats` are in the order of their assignment."""
    columns = [_column(outcome, chats) for outcome in outcomes]
    regression, scores = Regression(len(outcomes)), [Scores() for _ in outcomes]
    for number, (chat, features) in enumerate(zip(chats, features_of(chats), strict=True)):
        values = [column[number] for column in columns]
        treated, share = chat.arm == "treated", chat.share / 100
        weight = 1 / share if treated else -1 / (1 - share)
        if number >= BURN_IN:
            for index, value in enumerate(values):
                if value is not None:
                    scores[index].add(weight * (value - regression.predict(index, features)), treated=treated)
        regression.learn(features, values)
    return [
        Measured(sum(value is not None for value in column), own, _means(chats, column))
        for own, column in zip(scores, columns, strict=True)
    ]


def _column(outcome: OutcomeMeasure, chats: Sequence[Chat]) -> list[float | None]:
    """Return an outcome of each chat as it is compared."""
    measures = [outcome.measure(chat) for chat in chats]
    observed = [value for value in measures if isinstance(value, Survival)]
    rates = iter(log_rate_scores(observed))
    return [
        next(rates) if isinstance(value, Survival) else to_scale(outcome, value) if value is not None else None
        for value in measures
    ]


def _means(chats: Sequence[Chat], column: Sequence[float | None]) -> ArmMeans:
    by_arm: dict[str, list[float]] = {"treated": [], "control": []}
    for chat, value in zip(chats, column, strict=True):
        if value is not None:
            by_arm[chat.arm].append(value)
    return ArmMeans(*(sum(values) / len(values) if values else None for values in by_arm.values()))


def compare(chats: Sequence[Chat]) -> list[ExperimentOutcome]:
    """Return what is known of each outcome, primary ones first; `chats` are in the order of their assignment."""
    measured = measure(chats)
    primary = [own.scores.p_value for outcome, own in zip(OUTCOMES, measured, strict=True) if outcome.is_primary]
    decided = iter(holm(primary))
    return [
        _conclude(outcome, own, decided=next(decided) if outcome.is_primary else None)
        for outcome, own in zip(OUTCOMES, measured, strict=True)
    ]


def _conclude(outcome: OutcomeMeasure, measured: Measured, *, decided: bool | None) -> ExperimentOutcome:
    """Return the conclusion on one outcome; `decided` is Holm's decision on a primary one."""
    scores, interval, control = measured.scores, measured.scores.interval(), measured.means.control
    effect = low = high = None
    verdict: OutcomeVerdict = "unknown" if measured.number else "notMeasured"
    if interval is not None:
        effect, low, high = (effect_of(outcome, difference, control) for difference in interval)
        if decided or (decided is None and not low <= 0 <= high):
            verdict = "better" if (effect < 0) != (outcome.scale == "rate") else "worse"
        elif max(-low, high) <= outcome.relevant:
            verdict = "noDifference"
    needed = chats_needed(relevant_difference(outcome, control), scores.deviation) if scores.deviation else 0
    more = max(needed - scores.count, _round_up(scores.count / 10))
    concluded = ExperimentOutcome(
        name=outcome.name,
        title=outcome.title,
        unit=outcome.unit,
        scale=outcome.scale,
        primary=outcome.is_primary,
        chats=measured.number,
        treated=_typical(outcome, measured.means.treated),
        control=_typical(outcome, control),
        effect=effect,
        low=low,
        high=high,
        p_value=scores.p_value if interval is not None and outcome.scale != "rate" else None,
        verdict=verdict,
        more_chats=more if verdict == "unknown" and scores.deviation else None,
        sentence="",
    )
    return concluded.model_copy(update={"sentence": _sentence(outcome, concluded)})


def _typical(outcome: OutcomeMeasure, mean: float | None) -> float | None:
    if mean is None or outcome.scale == "rate":
        return None
    return math.expm1(mean) if outcome.scale == "ratio" else mean


def _round_up(number: float) -> int:
    """Return a number of chats rounded up to two digits."""
    step = int(10 ** max(0, len(str(int(number))) - 2))
    return max(1, math.ceil(number / step)) * step


def _sentence(outcome: OutcomeMeasure, concluded: ExperimentOutcome) -> str:
    low, high, title = concluded.low, concluded.high, outcome.title
    if low is None or high is None or concluded.effect is None:
        if concluded.verdict == "notMeasured":
            return f"{title}: not measured."
        chats = "1 chat is" if concluded.chats == 1 else f"{concluded.chats} chats are"
        few = f"{title}: not known yet, {chats} too few"
        return f"{few}; {_missing(outcome, concluded)}." if concluded.more_chats else f"{few}."
    interval = f"{_signed(outcome, low)} to {_signed(outcome, high)}{UNITS[outcome.scale]}"
    if concluded.verdict in ("better", "worse"):
        effect = f"{_signed(outcome, concluded.effect)}{UNITS[outcome.scale]}"
        return f"{title}: {effect} with packs (interval {interval})."
    if low == high:
        return f"{title}: the same in every chat."
    if concluded.verdict == "noDifference":
        return f"{title}: no difference larger than {_size(outcome, max(abs(low), abs(high)))}."
    return f"{title}: not known yet ({interval}); {_missing(outcome, concluded)}."


def _missing(outcome: OutcomeMeasure, concluded: ExperimentOutcome) -> str:
    number = _round_up(concluded.more_chats or 0)
    return f"about {number:,} more chats would show a difference of {_size(outcome, outcome.relevant)}"


UNITS = {"ratio": " %", "rate": " %", "difference": " per chat", "share": " points"}
"""Unit of an effect by its scale; points are those of a percentage."""


def _signed(outcome: OutcomeMeasure, effect: float) -> str:
    """Return an effect with its sign and without its unit."""
    return f"{'−' if effect < 0 else '+'}{_number(outcome, abs(effect))}"


def _size(outcome: OutcomeMeasure, size: float) -> str:
    return f"{_number(outcome, size)}{UNITS[outcome.scale]}"


def _number(outcome: OutcomeMeasure, size: float) -> str:
    match outcome.scale:
        case "difference":
            return f"{size:.2f}"
        case "share":
            return f"{100 * size:.1f}"
        case _:
            return f"{100 * size:.0f}"


NEXT_SHARES = (5, 20, 50, 100)
"""Shares that a rollout passes through."""


def advise(outcomes: Sequence[ExperimentOutcome], share: int, suspension: str | None) -> Advice:
    """Return whether to raise the share, hold, or switch off, by the primary outcomes and the guard."""
    primary = [outcome for outcome in outcomes if outcome.primary]
    by_verdict: Mapping[OutcomeVerdict, list[str]] = {
        verdict: [outcome.title.lower() for outcome in primary if outcome.verdict == verdict]
        for verdict in ("better", "worse", "noDifference", "unknown", "notMeasured")
    }
    better, worse = by_verdict["better"], by_verdict["worse"]
    if suspension is not None:
        return Advice(verdict="off", sentence=f"Switch off: the rollout is suspended. {suspension}")
    if worse and better:
        text = f"Hold: packs are better in {join_and(better)} and worse in {join_and(worse)}. Decide what matters more."
        return Advice(verdict="hold", sentence=text)
    if worse:
        return Advice(verdict="off", sentence=f"Switch off: chats with packs are worse in {join_and(worse)}.")
    if better:
        following = next((step for step in NEXT_SHARES if step > share), 100)
        to = f"{following} %" if following < 100 else "100 % and end the experiment"
        return Advice(
            verdict="raise",
            sentence=f"Raise the share to {to}: chats with packs are better in {join_and(better)}.",
        )
    if by_verdict["noDifference"] and not by_verdict["unknown"]:
        names = join_and(by_verdict["noDifference"])
        text = f"Hold: packs make no difference that matters in {names}. They cost little; decide by other reasons."
        return Advice(verdict="hold", sentence=text)
    needed = [outcome.more_chats for outcome in primary if outcome.more_chats is not None]
    more = f" About {_round_up(min(needed)):,} more chats would settle the first outcome." if needed else ""
    return Advice(verdict="hold", sentence=f"Hold: it is not known yet whether packs help.{more}")
