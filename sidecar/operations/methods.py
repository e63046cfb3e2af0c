"""`state/report`, and the rows of all operations."""

import os

from sidecar.call import Call
from sidecar.core.clock import utc_day, utc_minute
from sidecar.core.errors import Busy, InvalidParams, NotFound, StateDegraded, WorkspaceUnavailable
from sidecar.daily_metrics import first_day
from sidecar.method import Lane, method
from sidecar.operations.doctor import doctor
from sidecar.operations.model import StateReportParams, StateReportResult
from sidecar.operations.purge import purge
from sidecar.operations.report_data import read_report_data
from sidecar.operations.report_page import ReportHeading, page
from sidecar.operations.rollout_stages import gather_evidence, next_step, stages
from sidecar.operations.status import status
from sidecar.settings.resolve import Settings
from sidecar.system.atomic_write import write_atomic

FILE_NAME = "report.html"


def report(call: Call, params: StateReportParams) -> StateReportResult:
    """Write the measurements to one HTML file, with the assessment of each rollout stage at the top.

    The file needs no network and contains no prompts and no paths.
    """
    project, name = _project(call, params)
    settings = call.process.settings(project or "")
    now_ms = call.now_ms()
    since_day = first_day(now_ms, params.days)
    call.database.write_behind.flush()
    with call.database.read() as tx:
        data = read_report_data(tx, project, settings, since_day, now_ms, days=params.days)
    judged_stages = stages(
        gather_evidence(data.modes.active, data.modes.passive, data.days, data.errors, data.artifacts, settings)
    )
    step = next_step(judged_stages, data.experiment.advice if data.experiment is not None else None)
    content = page(_heading(call, settings, name, since_day), data, step, judged_stages).encode()
    path = os.path.join(call.process.state_dir, FILE_NAME)
    call.database.require_in_place()
    try:
        write_atomic(path, content, durable=False, is_private=True)
    except OSError as error:
        raise StateDegraded(
            f"The report cannot be written: {error.strerror or type(error).__name__}.",
            hint="Check the state folder's permissions and disk.",
        ) from error
    return StateReportResult(
        path=path,
        bytes=len(content),
        since_day=since_day,
        next_step=step,
        stages=judged_stages,
        rollout=data.rollout,
        experiment=data.experiment,
        estimate=data.modes.passive.estimate,
    )


def _project(call: Call, params: StateReportParams) -> tuple[str | None, str | None]:
    """Return the project's key and name, or None for both."""
    if params.project_path is None:
        return None, None
    workspace = call.process.workspaces.get(params.project_path, None)
    return workspace.project_key, workspace.project.name


def _heading(call: Call, settings: Settings, name: str | None, since_day: str) -> ReportHeading:
    return ReportHeading(
        project=name,
        since_day=since_day,
        today=utc_day(call.now_ms()),
        made_at=utc_minute(call.now()),
        now_ms=call.now_ms(),
        version=call.process.version,
        mode=settings.mode,
        snapshot=bool(settings["snapshot"]),
        rehydrate=bool(settings["rehydrate"]),
        cache_bytes=int(settings["cache.diskBytes"]),
    )


METHODS = (
    method("state/report", report, lane=Lane.SHARED, errors=(WorkspaceUnavailable, StateDegraded)),
    method("state/doctor", doctor, lane=Lane.JOB, errors=(WorkspaceUnavailable, StateDegraded, Busy)),
    method(
        "state/purge",
        purge,
        lane=Lane.JOB,
        errors=(InvalidParams, WorkspaceUnavailable, NotFound, StateDegraded, Busy),
    ),
    method("state/status", status, lane=Lane.SHARED, errors=(StateDegraded,)),
)
