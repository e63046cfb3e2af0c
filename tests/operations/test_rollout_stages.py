"""The assessment of each stage: enough data first, then the targets."""

import pytest

from sidecar.daily_metrics import MetricsFigures, figures_of
from sidecar.operations.model import ReportStage
from sidecar.operations.rollout_stages import StageEvidence, next_step, stages

ENOUGH = {
    "calls": 100.0, "followUps": 80.0, "followUpHits": 60.0, "wouldInjectBytes": 60_000.0, "baselineBytes": 100_000.0,
    "elapsedMs.upTo{ms=20}": 100.0, "runs": 100.0, "outcome.completed": 95.0, "outcome.aborted": 5.0,
    "governor{action=ok}": 90.0, "governor{action=snapshot}": 10.0,
}  # fmt: skip
NOTHING = figures_of({})
DECIDED_ARTIFACTS = {("devlog", "accepted"): 4, ("adr", "discarded"): 1}


def figures(**changes: float) -> MetricsFigures:
    named = {name.replace("__", "{reason=") + "}" if "__" in name else name: value for name, value in changes.items()}
    return figures_of({**ENOUGH, **named})


def assess(
    active: MetricsFigures = NOTHING,
    passive: MetricsFigures = NOTHING,
    *,
    days: int = 5,
    errors: dict[str, int] | None = None,
    mode: str = "passive",
    rehydrate: bool = False,
) -> dict[str, ReportStage]:
    assessed = stages(
        StageEvidence(active, passive, days, days, days, errors or {}, DECIDED_ARTIFACTS, mode, True, rehydrate)
    )
    return {stage.name: stage for stage in assessed}


def verdicts(assessed: dict[str, ReportStage]) -> list[str]:
    return [stage.verdict for stage in assessed.values()]


def step(assessed: dict[str, ReportStage]) -> tuple[str, str]:
    step_ = next_step(list(assessed.values()))
    return step_.verdict, step_.sentence


def test_a_single_prompt_is_counted_as_such() -> None:
    assessed = assess(passive=figures(calls=1.0), days=1)
    assert step(assessed)[1] == "Keep measuring. Too little data: 1 prompt measured on 1 day."


def test_without_data_every_verdict_is_more_data() -> None:
    assessed = assess()
    assert verdicts(assessed) == ["moreData"] * 4
    assert step(assessed) == ("moreData", "Keep measuring. Too little data: 0 prompts measured on 5 days.")
    assert all(check.met is not False for stage in assessed.values() for check in stage.checks)


def test_good_passive_figures_recommend_injection_with_its_savings() -> None:
    assessed = assess(passive=figures())
    assert assessed["inject"].verdict == "go"
    assert assessed["inject"].sentence.startswith(
        "Injecting would save 40 % of the full packs, over 100 prompts on 5 days"
    )
    assert step(assessed) == (
        "go", "Next: injecting packs (set `mode: active`). All targets are met with enough data."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({"followUpHits": 47.0}, "follow-ups with packs from the cache"),
        ({"wouldInjectBytes": 71_000.0}, "reduction in bytes per turn from full packs"),
        ({"elapsedMs.upTo{ms=600}": 50.0}, "95th percentile of pre-run duration"),
        ({"passedThrough__deadline": 2.0}, "prompts without packs because of an error or the deadline"),
        ({"passedThrough__hookGaveUp": 2.0}, "prompts without packs because of an error or the deadline"),
        (
            {"withoutPack__deadline": 1.0, "withoutPack__hookGaveUp": 1.0},
            "prompts without packs because of an error or the deadline",
        ),
    ],
)
def test_each_missed_target_is_named_and_prevents_injection(changes: dict[str, float], missed: str) -> None:
    stage = assess(passive=figures(**changes))["inject"]
    assert stage.verdict == "wait"
    assert stage.sentence.endswith(f"missed: {missed}.")
    assert [check.name.lower() for check in stage.checks if check.met is False] == [missed]


def test_a_figure_equal_to_its_target_meets_it() -> None:
    assessed = assess(passive=figures(followUpHits=48.0, wouldInjectBytes=70_000.0))
    assert assessed["inject"].verdict == "go"


def test_only_unexpected_errors_of_runs_count() -> None:
    assert assess(passive=figures(), errors={"-32016 artifact/get": 50})["inject"].verdict == "go"
    assert assess(passive=figures(), errors={"-32603 continuity/preRun": 2})["inject"].verdict == "wait"


def test_too_few_prompts_or_days_need_more_data() -> None:
    assert assess(passive=figures(), days=2)["inject"].verdict == "moreData"
    assert assess(passive=figures(calls=49.0))["inject"].verdict == "moreData"


def test_in_active_mode_the_active_figures_decide() -> None:
    assessed = assess(active=figures(followUpHits=10.0), passive=figures(), mode="active")
    assert (assessed["inject"].enabled, assessed["inject"].verdict) == (True, "wait")
    assert step(assessed) == (
        "wait",
        (
            "Do not continue: injecting packs is enabled and misses a target: "
            "follow-ups with packs from the cache 12.5 % (≥ 60 %)."
        ),
    )


def test_the_furthest_stage_that_misses_a_target_decides() -> None:
    late, snapshots = {"passedThrough__deadline": 2.0}, {"governor{action=snapshot}": 60.0}
    assessed = assess(active=figures(**late, **snapshots), passive=figures(), mode="active")
    assert [stage.verdict for stage in assessed.values()][:3] == ["wait"] * 3
    assert step(assessed)[1].startswith(
        "Do not continue: taking snapshots is enabled and misses a target: runs that end"
    )


def test_good_active_figures_outweigh_bad_passive_ones() -> None:
    assessed = assess(active=figures(), passive=figures(passedThrough__deadline=50.0), mode="active")
    assert (assessed["passive"].verdict, step(assessed)[0]) == ("go", "go")


def test_a_disabled_stage_names_the_targets_it_would_miss() -> None:
    assessed = assess(passive=figures(followUpHits=47.0, wouldInjectBytes=71_000.0))
    verdict, sentence = step(assessed)
    assert verdict == "wait"
    assert sentence.startswith("Stay at this stage: injecting packs would miss targets: follow-ups with packs")
    assert sentence.endswith(
        "from the cache 58.8 % (≥ 60 %), reduction in bytes per turn from full packs 29 % (≥ 30 %)."
    )
    assert step(assess(figures(), mode="active", rehydrate=True)) == (
        "moreData", "Stay at this stage: rehydrating is enabled, but there is too little data on it."
    )  # fmt: skip


def test_rehydrating_needs_snapshots_and_no_drop_in_completed_runs() -> None:
    passive = figures()
    assert assess(figures(), passive, mode="active")["rehydrate"].verdict == "go"
    worse = figures(**{"outcome.completed": 90.0, "outcome.error": 5.0})
    assert assess(worse, passive, mode="active")["rehydrate"].verdict == "wait"
    assessed = assess(figures(), passive, mode="active")
    assert step(assessed)[1] == "Next: rehydrating (set `rehydrate: true`). All targets are met with enough data."
    all_on = assess(figures(), passive, mode="active", rehydrate=True)
    assert step(all_on) == ("go", "Every stage is enabled. Keep watching the targets.")
    assert assess(figures(**{"governor{action=snapshot}": 60.0}), passive, mode="active")["snapshot"].verdict == "wait"


def test_suppressed_snapshots_count_as_requested() -> None:
    held = {
        "governor{action=ok}": 100.0,
        "governor{action=snapshot}": 0.0,
        "governor.suppressed{action=snapshot}": 60.0,
    }
    assessed = assess(figures(**held), mode="active")["snapshot"]
    assert assessed.verdict == "wait"
    assert assessed.sentence.startswith("The governor requested 0 snapshots in 100 runs (60 more were suppressed), and")
