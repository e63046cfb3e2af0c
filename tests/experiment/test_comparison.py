"""The conclusions of an experiment: effects, sentences and advice."""

from typing import Any

import pytest

from sidecar.experiment.comparison import advise, compare
from sidecar.experiment.model import ExperimentOutcome
from sidecar.experiment.outcomes import Chat
from tests.benchmarks.experiment import simulated_rollout
from tests.support.cases import together


def conclude(chats: list[Chat]) -> dict[str, ExperimentOutcome]:
    return {outcome.name: outcome for outcome in compare(chats)}


def test_a_large_difference_is_found_with_its_interval() -> None:
    outcomes = conclude(simulated_rollout(1, 50, 900, 0.55))
    reads = outcomes["readsBeforeEdit"]
    assert (reads.verdict, reads.primary, reads.chats) == ("better", True, 900)
    low, effect, high = reads.low or 0.0, reads.effect or 0.0, reads.high or 0.0
    assert low < effect < high < 0
    assert effect == pytest.approx(-0.45, abs=0.1)
    assert effect == pytest.approx((reads.treated or 0) / (reads.control or 1) - 1, abs=0.05)
    assert reads.sentence.startswith(f"Reads before the first edit: −{-100 * effect:.0f} % with packs (interval −")
    assert outcomes["corrections"].verdict in ("unknown", "noDifference")
    assert outcomes["cost"].sentence == "Cost: not measured."
    advice = advise(list(outcomes.values()), 50, None)
    assert (advice.verdict, advice.sentence) == (
        "raise",
        "Raise the share to 100 % and end the experiment: chats with packs are better in reads before the first edit.",
    )


def test_without_a_difference_the_number_of_missing_chats_is_estimated() -> None:
    outcomes = conclude(simulated_rollout(2, 20, 400))
    reads = outcomes["readsBeforeEdit"]
    assert reads.verdict == "unknown"
    assert 4_000 < (reads.more_chats or 0) < 7_000
    assert "not known yet (−" in reads.sentence
    assert reads.sentence.endswith("more chats would show a difference of 15 %.")
    assert advise(list(outcomes.values()), 20, None).sentence.startswith(
        "Hold: it is not known yet whether packs help."
    )
    few = conclude(simulated_rollout(2, 50, 30))["readsBeforeEdit"]
    assert few.sentence.startswith("Reads before the first edit: not known yet, 30 chats are too few; about ")


def test_the_strata_of_a_changed_share_are_compared_together() -> None:
    chats = [*simulated_rollout(3, 20, 400, 0.5), *simulated_rollout(4, 80, 500, 0.5)]
    assert conclude(chats)["readsBeforeEdit"].verdict == "better"


def outcome(name: str, verdict: str, more: int | None = None) -> ExperimentOutcome:
    facts: dict[str, Any] = {
        "name": name, "title": name, "unit": "calls", "scale": "ratio", "primary": True, "chats": 100, "treated": 1.0,
        "control": 1.0, "effect": 0.0, "low": -0.1, "high": 0.1, "p_value": 1.0, "verdict": verdict,
        "more_chats": more, "sentence": "",
    }  # fmt: skip
    return ExperimentOutcome(**facts)


@together(
    ("verdicts", "suspension", "advice", "words"),
    [
        (("better", "unknown", "unknown"), None, "raise", "Raise the share to 50 %: chats with packs are better in a."),
        (("worse", "unknown", "noDifference"), None, "off", "Switch off: chats with packs are worse in a."),
        (("better", "worse", "worse"), None, "hold", "Hold: packs are better in a and worse in b and c."),
        (("noDifference", "noDifference", "notMeasured"), None, "hold", "no difference that matters in a and b."),
        (("unknown", "noDifference", "unknown"), None, "hold", "About 800 more chats would settle the first outcome."),
        (("better", "better", "better"), "Runs fail.", "off", "Switch off: the rollout is suspended. Runs fail."),
    ],
)
def test_the_advice_follows_from_the_primary_outcomes(
    verdicts: tuple[str, ...], suspension: str | None, advice: str, words: str
) -> None:
    outcomes = [outcome(name, verdict, 800) for name, verdict in zip("abc", verdicts, strict=True)]
    given = advise(outcomes, 20, suspension)
    assert given.verdict == advice
    assert words in given.sentence
