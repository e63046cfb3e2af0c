"""Simulated rollouts: false alarms without a difference, the chats that a difference needs, and the balance of arms.

    python -m tests.benchmarks.experiment [--rollouts 2000] [--powered 60]

Chats are drawn as in 335 recorded conversations of 28 public repositories (the learning half of `tests/labelled`) with
at least three tool calls: `log(1 + reads)` before the first edit is about normal (mean 2.23, deviation 1.00 within and
0.32 between repositories, correlation .09 with the prompt's length), so is the logarithm of their tool calls, which
stands for tokens (deviation 1.39, correlation .27 with reads); corrections have the recorded frequencies. p-values are
running minima, so the decision at the last look is that of all daily looks together.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator
from statistics import median

from sidecar.experiment.comparison import measure
from sidecar.experiment.outcomes import OUTCOMES, Chat, RunOutcome
from sidecar.experiment.rollout import arm_of
from sidecar.experiment.statistics import chats_needed, holm

MEAN_READS, READS_WITHIN, READS_BETWEEN, LENGTH_SLOPE = 2.23, 1.00, 0.32, 0.07
MEAN_TOKENS, TOKENS_SPREAD, TOKENS_BY_READS = 12.0, 1.39, 0.27
CORRECTIONS = (0.74, 0.12, 0.05, 0.02, 0.02, 0.05)
MEAN_LENGTH, LENGTH_SPREAD = 5.59, 1.32
PROJECTS, CHATS_PER_DAY, DAYS = 4, 20, 30
STEP = 250
"""Chats between two looks of the simulations of power."""

MAX_CHATS = 6_000
PRIMARY = tuple(outcome for outcome in OUTCOMES if outcome.is_primary)


def simulated_chat(source: random.Random, unit: str, share: int, projects: list[float], factor: float) -> Chat:
    """Return a chat; in the treated arm its reads are multiplied by a factor."""
    arm = arm_of("simulated", unit, share)
    project = source.randrange(len(projects))
    length = source.gauss(MEAN_LENGTH, LENGTH_SPREAD)
    deviation = source.gauss(0, READS_WITHIN)
    logarithm = MEAN_READS + projects[project] + LENGTH_SLOPE * (length - MEAN_LENGTH) + deviation
    reads = max(0.0, math.expm1(logarithm)) * (factor if arm == "treated" else 1.0)
    tokens = math.exp(MEAN_TOKENS + TOKENS_SPREAD * (TOKENS_BY_READS * deviation + 0.96 * source.gauss(0, 1)))
    run = RunOutcome(
        run_id=unit, experiment="simulated", unit=unit, project=str(project), arm=arm, outcome="completed",
        pre_run_ms=5.0, duration_ms=60_000, lookups=round(reads), lookups_before_edit=_rounded(source, reads), edits=1,
        edit_after_ms=None, files_read=0, files_read_again=0, input_tokens=round(tokens), cached_tokens=None,
        output_tokens=None, cost_usd=None, tests=None, repeated_prompts=0, own_lookups=0, treated_items=0,
        started_at_ms=0, corrections=source.choices(range(len(CORRECTIONS)), CORRECTIONS)[0],
    )  # fmt: skip
    return Chat(
        arm=arm, share=share, project=str(project), provider="claude", model="", run_mode="agent",
        prompt_length=round(math.exp(length)), runs=(run,),
    )  # fmt: skip


def _rounded(source: random.Random, number: float) -> int:
    """Return a whole number with the given mean."""
    return int(number) + (source.random() < number % 1)


def simulated_rollout(seed: int, share: int, chats: int, factor: float = 1.0) -> list[Chat]:
    """Return the chats of a rollout in the order of their assignment."""
    source = random.Random(seed)
    projects = [source.gauss(0, READS_BETWEEN) for _ in range(PROJECTS)]
    return [simulated_chat(source, f"{seed}-{number}", share, projects, factor) for number in range(chats)]


def false_alarms(rollouts: int, share: int) -> int:
    """Return in how many rollouts without a difference any primary outcome was decided at any daily look."""
    return sum(
        any(holm([own.scores.p_value for own in measure(chats, PRIMARY)]))
        for chats in (simulated_rollout(seed, share, CHATS_PER_DAY * DAYS) for seed in range(rollouts))
    )


def chats_until_decided(seed: int, share: int, factor: float) -> int | None:
    """Return the number of chats after which a difference in reads was decided; None if it was not."""
    chats = simulated_rollout(seed, share, MAX_CHATS, factor)
    return next((count for count in looks() if decides_reads(chats[:count])), None)


def looks() -> Iterator[int]:
    """Yield the numbers of chats at which a rollout is looked at, in steps that grow with them."""
    count = STEP
    while count <= MAX_CHATS:
        yield count
        count += max(STEP, count // 4 // STEP * STEP)


def decides_reads(chats: list[Chat]) -> bool:
    """Whether a difference in reads is decided, and in the right direction."""
    measured = measure(chats, PRIMARY)
    return holm([own.scores.p_value for own in measured])[0] and measured[0].scores.mean < 0


def main() -> None:
    """Simulate, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rollouts", type=int, default=2000, metavar="N", help="rollouts without a difference")
    parser.add_argument("--powered", type=int, default=60, metavar="N", help="rollouts with each difference")
    options = parser.parse_args()
    for share in (50, 20):
        units = [f"chat-{number}" for number in range(100_000)]
        treated = sum(arm_of("balance", unit, share) == "treated" for unit in units)
        print(f"assignment at {share} %: {treated / 1000:.2f} % of 100,000 chats treated")
    for share in (50, 20, 10):
        started = time.process_time()
        alarms = false_alarms(options.rollouts, share)
        took = time.process_time() - started
        print(
            f"no difference, {share} %, {DAYS} daily looks at {CHATS_PER_DAY} chats a day: {alarms} false alarms in"
            f" {options.rollouts:,} rollouts ({100 * alarms / options.rollouts:.2f} %, at most 5 %; {took:.0f} s)"
        )
    for factor in (0.85, 0.7):
        for share in (50, 20):
            counts = sorted(
                chats_until_decided(seed, share, factor) or MAX_CHATS * 2 for seed in range(options.powered)
            )
            predicted = MEAN_READS - math.log1p(factor * math.expm1(MEAN_READS))
            deviation = measure(simulated_rollout(0, share, 1_000), PRIMARY)[0].scores.deviation
            print(
                f"{100 - round(100 * factor)} % fewer reads, {share} %: decided after {median(counts):,.0f} chats in"
                f" half of {options.powered} rollouts, after {counts[int(0.8 * len(counts))]:,} in 80 %"
                f" (the report predicts {chats_needed(predicted, deviation):,})"
            )


if __name__ == "__main__":
    main()
