"""`metrics/summary`, `rollout/status` and `rollout/resume`, and what other methods show of a rollout."""

import apsw

from sidecar.call import Call
from sidecar.core.clean_text import count_noun
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, StateDegraded, WorkspaceUnavailable
from sidecar.daily_metrics import (
    NO_PROJECT,
    NO_PROVIDER,
    MetricsSummaryParams,
    errors_of,
    figures_of,
    period_and_project,
    totals,
)
from sidecar.experiment import store
from sidecar.experiment.model import (
    ExperimentResult,
    Leakage,
    MetricsSummaryResult,
    RolloutParams,
    RolloutResult,
    RolloutStatus,
    RolloutSuspension,
)
from sidecar.experiment.rollout import experiment_of, resume_rollout
from sidecar.method import Lane, method
from sidecar.runs import artifact_store
from sidecar.runs.pre_run_record import arm_mark
from sidecar.settings.resolve import GLOBAL, Settings, projects_in_mode
from sidecar.settings.table import rollout_problem


def rollout_status(tx: apsw.Connection, settings: Settings, project: str | None) -> RolloutStatus | None:
    """Return the state of a project's rollout, or of all; None if every chat receives what the mode says."""
    problem = rollout_problem(settings["rollout.experiment"], settings["rollout.share"])
    if settings.is_full_rollout and problem is None:
        return None
    suspension, counts = settings.suspension, store.count_units(tx, experiment_of(settings), project)
    return RolloutStatus(
        share=settings["rollout.share"],
        experiment=settings["rollout.experiment"],
        problem=f"Nothing is compared: {problem}." if problem is not None else _mode_problem(tx, settings, project),
        suspended=RolloutSuspension(reason=suspension.reason, at=rfc3339(suspension.at_ms)) if suspension else None,
        treated=counts.get(("treated", False), 0),
        control=counts.get(("control", False), 0),
        left=sum(number for (_, has_left), number in counts.items() if has_left),
    )


def _mode_problem(tx: apsw.Connection, settings: Settings, project: str | None) -> str | None:
    mode, source = settings.mode, settings.resolved["mode"].source
    if mode == "active":
        return None
    active = len(projects_in_mode(tx, "active")) if project is None and source != "environment" else 0
    if active:
        where, chats = f" except in {count_noun(active, 'project')}", "only chats there receive packs"
    else:
        where, chats = "", "no chat receives packs"
    return f"The mode is {mode}{where}, so {chats}: `onecode-sidecar settings mode active`."


def experiment_result(
    tx: apsw.Connection, settings: Settings, project: str | None, now_ms: int
) -> ExperimentResult | None:
    """Return the comparison of a running experiment's arms, in one project or in all."""
    name = experiment_of(settings)
    if not name:
        return None
    from sidecar.experiment.comparison import advise, compare  # no run needs it

    chats, counts = store.chats(tx, name, project, now_ms), store.count_units(tx, name, project)
    outcomes, suspension = compare(chats), settings.suspension
    treated = sum(chat.arm == "treated" for chat in chats)
    assigned = sum(number for (_, has_left), number in counts.items() if not has_left)
    return ExperimentResult(
        name=name,
        shares=store.shares(tx, name),
        treated=treated,
        control=len(chats) - treated,
        waiting=assigned - len(chats),
        left=sum(number for (_, has_left), number in counts.items() if has_left),
        outcomes=outcomes,
        advice=advise(outcomes, settings["rollout.share"], suspension.reason if suspension is not None else None),
        leakage=_leakage(tx, name, project),
    )


def _leakage(tx: apsw.Connection, experiment: str, project: str | None) -> Leakage:
    """Return how much of what treated chats stored control chats can have reached."""
    from sidecar.memory import added_in_arm  # loads the capture, which no pre-run needs

    mark = arm_mark(experiment, "treated")
    memories, drafts = len(added_in_arm(tx, mark, project)), len(artifact_store.drafted_in_arm(tx, mark, project))
    reached, leaked = store.leaking_control_chats(tx, experiment, project)
    items = f"{count_noun(memories, 'memory')} and {count_noun(drafts, 'artifact')}"
    chats = count_noun(reached, "control chat")
    return Leakage(
        stored_memories=memories,
        stored_artifacts=drafts,
        control_chats=reached,
        leaked_chats=leaked,
        sentence=f"Treated chats stored {items}. {chats} read memories or called the sidecar's tools by themselves;"
        f" {leaked} of them reached something that a treated chat stored.",
    )


def items_of_arm(tx: apsw.Connection, mark: str, project: str | None) -> set[tuple[str, str]]:
    """Return project and id of the memories and artifacts that chats of an arm stored."""
    from sidecar.memory import added_in_arm

    return added_in_arm(tx, mark, project) | artifact_store.drafted_in_arm(tx, mark, project)


def summary(call: Call, params: MetricsSummaryParams) -> MetricsSummaryResult:
    """Return the sums of a period: hit rate, bytes per turn against the baseline, latency, value of the packs, cost.

    Active and passive mode are separate: passive mode shows what its packs would have saved.
    """
    since_day, project = period_and_project(call, params)
    with call.database.read() as tx:
        sums = totals(tx, project, since_day, params.provider)
        of_no_project = totals(tx, NO_PROJECT, since_day, NO_PROVIDER)
        experiment = experiment_result(tx, call.settings(params.project_path), project, call.now_ms())
    names = sorted({name for _, name in sums})
    return MetricsSummaryResult(
        since_day=since_day,
        active=figures_of({name: total for (shadow, name), total in sums.items() if not shadow}),
        passive=figures_of({name: total for (shadow, name), total in sums.items() if shadow}),
        errors=errors_of({name: total for (_, name), total in of_no_project.items()}),
        experiment=experiment,
        measures={name: sums.get((False, name), 0.0) + sums.get((True, name), 0.0) for name in names},
    )


def status(call: Call, params: RolloutParams) -> RolloutResult:
    """Return the rollout by share: who takes part, whether it is suspended, and what its experiment shows."""
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else None
    settings = call.settings(path)
    with call.database.read() as tx:
        return RolloutResult(
            rollout=rollout_status(tx, settings, project),
            experiment=experiment_result(tx, settings, project, call.now_ms()),
        )


def resume(call: Call, params: RolloutParams) -> RolloutResult:
    """End the suspension of a rollout: chats receive packs again according to their arms.

    The guard looks only at chats and runs that start afterwards.
    """
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else GLOBAL
    with call.database.write() as tx:
        resume_rollout(tx, project, call.now_ms())
    return status(call, params)


METHODS = (
    method("metrics/summary", summary, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("rollout/status", status, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("rollout/resume", resume, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
)
