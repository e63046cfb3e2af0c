"""What the figures say of each stage of the rollout: passive → inject → snapshot → rehydrate. Pure.

The first two targets are the specification's (continuity-design.md, Success Metrics). The host waits 800 ms for a
pre-run: half of that leaves room for slower machines.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sidecar.metrics import MetricsFigures
from sidecar.operations.model import ReportCheck, ReportStage, ReportStep, StageName, Verdict
from sidecar.operations.report.number_format import milliseconds, percent
from sidecar.settings.resolve import Settings

HIT_RATE = 0.6
REDUCTION = 0.3
P95_MS = 400
ERROR_SHARE = 0.01
ENOUGH_CALLS, ENOUGH_DAYS = 50, 3
"""Fewer prompts or days say nothing about the next ones."""

SNAPSHOT_SHARE = 0.34
"""More snapshots than one in three runs are noise: by turns alone one in seven is due."""
KEPT_SHARE, ENOUGH_DECIDED = 0.5, 5
"""Of the drafts that a user decided on, so many are worth keeping; with fewer decisions than five nobody knows."""
ENOUGH_SNAPSHOTS = 3
COMPLETED_LOSS = 0.02
"""So much of the share of completed runs may be chance."""

UNFINISHED = frozenset(("error", "empty", "notStarted"))
"""Outcomes that may be our doing; `aborted` and `superseded` are the user's."""

INTERNAL_ERROR = "-32603"
OF_RUNS = ("continuity/preRun", "continuity/postRun")


@dataclass(frozen=True)
class Evidence:
    """What the stages are judged by."""

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


def stages(seen: Evidence) -> list[ReportStage]:
    """Judges every stage, in their order."""
    return [_passive(seen), _inject(seen), _snapshot(seen), _rehydrate(seen)]


def next_step(judged: list[ReportStage]) -> ReportStep:
    """Says in one sentence what to do now: of stages that are on and miss a target, the furthest counts."""
    missed = next((stage for stage in reversed(judged) if stage.is_on and stage.verdict == "wait"), None)
    if missed is not None:
        return ReportStep(
            verdict="wait", sentence=f"Go no further: {_name(missed)} is on and misses {_missed(missed)}."
        )
    measuring = judged[0]
    if measuring.is_on and measuring.verdict == "moreData":
        return ReportStep(verdict="moreData", sentence=f"Keep measuring. {measuring.sentence}")
    unknown = next((stage for stage in judged if stage.is_on and stage.verdict == "moreData"), None)
    if unknown is not None:
        told = f"Stay where you are: {_name(unknown)} is on, and too little is known of it yet."
        return ReportStep(verdict="moreData", sentence=told)
    following = next((stage for stage in judged if not stage.is_on), None)
    if following is None:
        return ReportStep(verdict="go", sentence="Every stage is on; keep an eye on the targets.")
    return ReportStep(verdict=following.verdict, sentence=_following(following))


def _following(stage: ReportStage) -> str:
    match stage.verdict:
        case "go":
            return f"Next: {_name(stage)} (set `{SETTINGS[stage.name]}`). The targets hold, and the data suffice."
        case "wait":
            return f"Stay where you are: {_name(stage)} would miss {_missed(stage)}."
        case "moreData":
            return f"Stay where you are: there is too little data to decide on {_name(stage)}."


def _name(stage: ReportStage) -> str:
    return TITLES[stage.name].lower()


def _missed(stage: ReportStage) -> str:
    missed = [f"{one.name.lower()} {one.value} ({one.target})" for one in stage.checks if one.holds is False]
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
"""What switches a stage on."""


def evidence_of(
    active: MetricsFigures,
    passive: MetricsFigures,
    days: tuple[int, int, int],
    errors: Mapping[str, int],
    artifacts: Mapping[tuple[str, str], int],
    settings: Settings,
) -> Evidence:
    """Puts figures and settings together; `days` are those of active mode, of passive mode, of either."""
    return Evidence(
        active,
        passive,
        *days,
        errors,
        artifacts,
        settings.mode,
        bool(settings["snapshot"]),
        bool(settings["rehydrate"]),
    )


def _stage(name: StageName, checks: list[ReportCheck], told: str, *, is_on: bool, suffices: bool) -> ReportStage:
    missed = [check.name.lower() for check in checks if check.holds is False]
    if not suffices:
        verdict: Verdict = "moreData"
        told = f"Too little data: {told}."
    elif missed:
        verdict, told = "wait", f"{told}; missed: {', '.join(missed)}."
    elif any(check.holds is None for check in checks):
        unknown = [check.name.lower() for check in checks if check.holds is None]
        verdict, told = "moreData", f"{told}; not known yet: {', '.join(unknown)}."
    else:
        verdict, told = "go", f"{told}; all targets hold, and the data suffice."
    return ReportStage(name=name, verdict=verdict, is_on=is_on, sentence=told[0].upper() + told[1:], checks=checks)


def _passive(seen: Evidence) -> ReportStage:
    calls, days = seen.passive.calls + seen.active.calls, seen.days
    checks = [
        _check("Prompts measured", f"{calls:,}", f"≥ {ENOUGH_CALLS}", calls >= ENOUGH_CALLS or None),
        _check("Days with prompts", f"{days}", f"≥ {ENOUGH_DAYS}", days >= ENOUGH_DAYS or None),
        _errors(seen, seen.active if _is_injecting(seen) else seen.passive),
    ]
    told = f"{calls:,} prompts measured on {_times(days, 'day')}"
    return _stage("passive", checks, told, is_on=seen.mode != "off", suffices=_suffices(calls, days))


def _inject(seen: Evidence) -> ReportStage:
    by_active = _is_injecting(seen)
    figures, days = (seen.active, seen.active_days) if by_active else (seen.passive, seen.passive_days)
    checks = [
        _check(
            "Packs from the cache in follow-ups", percent(figures.follow_up_hit_rate), f"≥ {percent(HIT_RATE)}",
            _reaches(figures.follow_up_hit_rate, HIT_RATE),
        ),
        _check(
            "Fewer bytes per turn than full packs", percent(figures.reduction if figures.calls else None),
            f"≥ {percent(REDUCTION)}", figures.reduction >= REDUCTION if figures.calls else None,
        ),
        _check(
            "95 of 100 pre-runs took at most", milliseconds(figures.elapsed_ms_p95), f"≤ {milliseconds(P95_MS)}",
            None if figures.elapsed_ms_p95 is None else figures.elapsed_ms_p95 <= P95_MS,
        ),
        _errors(seen, figures),
    ]  # fmt: skip
    told = "no prompts were measured"
    if figures.calls:
        saves = f"injecting {'saves' if by_active else 'would save'} {percent(figures.reduction)} of full packs' bytes"
        told = f"{saves}, by {_times(figures.calls, 'prompt')} on {_times(days, 'day')}"
    return _stage("inject", checks, told, is_on=seen.mode == "active", suffices=_suffices(figures.calls, days))


def _is_injecting(seen: Evidence) -> bool:
    """Whether the figures of what was really sent count, and not those of what would have been."""
    return (seen.mode == "active" and seen.active.calls > 0) or not seen.passive.calls


def _snapshot(seen: Evidence) -> ReportStage:
    figures = seen.active if seen.active.runs else seen.passive
    asked, held = (counted.get("snapshot", 0) for counted in (figures.governor, figures.governor_withheld))
    runs = sum(figures.governor.values())
    share = (asked + held) / runs if runs else None
    decided = {
        status: sum(number for (_, own), number in seen.artifacts.items() if own == status)
        for status in ("accepted", "committed", "discarded")
    }
    total = sum(decided.values())
    kept = 1 - decided["discarded"] / total if total >= ENOUGH_DECIDED else None
    checks = [
        _check(
            "Runs that end in a snapshot", percent(share), f"≤ {percent(SNAPSHOT_SHARE)}",
            None if share is None else share <= SNAPSHOT_SHARE,
        ),
        _check(
            "Drafts decided on that were kept", percent(kept), f"≥ {percent(KEPT_SHARE)}", _reaches(kept, KEPT_SHARE)
        ),
    ]  # fmt: skip
    told = f"the governor asked for {_times(asked, 'snapshot')} in {_times(runs, 'run')}"
    told += f" ({held:,} more were held back)" if held else ""
    told = f"{told}, and {_times(total, 'draft')} {'was' if total == 1 else 'were'} decided on"
    is_on = seen.mode == "active" and seen.may_snapshot
    return _stage("snapshot", checks, told, is_on=is_on, suffices=runs >= ENOUGH_CALLS)


def _rehydrate(seen: Evidence) -> ReportStage:
    figures = seen.active
    done, withheld = figures.governor.get("rehydrate", 0), figures.governor_withheld.get("rehydrate", 0)
    before, now = _finished(seen.passive), _finished(figures)
    snapshots = figures.governor.get("snapshot", 0)
    is_no_worse = None if before is None or now is None else now >= before - COMPLETED_LOSS
    checks = [
        _check(
            "Snapshots kept to go on from", f"{snapshots:,}", f"≥ {ENOUGH_SNAPSHOTS}",
            snapshots >= ENOUGH_SNAPSHOTS if figures.runs else None,
        ),
        _check(
            "Runs that ended well, since injecting", percent(now),
            "as before" if before is None else f"≥ {percent(before - COMPLETED_LOSS)}", is_no_worse,
        ),
    ]  # fmt: skip
    told = "a fresh session was never due"
    if done or withheld:
        told = f"a fresh session was asked for {_times(done, 'time')}, and due but held back {_times(withheld, 'time')}"
    is_on = seen.mode == "active" and seen.may_rehydrate
    return _stage("rehydrate", checks, told, is_on=is_on, suffices=figures.runs >= ENOUGH_CALLS)


def _finished(figures: MetricsFigures) -> float | None:
    """The share of runs that ended by themselves or by the user's hand, of a mode with enough of them."""
    if figures.runs < ENOUGH_CALLS:
        return None
    return 1 - sum(number for name, number in figures.outcomes.items() if name in UNFINISHED) / figures.runs


def failures(errors: Mapping[str, int]) -> int:
    """Counts the unforeseen errors on the way of a run."""
    return sum(number for name, number in errors.items() if name in {f"{INTERNAL_ERROR} {one}" for one in OF_RUNS})


def _errors(seen: Evidence, figures: MetricsFigures) -> ReportCheck:
    late = figures.passed_through.get("deadline", 0)
    answers = figures.calls + late
    share = (late + failures(seen.errors)) / answers if answers else None
    holds = None if share is None else share <= ERROR_SHARE
    return _check("Prompts without packs by error or delay", percent(share), f"≤ {percent(ERROR_SHARE)}", holds)


def _check(name: str, value: str, target: str, holds: bool | None) -> ReportCheck:
    return ReportCheck(name=name, value=value, target=target, holds=holds)


def _reaches(value: float | None, target: float) -> bool | None:
    return None if value is None else value >= target


def _suffices(calls: int, days: int) -> bool:
    return calls >= ENOUGH_CALLS and days >= ENOUGH_DAYS


def _times(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
