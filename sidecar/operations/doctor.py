"""`state/doctor`: checks the state and its environment; with `fix` it repairs what it can, after a backup."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from sidecar.call import Call
from sidecar.capture.artifacts.memory_branch import check_memory_branch
from sidecar.core.errors import SidecarError
from sidecar.core.findings import Finding
from sidecar.knowledge.sync_checks import knowledge_findings
from sidecar.memory import doctor_and_purge as memory
from sidecar.operations import environment_checks
from sidecar.operations.model import (
    DoctorCheck,
    DoctorCheckName,
    DoctorFinding,
    DoctorLevel,
    StateDoctorParams,
    StateDoctorResult,
)
from sidecar.registry.methods import doctor_findings
from sidecar.runs.maintenance import check_records
from sidecar.settings.stored_settings import check_settings
from sidecar.storage import health_checks as storage
from sidecar.storage.backup import back_up
from sidecar.system.environment import environment
from sidecar.workspace import Workspace

Check = Callable[[Call, Workspace | None], Iterable[Finding] | None]
"""Returns the findings of a check, or None if it needs a project and there is none."""


def _project_check(check: Callable[[Call, Workspace], Iterable[Finding]]) -> Check:
    return lambda call, workspace: None if workspace is None else check(call, workspace)


CHECKS: dict[DoctorCheckName, Check] = {
    "database": lambda call, _: storage.database(call.database),
    "caches": lambda call, _: storage.caches(call.database),
    "records": lambda call, _: check_records(call.process),
    "settings": lambda call, _: check_settings(call.database, environment()),
    "indexes": lambda call, _: memory.index_findings(call.process),
    "memories": _project_check(lambda call, workspace: memory.file_findings(call.process, workspace)),
    "registry": _project_check(doctor_findings),
    "knowledge": _project_check(knowledge_findings),
    "memoryBranch": _project_check(lambda call, workspace: check_memory_branch(call.process, workspace)),
    "watchers": lambda _, workspace: environment_checks.watchers(workspace),
    "disk": lambda call, _: environment_checks.disk(call.process.state_dir),
    "versions": lambda call, _: environment_checks.versions(call.process.state_dir),
}
"""The checks in order: what others depend on comes first."""

NEED_NO_STATE: frozenset[DoctorCheckName] = frozenset(("memories", "registry", "watchers"))
"""Checks of the project's files and the system, which an empty state is enough for."""

ROUNDS = 3
"""Maximum number of repair rounds: a repair may reveal another finding."""

Findings = dict[DoctorCheckName, list[Finding] | None]


def doctor(call: Call, params: StateDoctorParams) -> StateDoctorResult:
    """Check the state file beyond SQLite's own checks, and caches, records, settings, indexes, disk and versions.

    With a project, also check its memory files, registry, knowledge sync and memory branch. Each finding has a remedy.
    `fix` first backs up the state file, then repairs what can be repaired and checks again.
    """
    path = params.project_path
    workspace = None if path is None else call.process.workspaces.get(path, None)
    call.database.behind.flush()
    initial = current = _run_checks(call, workspace)
    backup = None
    if params.fix and not params.dry_run and any(_repairs(initial)):
        backup = str(back_up(call.database.path, call.now_ms()))
        current = _repair(call, workspace, initial)
    findings = list(_with_outcome(initial, current))
    return StateDoctorResult(
        healthy=all(finding.fixed for finding in findings),
        checks=[DoctorCheck(name=name, level=_level(check_findings)) for name, check_findings in current.items()],
        findings=findings,
        backup=backup,
        versions=environment_checks.library_versions(),
    )


def without_state(beside: StateDoctorResult, folder: Path, reason: Finding) -> StateDoctorResult:
    """Return the result when the state in a folder cannot be opened, with the reason.

    `beside` is the result with an empty state; its findings on the project's own files still apply.
    """
    disk, versions = list(environment_checks.disk(folder)), list(environment_checks.versions(folder))
    checked: Findings = {"database": [reason], "disk": disk, "versions": versions}
    levels = {finding.name: finding.level for finding in beside.checks if finding.name in NEED_NO_STATE}
    levels |= {name: _level(check_findings) for name, check_findings in checked.items()}
    doctor_findings = [
        _doctor_finding(name, finding._replace(repair=None), fixed=False)
        for name, check_findings in checked.items()
        for finding in check_findings or ()
    ]
    doctor_findings += [
        finding.model_copy(update={"fixable": False}) for finding in beside.findings if finding.check in NEED_NO_STATE
    ]
    checks = [DoctorCheck(name=name, level=levels.get(name, "skipped")) for name in CHECKS]
    return beside.model_copy(update={"healthy": False, "checks": checks, "findings": doctor_findings})


def _repair(call: Call, workspace: Workspace | None, initial: Findings) -> Findings:
    """Repair, check again, and repair what only shows then: a rebuilt table is empty."""
    current = initial
    for _ in range(ROUNDS):
        for repair in _repairs(current):
            call.cancellation.check()
            with suppress(SidecarError, apsw.SQLError):  # the next check shows the result
                repair()
        previous, current = current, _run_checks(call, workspace)
        if not any(_repairs(current)) or _messages(current) == _messages(previous):
            break
    return current


def _repairs(findings: Findings) -> list[Callable[[], object]]:
    return [
        finding.repair
        for check_findings in findings.values()
        for finding in check_findings or ()
        if finding.repair is not None
    ]


def _messages(findings: Findings) -> set[str]:
    return {finding.message for check_findings in findings.values() for finding in check_findings or ()}


def _run_checks(call: Call, workspace: Workspace | None) -> Findings:
    return {name: _run_check(check, call, workspace) for name, check in CHECKS.items()}


def _run_check(check: Check, call: Call, workspace: Workspace | None) -> list[Finding] | None:
    """Run a check. A check that fails to run is a finding too."""
    call.cancellation.check()
    try:
        findings = check(call, workspace)
        return None if findings is None else list(findings)
    except SidecarError as error:
        return [Finding("error", error.message, error.hint or "Restart 1Code and run the doctor again.")]
    except apsw.SQLError:
        return [Finding("error", "The check cannot run: a table or a column is missing.", "Repair the database first.")]


def _with_outcome(initial: Findings, current: Findings) -> Iterator[DoctorFinding]:
    """Yield the findings from before the repair, and those that only appeared since."""
    for name, check_findings in initial.items():
        remaining = {finding.message for finding in current[name] or ()}
        for finding in check_findings or ():
            yield _doctor_finding(name, finding, fixed=finding.message not in remaining)
        known = {finding.message for finding in check_findings or ()}
        yield from (
            _doctor_finding(name, finding, fixed=False)
            for finding in current[name] or ()
            if finding.message not in known
        )


def _doctor_finding(name: DoctorCheckName, finding: Finding, *, fixed: bool) -> DoctorFinding:
    return DoctorFinding(
        check=name,
        level=finding.level,
        message=finding.message,
        remedy=finding.remedy,
        fixable=finding.repair is not None,
        fixed=fixed,
    )


def _level(findings: list[Finding] | None) -> DoctorLevel:
    if findings is None:
        return "skipped"
    return "error" if any(finding.level == "error" for finding in findings) else "warning" if findings else "ok"
