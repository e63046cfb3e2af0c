"""The rollout's stages (passive → inject → snapshot → rehydrate), each assessed against its targets.

The targets of the hit rate and of the reduction are the product's goals. The host waits 800 ms for a pre-run; half of
that leaves room for slower machines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.core.clean_text import count_noun
from sidecar.daily_metrics import MetricsFigures
from sidecar.experiment.model import Advice
from sidecar.operations.model import ReportCheck, ReportStage, ReportStep, StageName, Verdict
from sidecar.operations.number_format import milliseconds, percent
from sidecar.settings.resolve import Settings

HIT_RATE = 0.6
REDUCTION = 0.3
P95_MS = 400
ERROR_SHARE = 0.01
MIN_CALLS, MIN_DAYS = 50, 3
"""Minimum numbers of prompts and of days with prompts for an assessment."""

MAX_SNAPSHOT_SHARE = 0.34
"""Maximum share of runs that end in a snapshot. By turns alone it is one in seven."""
ACCEPTED_SHARE, MIN_DECISIONS = 0.5, 5
"""Minimum share of drafts the user decided on that were accepted, and the minimum number of such decisions."""
MIN_SNAPSHOTS = 3
MAX_COMPLETED_LOSS = 0.02
"""Maximum drop in the share of completed runs that may be chance."""

UNFINISHED = frozenset(("error", "empty", "notStarted"))
"""Outcomes that the sidecar may have caused; `aborted` and `superseded` are the user's."""

INTERNAL_ERROR = "-32603"
RUN_METHODS = ("continuity/preRun", "continuity/postRun")


@dataclass(frozen=True)
class StageEvidence:
    """The data the stages are assessed by."""

    active: MetricsFigures
    passive: MetricsFigures
    active_days: int
    passive_days: int
    days: int
    """Days with prompts of either mode."""
    errors: Mapping[str, int]
    artifacts: Mapping[tuple[str, str], int]
    mode: str
    may_snapshot: bool
    may_rehydrate: bool


def stages(evidence: StageEvidence) -> list[ReportStage]:
    """Assess every stage, in order."""
    return [
        _assess_passive(evidence),
        _assess_inject(evidence),
        _assess_snapshot(evidence),
        _assess_rehydrate(evidence),
    ]


ADVICE_VERDICTS: Mapping[str, Verdict] = {"raise": "go", "hold": "moreData", "off": "wait"}


def next_step(stages: list[ReportStage], advice: Advice | None = None) -> ReportStep:
    """Return the next step in one sentence. Of the enabled stages that miss a target, the furthest one decides.

    If none misses one, the advice of a running experiment decides; harm that it shows comes first.
    """
    missed = next((stage for stage in reversed(stages) if stage.enabled and stage.verdict == "wait"), None)
    if advice is not None and (advice.verdict == "off" or missed is None):
        return ReportStep(verdict=ADVICE_VERDICTS[advice.verdict], sentence=advice.sentence)
    if missed is not None:
        return ReportStep(
            verdict="wait",
            sentence=f"Do not continue: {_stage_name(missed)} is enabled and misses {_missed_targets(missed)}.",
        )
    measuring = stages[0]
    if measuring.enabled and measuring.verdict == "moreData":
        return ReportStep(verdict="moreData", sentence=f"Keep measuring. {measuring.sentence}")
    unknown = next((stage for stage in stages if stage.enabled and stage.verdict == "moreData"), None)
    if unknown is not None:
        text = f"Stay at this stage: {_stage_name(unknown)} is enabled, but there is too little data on it."
        return ReportStep(verdict="moreData", sentence=text)
    following = next((stage for stage in stages if not stage.enabled), None)
    if following is None:
        return ReportStep(verdict="go", sentence="Every stage is enabled. Keep watching the targets.")
    return ReportStep(verdict=following.verdict, sentence=_next_stage_sentence(following))


def _next_stage_sentence(stage: ReportStage) -> str:
    match stage.verdict:
        case "go":
            return f"Next: {_stage_name(stage)} (set `{SETTINGS[stage.name]}`). All targets are met with enough data."
        case "wait":
            return f"Stay at this stage: {_stage_name(stage)} would miss {_missed_targets(stage)}."
        case "moreData":
            return f"Stay at this stage: there is too little data to decide on {_stage_name(stage)}."


def _stage_name(stage: ReportStage) -> str:
    return TITLES[stage.name].lower()


def _missed_targets(stage: ReportStage) -> str:
    missed = [f"{check.name.lower()} {check.value} ({check.target})" for check in stage.checks if check.met is False]
    return f"{'a target' if len(missed) == 1 else 'targets'}: {', '.join(missed)}"


TITLES: dict[StageName, str] = {
    "passive": "Measuring",
    "inject": "Injecting packs",
    "snapshot": "Taking snapshots",
    "rehydrate": "Rehydrating",
}

SETTINGS: dict[StageName, str] = {
    "passive": "mode: passive",
    "inject": "mode: active",
    "snapshot": "snapshot: true",
    "rehydrate": "rehydrate: true",
}
"""The setting that enables each stage."""


def gather_evidence(
    active: MetricsFigures,
    passive: MetricsFigures,
    days: tuple[int, int, int],
    errors: Mapping[str, int],
    artifacts: Mapping[tuple[str, str], int],
    settings: Settings,
) -> StageEvidence:
    """Combine figures and settings; `days` are those of active mode, of passive mode and of either."""
    active_days, passive_days, all_days = days
    return StageEvidence(
        active=active,
        passive=passive,
        active_days=active_days,
        passive_days=passive_days,
        days=all_days,
        errors=errors,
        artifacts=artifacts,
        mode=settings.mode,
        may_snapshot=bool(settings["snapshot"]),
        may_rehydrate=bool(settings["rehydrate"]),
    )


def _stage(name: StageName, checks: list[ReportCheck], text: str, *, enabled: bool, suffices: bool) -> ReportStage:
    missed = [check.name.lower() for check in checks if check.met is False]
    if not suffices:
        verdict: Verdict = "moreData"
        text = f"Too little data: {text}."
    elif missed:
        verdict, text = "wait", f"{text}; missed: {', '.join(missed)}."
    elif any(check.met is None for check in checks):
        unknown = [check.name.lower() for check in checks if check.met is None]
        verdict, text = "moreData", f"{text}; unknown: {', '.join(unknown)}."
    else:
        verdict, text = "go", f"{text}; all targets are met."
    return ReportStage(name=name, verdict=verdict, enabled=enabled, sentence=text[0].upper() + text[1:], checks=checks)


def _assess_passive(evidence: StageEvidence) -> ReportStage:
    calls, days = evidence.passive.calls + evidence.active.calls, evidence.days
    checks = [
        _check("Prompts measured", f"{calls:,}", f"≥ {MIN_CALLS}", calls >= MIN_CALLS or None),
        _check("Days with prompts", f"{days}", f"≥ {MIN_DAYS}", days >= MIN_DAYS or None),
        _error_check(evidence, evidence.active if _uses_active_figures(evidence) else evidence.passive),
    ]
    sentence = f"{count_noun(calls, 'prompt')} measured on {count_noun(days, 'day')}"
    return _stage("passive", checks, sentence, enabled=evidence.mode != "off", suffices=_is_enough(calls, days))


def _assess_inject(evidence: StageEvidence) -> ReportStage:
    by_active = _uses_active_figures(evidence)
    figures, days = (evidence.active, evidence.active_days) if by_active else (evidence.passive, evidence.passive_days)
    checks = [
        _check(
            "Follow-ups with packs from the cache", percent(figures.follow_up_hit_rate), f"≥ {percent(HIT_RATE)}",
            _reaches(figures.follow_up_hit_rate, HIT_RATE),
        ),
        _check(
            "Reduction in bytes per turn from full packs", percent(figures.reduction if figures.calls else None),
            f"≥ {percent(REDUCTION)}", figures.reduction >= REDUCTION if figures.calls else None,
        ),
        _check(
            "95th percentile of pre-run duration", milliseconds(figures.elapsed_ms_p95), f"≤ {milliseconds(P95_MS)}",
            None if figures.elapsed_ms_p95 is None else figures.elapsed_ms_p95 <= P95_MS,
        ),
        _error_check(evidence, figures),
    ]  # fmt: skip
    sentence = "no prompts were measured"
    if figures.calls:
        saves = f"injecting {'saves' if by_active else 'would save'} {percent(figures.reduction)} of the full packs"
        sentence = f"{saves}, over {count_noun(figures.calls, 'prompt')} on {count_noun(days, 'day')}"
    return _stage(
        "inject", checks, sentence, enabled=evidence.mode == "active", suffices=_is_enough(figures.calls, days)
    )


def _uses_active_figures(evidence: StageEvidence) -> bool:
    """Whether the figures of active mode are used instead of those of passive mode."""
    return (evidence.mode == "active" and evidence.active.calls > 0) or not evidence.passive.calls


def _assess_snapshot(evidence: StageEvidence) -> ReportStage:
    figures = evidence.active if evidence.active.runs else evidence.passive
    requested, suppressed = (counted.get("snapshot", 0) for counted in (figures.governor, figures.governor_suppressed))
    runs = sum(figures.governor.values())
    share = (requested + suppressed) / runs if runs else None
    decided = {
        status: sum(number for (_, own), number in evidence.artifacts.items() if own == status)
        for status in ("accepted", "committed", "discarded")
    }
    total = sum(decided.values())
    accepted_share = 1 - decided["discarded"] / total if total >= MIN_DECISIONS else None
    checks = [
        _check(
            "Runs that end in a snapshot", percent(share), f"≤ {percent(MAX_SNAPSHOT_SHARE)}",
            None if share is None else share <= MAX_SNAPSHOT_SHARE,
        ),
        _check(
            "Drafts decided on that were accepted", percent(accepted_share), f"≥ {percent(ACCEPTED_SHARE)}",
            _reaches(accepted_share, ACCEPTED_SHARE),
        ),
    ]  # fmt: skip
    sentence = f"the governor requested {count_noun(requested, 'snapshot')} in {count_noun(runs, 'run')}"
    sentence += f" ({suppressed:,} more were suppressed)" if suppressed else ""
    sentence = f"{sentence}, and {count_noun(total, 'draft')} {'was' if total == 1 else 'were'} decided on"
    enabled = evidence.mode == "active" and evidence.may_snapshot
    return _stage("snapshot", checks, sentence, enabled=enabled, suffices=runs >= MIN_CALLS)


def _assess_rehydrate(evidence: StageEvidence) -> ReportStage:
    figures = evidence.active
    done, withheld = figures.governor.get("rehydrate", 0), figures.governor_suppressed.get("rehydrate", 0)
    before, now = _completed_share(evidence.passive), _completed_share(figures)
    snapshots = figures.governor.get("snapshot", 0)
    is_no_worse = None if before is None or now is None else now >= before - MAX_COMPLETED_LOSS
    checks = [
        _check(
            "Snapshots to continue from", f"{snapshots:,}", f"≥ {MIN_SNAPSHOTS}",
            snapshots >= MIN_SNAPSHOTS if figures.runs else None,
        ),
        _check(
            "Runs that completed, with injection", percent(now),
            "as in passive mode" if before is None else f"≥ {percent(before - MAX_COMPLETED_LOSS)}", is_no_worse,
        ),
    ]  # fmt: skip
    sentence = "no fresh session was due"
    if done or withheld:
        sentence = (
            f"a fresh session was requested {count_noun(done, 'time')}, suppressed {count_noun(withheld, 'time')}"
        )
    enabled = evidence.mode == "active" and evidence.may_rehydrate
    return _stage("rehydrate", checks, sentence, enabled=enabled, suffices=figures.runs >= MIN_CALLS)


def _completed_share(figures: MetricsFigures) -> float | None:
    """Return the share of runs that completed or that the user ended, for a mode with enough runs."""
    if figures.runs < MIN_CALLS:
        return None
    return 1 - sum(number for name, number in figures.outcomes.items() if name in UNFINISHED) / figures.runs


def failures(errors: Mapping[str, int]) -> int:
    """Return the number of unexpected errors in pre-run and post-run."""
    return sum(
        number for name, number in errors.items() if name in {f"{INTERNAL_ERROR} {method}" for method in RUN_METHODS}
    )


def without_packs(figures: MetricsFigures) -> int:
    """Return the number of prompts that got no pack because the answer, or all that matters of it, was late."""
    return _unanswered(figures) + sum(figures.without_pack.values())


def _unanswered(figures: MetricsFigures) -> int:
    """Return the number of prompts that passed through because their answer was late; they are no calls."""
    return sum(figures.passed_through.get(reason, 0) for reason in ("deadline", "hookGaveUp"))


def _error_check(evidence: StageEvidence, figures: MetricsFigures) -> ReportCheck:
    prompts = figures.calls + _unanswered(figures)
    share = (without_packs(figures) + failures(evidence.errors)) / prompts if prompts else None
    met = None if share is None else share <= ERROR_SHARE
    return _check(
        "Prompts without packs because of an error or the deadline", percent(share), f"≤ {percent(ERROR_SHARE)}", met
    )


def _check(name: str, value: str, target: str, met: bool | None) -> ReportCheck:
    return ReportCheck(name=name, value=value, target=target, met=met)


def _reaches(value: float | None, target: float) -> bool | None:
    return None if value is None else value >= target


def _is_enough(calls: int, days: int) -> bool:
    return calls >= MIN_CALLS and days >= MIN_DAYS
