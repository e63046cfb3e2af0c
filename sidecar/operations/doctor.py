"""`state/doctor`: looks at everything the sidecar keeps and stands on, and mends what it may, after a copy."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from sidecar.call import Call
from sidecar.capture.artifacts import memory_branch as capture
from sidecar.core.errors import SidecarError
from sidecar.core.findings import Finding
from sidecar.knowledge import sync_checks as knowledge
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
from sidecar.registry import doctor_check as registry
from sidecar.runs import maintenance as runs
from sidecar.settings import stored_settings as settings
from sidecar.storage import health_checks as storage
from sidecar.storage.backup import back_up
from sidecar.system.environment import environment
from sidecar.workspace import Workspace

Check = Callable[[Call, Workspace | None], Iterable[Finding] | None]
"""Gives what it finds; None where it needs a project and has none."""


def _of_project(look: Callable[[Call, Workspace], Iterable[Finding]]) -> Check:
    return lambda call, workspace: None if workspace is None else look(call, workspace)


CHECKS: dict[DoctorCheckName, Check] = {
    "database": lambda call, _: storage.database(call.database),
    "caches": lambda call, _: storage.caches(call.database),
    "records": lambda call, _: runs.records(call.process),
    "settings": lambda call, _: settings.settings(call.database, environment()),
    "indexes": lambda call, _: memory.indexes(call.process),
    "memories": _of_project(lambda call, workspace: memory.files(call.process, workspace)),
    "registry": _of_project(registry.registry),
    "knowledge": _of_project(knowledge.knowledge),
    "memoryBranch": _of_project(lambda call, workspace: capture.memory_branch(call.process, workspace)),
    "watchers": lambda _, workspace: environment_checks.watchers(workspace),
    "disk": lambda call, _: environment_checks.disk(call.process.state_dir),
    "versions": lambda call, _: environment_checks.versions(call.process.state_dir),
}
"""What is looked at, in this order: what others stand on comes first."""

NEED_NO_STATE: frozenset[DoctorCheckName] = frozenset(("memories", "registry", "watchers"))
"""Looks at the project's files and the system, for which an empty state does."""

ROUNDS = 3
"""What is mended may show something else, and that again; more than that is no mending."""

Found = dict[DoctorCheckName, list[Finding] | None]


def doctor(call: Call, params: StateDoctorParams) -> StateDoctorResult:
    """Looks at the state file beyond SQLite's own checks, at caches, records, settings, indexes, disk and versions.

    With a project also at its memory files, registry, knowledge sync and memory branch. Each finding has a remedy. With
    `fix` the state file is copied first, then what can be mended is, and looked at again.
    """
    path = params.project_path
    workspace = None if path is None else call.process.workspaces.get(path, None)
    call.database.behind.flush()
    found = left = _look(call, workspace)
    backup = None
    if params.fix and not params.dry_run and any(_mends(found)):
        backup = str(back_up(call.database.path, call.now_ms()))
        left = _mended(call, workspace, found)
    findings = list(_told(found, left))
    return StateDoctorResult(
        healthy=all(one.fixed for one in findings),
        checks=[DoctorCheck(name=name, level=_level(ones)) for name, ones in left.items()],
        findings=findings,
        backup=backup,
        versions=environment_checks.told_versions(),
    )


def without_state(beside: StateDoctorResult, folder: Path, why: Finding) -> StateDoctorResult:
    """Gives what can be told where the state in a folder cannot be opened, and why it cannot.

    `beside` is what was found with an empty state: what it says of the project's own files holds all the same.
    """
    disk, versions = list(environment_checks.disk(folder)), list(environment_checks.versions(folder))
    found: Found = {"database": [why], "disk": disk, "versions": versions}
    levels = {one.name: one.level for one in beside.checks if one.name in NEED_NO_STATE}
    levels |= {name: _level(ones) for name, ones in found.items()}
    told = [_shown(name, one._replace(mend=None), fixed=False) for name, ones in found.items() for one in ones or ()]
    told += [one.model_copy(update={"fixable": False}) for one in beside.findings if one.check in NEED_NO_STATE]
    checks = [DoctorCheck(name=name, level=levels.get(name, "skipped")) for name in CHECKS]
    return beside.model_copy(update={"healthy": False, "checks": checks, "findings": told})


def _mended(call: Call, workspace: Workspace | None, found: Found) -> Found:
    """Mends, looks again, and mends what shows only then: a table that was made anew is empty."""
    left = found
    for _ in range(ROUNDS):
        for mend in _mends(left):
            call.cancellation.check()
            with suppress(SidecarError, apsw.SQLError):  # the next look shows what came of it
                mend()
        before, left = left, _look(call, workspace)
        if not any(_mends(left)) or _sentences(left) == _sentences(before):
            break
    return left


def _mends(found: Found) -> list[Callable[[], object]]:
    return [one.mend for ones in found.values() for one in ones or () if one.mend is not None]


def _sentences(found: Found) -> set[str]:
    return {one.told for ones in found.values() for one in ones or ()}


def _look(call: Call, workspace: Workspace | None) -> Found:
    return {name: _found(check, call, workspace) for name, check in CHECKS.items()}


def _found(check: Check, call: Call, workspace: Workspace | None) -> list[Finding] | None:
    """What a check finds; that it cannot look is a finding too."""
    call.cancellation.check()
    try:
        ones = check(call, workspace)
        return None if ones is None else list(ones)
    except SidecarError as error:
        return [Finding("error", error.message, error.hint or "Restart 1Code and look again.")]
    except apsw.SQLError:
        return [Finding("error", "It cannot be looked at: a table or a column is missing.", "Mend the database first.")]


def _told(found: Found, left: Found) -> Iterator[DoctorFinding]:
    """What was found before anything was mended, and what only shows since."""
    for name, ones in found.items():
        still = {one.told for one in left[name] or ()}
        for one in ones or ():
            yield _shown(name, one, fixed=one.told not in still)
        known = {one.told for one in ones or ()}
        yield from (_shown(name, one, fixed=False) for one in left[name] or () if one.told not in known)


def _shown(name: DoctorCheckName, one: Finding, *, fixed: bool) -> DoctorFinding:
    return DoctorFinding(
        check=name, level=one.level, message=one.told, remedy=one.remedy, fixable=one.mend is not None, fixed=fixed
    )


def _level(ones: list[Finding] | None) -> DoctorLevel:
    if ones is None:
        return "skipped"
    return "error" if any(one.level == "error" for one in ones) else "warning" if ones else "ok"
