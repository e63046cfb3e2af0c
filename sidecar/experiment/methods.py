"""`rollout/resume`, and the state of a rollout for other methods."""

import apsw

from sidecar.call import Call
from sidecar.core.clock import rfc3339
from sidecar.core.errors import Busy, StateDegraded, WorkspaceUnavailable
from sidecar.experiment import store
from sidecar.experiment.assignment import experiment_of
from sidecar.experiment.model import RolloutParams, RolloutResult, RolloutStatus, RolloutSuspension
from sidecar.method import Lane, method
from sidecar.settings.resolve import GLOBAL, Settings, Suspension, put_suspension


def rollout_status(tx: apsw.Connection, settings: Settings) -> RolloutStatus | None:
    """Return the state of a rollout; None if every chat receives what the mode says."""
    if settings.is_full_rollout:
        return None
    suspension, counts = settings.suspension, store.count_units(tx, experiment_of(settings))
    return RolloutStatus(
        share=settings["rollout.share"],
        experiment=settings["rollout.experiment"],
        suspended=RolloutSuspension(reason=suspension.reason, at=rfc3339(suspension.at_ms)) if suspension else None,
        treated=counts.get(("treated", False), 0),
        control=counts.get(("control", False), 0),
        left=sum(number for (_, has_left), number in counts.items() if has_left),
    )


def status(call: Call, params: RolloutParams) -> RolloutResult:
    """Return the rollout by share: who takes part, and whether it is suspended."""
    with call.database.read() as tx:
        return RolloutResult(rollout=rollout_status(tx, call.settings(params.project_path)))


def resume(call: Call, params: RolloutParams) -> RolloutResult:
    """End the suspension of a rollout: chats receive packs again by their arms.

    The guard looks only at runs that start afterwards.
    """
    path = params.project_path
    project = call.process.workspaces.get(path, None).project_key if path is not None else GLOBAL
    with call.database.write() as tx:
        for scope in dict.fromkeys((GLOBAL, project)):
            put_suspension(tx, scope, Suspension("", call.now_ms()))
    return status(call, params)


METHODS = (
    method("rollout/status", status, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("rollout/resume", resume, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
)
