"""`state/status`: who works on the state folder, in which mode, what ran last, and how large it is."""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from sidecar.call import Call, Process
from sidecar.core.clock import rfc3339
from sidecar.memory import tiers
from sidecar.metrics import DaySums, by_day, figures_of, first_day
from sidecar.operations.model import (
    CacheStatus,
    LastRun,
    ProjectStatus,
    RunningSidecar,
    StateStatusParams,
    StateStatusResult,
    StoredFiles,
)
from sidecar.operations.state_files import files_of
from sidecar.runs import CallRecord, artifacts, records
from sidecar.storage.health_checks import cache_sizes
from sidecar.storage.migrations import current_step
from sidecar.system.process_registry import present

DAYS = 30
LAST_RUNS = 10
COMMAND = "onecode-sidecar"
"""What a command calls itself; it knows no more of the app's settings than this one."""


def status(call: Call, params: StateStatusParams) -> StateStatusResult:  # noqa: ARG001  (the row reads its annotation)
    """Shows who works on the state folder, the mode, each project's figures, the last runs, and how large all is."""
    process = call.process
    others = list(_others(process))
    mode, source = _mode(process, "", others)
    with call.database.read() as tx:
        projects = list(_projects(process, tx, first_day(call.now_ms(), DAYS), others))
        last = [_last(one) for one in records.last_calls(tx, LAST_RUNS)]
        caches = [CacheStatus(name=one.name, entries=one.entries, bytes=one.bytes) for one in cache_sizes(tx)]
        step = current_step(tx)
    return StateStatusResult(
        state_dir=str(process.state_dir),
        schema_=step,
        version=process.version,
        mode=mode,
        mode_source=source,
        others=others,
        projects=projects,
        last_runs=last,
        files=_files(process),
        caches=caches,
        free_bytes=shutil.disk_usage(process.state_dir).free,
    )


def _others(process: Process) -> Iterator[RunningSidecar]:
    names = RunningSidecar.model_fields
    for one in present(process.state_dir):
        told = {name: one.get(field.alias or name) for name, field in names.items()}
        if told["pid"] != os.getpid() and None not in told.values():
            yield RunningSidecar.model_validate(told)


def _mode(process: Process, project: str, others: Sequence[RunningSidecar]) -> tuple[str, str]:
    """The mode that counts and its layer: where nothing is set, the one an app gave its sidecar at the start."""
    settings = process.settings(project)
    found = settings.resolved["mode"]
    of_apps = [one.mode for one in others if one.client != COMMAND]
    if found.source == "default" and of_apps:
        return of_apps[0], "initialize"
    return settings.mode, found.source


def _projects(
    process: Process, tx: apsw.Connection, since_day: str, others: Sequence[RunningSidecar]
) -> Iterator[ProjectStatus]:
    names = records.project_names(tx)
    known = records.projects(tx)
    of_days = list(by_day(tx, None, since_day, None))
    for project, runs, last_ms in known:
        told = figures_of(_added(one for one in of_days if one.project == project))
        yield ProjectStatus(
            project=project,
            name=names.get(project),
            mode=_mode(process, project, others)[0],
            runs=runs,
            last_run_at=rfc3339(last_ms) if last_ms else None,
            hit_rate=told.follow_up_hit_rate,
            reduction=told.reduction if told.calls else None,
            drafts=sum(n for (_, status), n in artifacts.counted(tx, project).items() if status == "draft"),
            memories=sum(tiers(tx, project).values()),
        )


def _added(ones: Iterable[DaySums]) -> dict[str, float]:
    added: dict[str, float] = {}
    for one in ones:
        for (_, name), total in one.totals.items():
            added[name] = added.get(name, 0.0) + total
    return added


def _last(one: CallRecord) -> LastRun:
    metadata: Any = one.record.get("metadata") or {}
    return LastRun(
        run_id=one.run_id,
        at=rfc3339(one.created_at_ms),
        project=one.project,
        provider=one.provider,
        action=str(one.record.get("action", "passthrough")),
        reason=one.record.get("reason"),
        status=one.status,
        new_bytes=int(metadata.get("wouldInjectBytes", 0)),
    )


def _files(process: Process) -> list[StoredFiles]:
    found: dict[str, list[int]] = {}
    for one in files_of(process.state_dir):
        found.setdefault(one.kind, []).append(one.bytes)
    return [StoredFiles(kind=kind, files=len(sizes), bytes=sum(sizes)) for kind, sizes in found.items()]
