"""What the figures say of each stage: enough of them first, then the targets."""

import pytest

from sidecar.metrics import MetricsFigures, figures_of
from sidecar.operations.model import ReportStage
from sidecar.operations.report.rollout import Evidence, next_step, stages

ENOUGH = {
    "calls": 100.0, "followUps": 80.0, "followUpHits": 60.0, "wouldInjectBytes": 60_000.0, "baselineBytes": 100_000.0,
    "elapsedMs.upTo{ms=20}": 100.0, "runs": 100.0, "outcome.completed": 95.0, "outcome.aborted": 5.0,
    "governor{action=ok}": 90.0, "governor{action=snapshot}": 10.0,
}  # fmt: skip
NOTHING = figures_of({})
KEPT = {("devlog", "accepted"): 4, ("adr", "discarded"): 1}


def figures(**changes: float) -> MetricsFigures:
    named = {name.replace("__", "{reason=") + "}" if "__" in name else name: value for name, value in changes.items()}
    return figures_of({**ENOUGH, **named})


def evaluate(
    active: MetricsFigures = NOTHING,
    passive: MetricsFigures = NOTHING,
    *,
    days: int = 5,
    errors: dict[str, int] | None = None,
    mode: str = "passive",
    rehydrate: bool = False,
) -> dict[str, ReportStage]:
    told = stages(Evidence(active, passive, days, days, days, errors or {}, KEPT, mode, True, rehydrate))
    return {stage.name: stage for stage in told}


def verdicts(told: dict[str, ReportStage]) -> list[str]:
    return [stage.verdict for stage in told.values()]


def step(told: dict[str, ReportStage]) -> tuple[str, str]:
    said = next_step(list(told.values()))
    return said.verdict, said.sentence


def test_without_data_nothing_is_said_for_or_against() -> None:
    told = evaluate()
    assert verdicts(told) == ["moreData"] * 4
    assert step(told) == ("moreData", "Keep measuring. Too little data: 0 prompts measured on 5 days.")
    assert all(check.holds is not False for stage in told.values() for check in stage.checks)


def test_passive_figures_that_hold_say_inject_and_what_it_would_save() -> None:
    told = evaluate(passive=figures())
    assert told["inject"].verdict == "go"
    assert told["inject"].sentence.startswith(
        "Injecting would save 40 % of full packs' bytes, by 100 prompts on 5 days"
    )
    assert step(told) == (
        "go", "Next: injecting packs (set `mode: active`). The targets hold, and the data suffice."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({"followUpHits": 47.0}, "packs from the cache in follow-ups"),
        ({"wouldInjectBytes": 71_000.0}, "fewer bytes per turn than full packs"),
        ({"elapsedMs.upTo{ms=600}": 50.0}, "95 of 100 pre-runs took at most"),
        ({"passedThrough__deadline": 2.0}, "prompts without packs by error or delay"),
    ],
)
def test_each_target_that_is_missed_is_named_and_keeps_from_injecting(changes: dict[str, float], missed: str) -> None:
    stage = evaluate(passive=figures(**changes))["inject"]
    assert stage.verdict == "wait"
    assert stage.sentence.endswith(f"missed: {missed}.")
    assert [check.name.lower() for check in stage.checks if check.holds is False] == [missed]


def test_the_targets_themselves_are_reached_by_reaching_them() -> None:
    told = evaluate(passive=figures(followUpHits=48.0, wouldInjectBytes=70_000.0))
    assert told["inject"].verdict == "go"


def test_unforeseen_errors_on_the_way_of_a_run_count_and_others_do_not() -> None:
    assert evaluate(passive=figures(), errors={"-32016 artifact/get": 50})["inject"].verdict == "go"
    assert evaluate(passive=figures(), errors={"-32603 continuity/preRun": 2})["inject"].verdict == "wait"


def test_few_prompts_or_days_do_not_suffice_however_good_they_are() -> None:
    assert evaluate(passive=figures(), days=2)["inject"].verdict == "moreData"
    assert evaluate(passive=figures(calls=49.0))["inject"].verdict == "moreData"


def test_when_packs_are_injected_it_is_their_figures_that_count() -> None:
    told = evaluate(active=figures(followUpHits=10.0), passive=figures(), mode="active")
    assert (told["inject"].is_on, told["inject"].verdict) == (True, "wait")
    assert step(told) == (
        "wait",
        "Go no further: injecting packs is on and misses a target: packs from the cache in follow-ups 12.5 % (≥ 60 %).",
    )


def test_of_two_stages_that_miss_their_targets_the_furthest_is_what_to_look_at() -> None:
    late, snapshots = {"passedThrough__deadline": 2.0}, {"governor{action=snapshot}": 60.0}
    told = evaluate(active=figures(**late, **snapshots), passive=figures(), mode="active")
    assert [stage.verdict for stage in told.values()][:3] == ["wait"] * 3
    assert step(told)[1].startswith("Go no further: taking snapshots is on and misses a target: runs that end in a")


def test_what_passive_days_missed_is_over_once_the_packs_that_are_sent_do_well() -> None:
    told = evaluate(active=figures(), passive=figures(passedThrough__deadline=50.0), mode="active")
    assert (told["passive"].verdict, step(told)[0]) == ("go", "go")


def test_before_a_stage_is_on_it_is_said_what_it_would_miss() -> None:
    told = evaluate(passive=figures(followUpHits=47.0, wouldInjectBytes=71_000.0))
    verdict, sentence = step(told)
    assert verdict == "wait"
    assert sentence.startswith("Stay where you are: injecting packs would miss targets: packs from the cache in")
    assert sentence.endswith("follow-ups 58.8 % (≥ 60 %), fewer bytes per turn than full packs 29 % (≥ 30 %).")
    assert step(evaluate(figures(), mode="active", rehydrate=True)) == (
        "moreData", "Stay where you are: rehydrating is on, and too little is known of it yet."
    )  # fmt: skip


def test_rehydrating_waits_for_snapshots_and_for_runs_that_end_as_well_as_before() -> None:
    passive = figures()
    assert evaluate(figures(), passive, mode="active")["rehydrate"].verdict == "go"
    worse = figures(**{"outcome.completed": 90.0, "outcome.error": 5.0})
    assert evaluate(worse, passive, mode="active")["rehydrate"].verdict == "wait"
    told = evaluate(figures(), passive, mode="active")
    assert step(told)[1] == "Next: rehydrating (set `rehydrate: true`). The targets hold, and the data suffice."
    all_on = evaluate(figures(), passive, mode="active", rehydrate=True)
    assert step(all_on) == ("go", "Every stage is on; keep an eye on the targets.")
    assert (
        evaluate(figures(**{"governor{action=snapshot}": 60.0}), passive, mode="active")["snapshot"].verdict == "wait"
    )


def test_snapshots_that_were_held_back_count_before_they_are_allowed() -> None:
    held = {"governor{action=ok}": 100.0, "governor{action=snapshot}": 0.0, "governor.withheld{action=snapshot}": 60.0}
    told = evaluate(figures(**held), mode="active")["snapshot"]
    assert told.verdict == "wait"
    assert told.sentence.startswith("The governor asked for 0 snapshots in 100 runs (60 more were held back), and")
