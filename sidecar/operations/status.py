"""`state/status`: the processes that use the state folder, the mode, the latest runs, and the sizes.

The files of a state folder are listed here by kind, also for the doctor and the purge.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from sidecar.call import Call, Process
from sidecar.core.clean_text import readable_name
from sidecar.core.clock import rfc3339
from sidecar.daily_metrics import DaySums, by_day, figures_of, first_day
from sidecar.experiment.methods import rollout_status
from sidecar.memory.upkeep import count_memories
from sidecar.operations.model import (
    CacheStatus,
    HostStatus,
    IndexingStatus,
    LastRun,
    ProjectStatus,
    RunningSidecar,
    StateStatusParams,
    StateStatusResult,
    StoredFiles,
)
from sidecar.runs import CallRecord, artifact_store, run_records
from sidecar.runs.model import APP_NAME, TERMINAL_AGENTS
from sidecar.runs.pre_run_record import last_calls
from sidecar.storage.database import FILE_NAME
from sidecar.storage.doctor_checks import BACKUPS_FOLDER as BACKUPS
from sidecar.storage.doctor_checks import cache_sizes
from sidecar.storage.migrations import current_step
from sidecar.system.running_sidecars import running_processes

PATTERNS: dict[str, tuple[str, ...]] = {
    "state": (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"),
    "backups": (f"{BACKUPS}/*.db",),
    "damaged": (f"{FILE_NAME}.damaged-*",),
    "caches": ("indexes/*",),
    "logs": ("log/*.log*",),
    "reports": ("report.html",),
}
"""File name patterns below the state folder."""


class StateFile(NamedTuple):
    """A file of the state folder."""

    kind: str
    path: Path
    bytes: int
    modified_ms: int


def list_state_files(state_dir: Path) -> Iterator[StateFile]:
    """Yield the files of each kind. Links are not followed; files that vanish meanwhile are skipped."""
    for kind, patterns in PATTERNS.items():
        for pattern in patterns:
            for path in sorted(state_dir.glob(pattern)):
                try:
                    stat = os.lstat(path)
                except OSError:
                    continue
                yield StateFile(kind, path, stat.st_size, stat.st_mtime_ns // 1_000_000)


DAYS = 30
MAX_LAST_RUNS = 10
COMMAND = "onecode-sidecar"
"""The client name of our own commands. They do not know the app's settings either."""


def status(call: Call, params: StateStatusParams) -> StateStatusResult:  # noqa: ARG001  (the row reads its annotation)
    """Return the processes that use the state folder, the mode, each project's figures, the latest runs and sizes."""
    process = call.process
    process.database.require_in_place()
    others = list(_other_processes(process))
    mode, source = _effective_mode(process, "", others)
    with call.database.read() as tx:
        projects = list(_projects(process, tx, call.now_ms(), others))
        last = [_last_run(entry) for entry in last_calls(tx, MAX_LAST_RUNS)]
        seen = run_records.last_seen(tx, call.now_ms())
        caches = [CacheStatus(name=entry.name, entries=entry.entries, bytes=entry.bytes) for entry in cache_sizes(tx)]
        step = current_step(tx)
        rollout = rollout_status(tx, process.settings("").in_mode(mode), None)
    names = (APP_NAME, *(agent.name for agent in TERMINAL_AGENTS.values()))
    hosts = [HostStatus(name=name, last_seen_at=rfc3339(seen[name]) if name in seen else None) for name in names]
    return StateStatusResult(
        state_dir=str(process.state_dir),
        schema_=step,
        version=process.version,
        mode=mode,
        mode_source=source,
        rollout=rollout,
        others=others,
        hosts=hosts,
        projects=projects,
        last_runs=last,
        files=_files(process),
        caches=caches,
        free_bytes=shutil.disk_usage(process.state_dir).free,
        indexing=list(_indexing(process)),
    )


def _indexing(process: Process) -> Iterator[IndexingStatus]:
    for cwd, report in dict(list(process.slices.codebase.index_runs.values())).items():
        yield IndexingStatus(
            cwd=readable_name(str(cwd)),
            stage=report.stage,
            done=report.done,
            total=report.total,
            remaining_ms=report.remaining_ms(process.clock.monotonic_ms()),
        )


def _other_processes(process: Process) -> Iterator[RunningSidecar]:
    names = RunningSidecar.model_fields
    for registration in running_processes(process.state_dir):
        facts = {name: registration.get(field.alias or name) for name, field in names.items()}
        if facts["pid"] != os.getpid() and None not in facts.values():
            yield RunningSidecar.model_validate(facts)


def _effective_mode(process: Process, project: str, others: Sequence[RunningSidecar]) -> tuple[str, str]:
    """Return the effective mode and its layer; if nothing is set, the mode an app gave its sidecar at start-up."""
    settings = process.settings(project)
    resolved_mode = settings.resolved["mode"]
    app_modes = [process_.mode for process_ in others if process_.client != COMMAND]
    if resolved_mode.source == "default" and app_modes:
        return app_modes[0], "initialize"
    return settings.mode, resolved_mode.source


def _projects(
    process: Process, tx: apsw.Connection, now_ms: int, others: Sequence[RunningSidecar]
) -> Iterator[ProjectStatus]:
    names = run_records.project_names(tx)
    known_projects = run_records.projects(tx, now_ms)
    days = list(by_day(tx, None, first_day(now_ms, DAYS), None))
    for project, runs, last_ms in known_projects:
        figures = figures_of(_totals(day for day in days if day.project == project))
        mode = _effective_mode(process, project, others)[0]
        yield ProjectStatus(
            project=project,
            name=names.get(project),
            mode=mode,
            runs=runs,
            last_run_at=rfc3339(last_ms) if last_ms else None,
            hit_rate=figures.follow_up_hit_rate,
            reduction=figures.reduction if figures.calls else None,
            drafts=sum(
                number
                for (_, status), number in artifact_store.count_by_status(tx, project).items()
                if status == "draft"
            ),
            memories=count_memories(process, tx, project),
            rollout=rollout_status(tx, process.settings(project).in_mode(mode), project),
        )


def _totals(days: Iterable[DaySums]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for day in days:
        for (_, name), total in day.totals.items():
            sums[name] = sums.get(name, 0.0) + total
    return sums


def _last_run(call_record: CallRecord) -> LastRun:
    return LastRun(
        run_id=call_record.run_id,
        at=rfc3339(call_record.created_at_ms),
        project=call_record.project,
        provider=call_record.provider,
        action=call_record.details.action,
        reason=call_record.details.reason,
        status=call_record.status,
        new_bytes=call_record.details.metadata.would_inject_bytes,
    )


def _files(process: Process) -> list[StoredFiles]:
    sizes_by_kind: dict[str, list[int]] = {}
    for file in list_state_files(process.state_dir):
        sizes_by_kind.setdefault(file.kind, []).append(file.bytes)
    return [StoredFiles(kind=kind, files=len(sizes), bytes=sum(sizes)) for kind, sizes in sizes_by_kind.items()]
