"""`state/doctor`: checks the state and its environment; with `fix` it repairs what it can, after a backup."""

import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw

from sidecar import __version__
from sidecar.call import Call
from sidecar.capture.artifact_commits import check_memory_branch
from sidecar.codebase import FOLDER_TOO_LARGE, SMALLER_FOLDER, StateUnavailable
from sidecar.core.errors import SidecarError
from sidecar.core.redact import redact
from sidecar.knowledge.sync_doctor import knowledge_findings
from sidecar.memory import upkeep as memory
from sidecar.operations.model import (
    DoctorCheck,
    DoctorCheckName,
    DoctorFinding,
    DoctorLevel,
    StateDoctorParams,
    StateDoctorResult,
)
from sidecar.operations.status import list_state_files
from sidecar.registry.methods import doctor_findings
from sidecar.runs.maintenance import check_records
from sidecar.settings.methods import check_settings
from sidecar.settings.resolve import GLOBAL, values_of
from sidecar.storage import doctor_checks as storage
from sidecar.storage.doctor_checks import Finding, back_up
from sidecar.storage.migrations import DURABLE_TABLES
from sidecar.storage.recovery import lost_tables
from sidecar.system.atomic_write import temporary_name
from sidecar.system.environment import environment
from sidecar.system.git import (
    DAMAGED,
    DAMAGED_CONFIG,
    DAMAGED_INDEX,
    FOREIGN_OWNER,
    GIT_MISSING,
    INSTALL_GIT,
    NO_PERMISSION,
    NO_WORK_TREE,
    UNKNOWN_FORMAT,
    UNKNOWN_REVISION,
    XCODE_LICENSE,
    Git,
    GitFailed,
    common_dir_of,
    is_git_dir,
    open_repository,
    pygit2,
)
from sidecar.system.linux_tree_watch import LIMIT_DIVISOR
from sidecar.system.running_sidecars import running_processes
from sidecar.workspace import Workspace

MIN_FREE_BYTES = 512 * 2**20
"""Free disk space below which the doctor warns."""

OLDEST_GIT = (2, 31)
"""Minimum version, of 2021. Older ones lack options and formats that we use."""

MIN_WATCHERS = 8
"""Number of inotify instances below which the doctor warns: a process uses two per worktree, and an editor some."""

SETTINGS_TABLE = "continuity_settings"

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def disk(folder: Path) -> Iterator[Finding]:
    """Check free disk space, permissions of the state folder, and damaged state files in it."""
    sizes = {file.path: file.bytes for file in list_state_files(folder)}
    free = shutil.disk_usage(next(file for file in (folder, *folder.parents) if file.exists())).free
    if free < max(MIN_FREE_BYTES, 2 * sum(sizes.values())):
        message = f"{free >> 20} MiB are free on the disk of the state folder."
        yield Finding(
            "warning",
            message,
            "Free some disk space. `onecode-sidecar purge --kind caches` removes the caches.",
        )
    if os.name != "nt" and folder.is_dir():
        yield from _permissions(folder)
    for path in _damaged_files(folder):
        remedy = "`onecode-sidecar purge --kind damaged` removes it when you no longer need it."
        yield Finding("warning", f"A damaged state file was set aside: {path.name}. {_carried_over(path)}", remedy)


def _damaged_files(folder: Path) -> list[Path]:
    """Return the damaged state files in a folder, without their logs."""
    return [file.path for file in list_state_files(folder) if file.kind == "damaged" and file.path.suffix[-1].isdigit()]


def _carried_over(damaged: Path) -> str:
    """Return what of a damaged file was carried over, as a sentence."""
    lost = lost_tables(damaged)
    if lost == DURABLE_TABLES:
        return "Nothing in it could be read: settings, artifacts and all other records in it are lost."
    if lost:
        names = ", ".join(name.removeprefix("continuity_").replace("_", " ") for name in lost)
        return f"What could be read of it was carried over; records of these tables are lost: {names}."
    return "What could be read of it was carried over."


def lost_settings(call: Call) -> Iterator[Finding]:
    """Report settings that were lost with a damaged state file, until the mode is set again or the file is removed."""
    damaged = [path for path in _damaged_files(call.process.state_dir) if SETTINGS_TABLE in lost_tables(path)]
    if not damaged:
        return
    with call.database.read() as tx:
        is_set_again = "mode" in values_of(tx, GLOBAL)
    if is_set_again:
        return
    mode = call.process.settings("").mode
    effect = "" if mode == "active" else ", so nothing is injected"
    message = f"Settings were lost with the damaged state file {damaged[-1].name}. The mode is now {mode}{effect}."
    remedy = (
        "`onecode-sidecar settings mode active` sets the mode; `onecode-sidecar purge --kind damaged` ends this notice."
    )
    yield Finding("warning", message, remedy)


def _permissions(folder: Path) -> Iterator[Finding]:
    mode, remedy = folder.stat().st_mode, "`--fix` restricts it to you; so does `chmod 700`."
    if mode & _OTHERS_WRITE:
        message = "Other users can write to the state folder, and so replace what agents receive."
        yield Finding("error", message, remedy, lambda: folder.chmod(0o700))
    elif mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = "Other users can read the state folder, which contains parts of your code and conversations."
        yield Finding("warning", message, remedy, lambda: folder.chmod(0o700))
    parent_mode = folder.parent.stat().st_mode
    if parent_mode & stat.S_IWOTH and not parent_mode & stat.S_ISVTX:  # a user's own group is common
        message = "Other users can write to the folder that contains the state folder, and so replace it."
        yield Finding("error", message, "Remove that permission (`chmod o-w`), or choose another stateDir.")


def former_projects(call: Call, workspace: Workspace) -> Iterator[Finding]:
    """Report projects that this one may have been before it was moved: what is stored for them does not apply to it."""
    for former in call.process.project_folders.possible_former(workspace.project):
        path, current = redact(str(former.path)), redact(str(workspace.project))
        if former.is_vacant():
            message = f"The project {path} is gone; {current} may be it. What is stored for {path} does not apply here."
        else:
            message = f"The project {current} was {path} before, where another one is now: that has its settings."
        remedy = (
            "If it is the same project, set its settings again and confirm its rules with `onecode-sidecar memory"
            f" confirm`. `onecode-sidecar purge --key {former.project} --kind runs --kind settings --kind artifacts`"
            " removes what is stored for the former path."
        )
        yield Finding("warning", message, remedy)


_REMEDIES = {
    DAMAGED: "`git status` and `git fsck` name the damage. `git worktree repair` corrects a `.git` that leads nowhere.",
    DAMAGED_INDEX: "Delete the file `index` in `.git`, then run `git reset`; what was staged must be staged again.",
    DAMAGED_CONFIG: "Correct the file `config` in `.git`: `git config --list` names the line.",
    UNKNOWN_REVISION: "Objects are missing. `git fsck` names them, `git fetch` gets those that a remote has.",
    UNKNOWN_FORMAT: "Install a newer version of git.",
    FOREIGN_OWNER: "If you trust it: `git config --global --add safe.directory` with the folder's path.",
    GIT_MISSING: INSTALL_GIT,
    XCODE_LICENSE: "Run `sudo xcodebuild -license accept`.",
    FOLDER_TOO_LARGE: SMALLER_FOLDER,
    NO_PERMISSION: "Give this user the permission to read the folder and its `.git`.",
}
"""By the reason for which a repository cannot be read."""


def repository(workspace: Workspace) -> Iterator[Finding]:
    """Check that the repository can be read: else no pack has code, and each names this reason."""
    try:
        workspace.slices.repository.state()
    except StateUnavailable as error:
        if error.reason == NO_WORK_TREE and _has_linked_worktrees(workspace.project):
            return  # a bare repository: its worktrees are read, and it has their memories
        remedy = _REMEDIES.get(error.reason, "`git status` in that folder names the cause.")
        yield Finding("error", f"Nothing can be read from the repository: {error.reason}.", remedy)


def _has_linked_worktrees(folder: Path) -> bool:
    """Whether the repository that a folder belongs to, or is, knows linked worktrees."""
    common = folder if is_git_dir(folder) else common_dir_of(folder)
    try:
        return common is not None and any((common / "worktrees").iterdir())
    except OSError:
        return False


def watchers(workspace: Workspace | None) -> Iterator[Finding]:
    """Check that the system allows a watch for each folder of the project. Without one, refreshes are slower."""
    if sys.platform != "linux":
        return
    allowed, instances = _inotify_limit("max_user_watches"), _inotify_limit("max_user_instances")
    if instances and instances < MIN_WATCHERS:
        message = f"The system limits inotify instances to {instances} (fs.inotify.max_user_instances)."
        yield Finding(
            "warning", message, "Raise the limit to at least 128: `sudo sysctl fs.inotify.max_user_instances=128`."
        )
    needed = _tracked_folder_count(workspace.cwd) if workspace is not None else 0
    if needed * LIMIT_DIVISOR > allowed:
        message = (
            f"The project has {needed} folders; the system limits watches to {allowed} (fs.inotify.max_user_watches)."
        )
        remedy = f"Raise the limit: `sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * needed)}`."
        yield Finding("warning", message, f"{remedy} Until then each refresh scans all files.")


def versions(folder: Path) -> Iterator[Finding]:
    """Check git's version, and whether sidecars of other versions use the same state folder."""
    try:
        git_version = Git.version()
        if _version_number(git_version) < OLDEST_GIT:
            yield Finding(
                "warning",
                f"The installed git is too old: {git_version}.",
                f"Install version {'.'.join(map(str, OLDEST_GIT))} or newer.",
            )
    except GitFailed as error:
        message = "The git command is not installed."
        if error.reason != GIT_MISSING:
            message = f"The git command fails: {error.reason}."
        remedy = _REMEDIES.get(error.reason, "`git version` in a terminal names the cause.")
        effect = "Until then no folder is read, and packs contain no code."
        yield Finding("warning", message, f"{remedy} {effect}")
    others = {str(process.get("version")) for process in running_processes(folder)} - {__version__}
    if others:
        message = f"A sidecar of version {', '.join(sorted(others))} uses the same state; this is {__version__}."
        yield Finding(
            "warning",
            message,
            "Restart 1Code, and run `onecode-sidecar hook stop` for terminals, so that all have the same version.",
        )


def library_versions() -> dict[str, str]:
    """Return the versions in use, for a bug report."""
    try:
        git = Git.version().removeprefix("git version ")
    except GitFailed:
        git = "none"
    python = ".".join(map(str, sys.version_info[:3]))
    libraries = {"sqlite": apsw.sqlite_lib_version(), "libgit2": str(pygit2().LIBGIT2_VERSION), "git": git}
    return {"sidecar": __version__, "python": python, **libraries, "system": sys.platform}


def _version_number(text: str) -> tuple[int, ...]:
    word = next((part for part in text.split() if part[:1].isdigit()), "0")
    return tuple(int(part) for part in word.split(".")[:2] if part.isdigit())


def _inotify_limit(name: str) -> int:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return 0


def _tracked_folder_count(cwd: Path) -> int:
    """Return the number of folders with files tracked by git, including their parents."""
    try:
        index = open_repository(str(cwd), with_refs=False).index
    except (pygit2().GitError, KeyError, ValueError, OSError):
        return 0
    folders: set[str] = set()
    for entry in index:
        folder = os.path.dirname(entry.path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    return len(folders)


CheckFunction = Callable[[Call, Workspace | None], Iterable[Finding] | None]
"""Returns the findings of a check, or None if it needs a project and there is none."""


def _project_check(check: Callable[[Call, Workspace], Iterable[Finding]]) -> CheckFunction:
    return lambda call, workspace: None if workspace is None else check(call, workspace)


CHECKS: dict[DoctorCheckName, CheckFunction] = {
    "database": lambda call, _: (*storage.check_database(call.database), *storage.check_rows(call.database)),
    "caches": lambda call, _: storage.check_caches(call.database),
    "records": lambda call, _: check_records(call.process),
    "settings": lambda call, _: (*lost_settings(call), *check_settings(call.database, environment())),
    "indexes": lambda call, _: memory.index_findings(call.process),
    "project": _project_check(former_projects),
    "repository": _project_check(lambda _, workspace: repository(workspace)),
    "memories": _project_check(lambda call, workspace: memory.file_findings(call.process, workspace)),
    "registry": _project_check(doctor_findings),
    "knowledge": _project_check(knowledge_findings),
    "memoryBranch": _project_check(lambda call, workspace: check_memory_branch(call.process, workspace)),
    "watchers": lambda _, workspace: watchers(workspace),
    "disk": lambda call, _: disk(call.process.state_dir),
    "versions": lambda call, _: versions(call.process.state_dir),
}
"""The checks in order: what others depend on comes first."""

NEED_NO_STATE: frozenset[DoctorCheckName] = frozenset(("repository", "memories", "registry", "watchers"))
"""Checks of the project's files and the system, which an empty state is enough for."""

ROUNDS = 3
"""Maximum number of repair rounds: a repair may reveal another finding."""

_REPAIR_FIRST = "Resolve the findings on the database, then run the doctor again."

Findings = dict[DoctorCheckName, list[Finding] | None]


def doctor(call: Call, params: StateDoctorParams) -> StateDoctorResult:
    """Check the state file beyond SQLite's own checks, and caches, records, settings, indexes, disk and versions.

    With a project, also check its repository, memory files, registry, knowledge sync, memory branch and the limit of
    watches, and whether it was moved. Each finding has a remedy.
    `fix` backs up the state file, repairs what can be repaired, and checks again.
    """
    path = params.project_path
    workspace = None if path is None else call.process.workspaces.get(path, None)
    if workspace is not None:
        workspace.require()
    call.database.require_in_place()
    call.database.write_behind.flush()
    initial = current = _run_checks(call, workspace)
    backup = None
    if params.fix and not params.dry_run and any(_repairs(initial)):
        with temporary_name() as name:
            backup = str(back_up(call.database.path, call.now_ms(), name))
        current = _repair(call, workspace, initial)
    findings = list(_with_outcome(initial, current))
    return StateDoctorResult(
        healthy=all(finding.fixed for finding in findings),
        checks=[DoctorCheck(name=name, level=_level(check_findings)) for name, check_findings in current.items()],
        findings=findings,
        backup=backup,
        versions=library_versions(),
    )


def without_state(beside: StateDoctorResult, folder: Path, reason: Finding) -> StateDoctorResult:
    """Return the result when the state in a folder cannot be opened, with the reason.

    `beside` is the result with an empty state; its findings on the project's own files still apply.
    """
    checked: Findings = {"database": [reason], "disk": list(disk(folder)), "versions": list(versions(folder))}
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
            with suppress(SidecarError, apsw.Error):  # the next check shows the result
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


def _run_check(check: CheckFunction, call: Call, workspace: Workspace | None) -> list[Finding] | None:
    """Run a check. A check that fails to run is a finding too."""
    call.cancellation.check()
    try:
        findings = check(call, workspace)
        return None if findings is None else list(findings)
    except SidecarError as error:
        return [Finding("error", error.message, error.hint or "Restart 1Code and run the doctor again.")]
    except apsw.SQLError:
        return [Finding("error", "The check cannot run: a table or a column is missing.", _REPAIR_FIRST)]
    except apsw.ConstraintError:
        return [Finding("error", "The check cannot run: records contradict each other.", _REPAIR_FIRST)]


def _with_outcome(initial: Findings, current: Findings) -> Iterator[DoctorFinding]:
    """Yield the findings from before the repair, and those that only appeared since.

    One of which only the numbers changed ("511 MiB are free") is not fixed and has its new text.
    """
    for name, check_findings in initial.items():
        remaining = {finding.message: finding for finding in current[name] or ()}
        no_longer_found = []
        for finding in check_findings or ():
            if remaining.pop(finding.message, None) is None:
                no_longer_found.append(finding)
            else:
                yield _doctor_finding(name, finding, fixed=False)
        for finding in no_longer_found:
            changed = next((new for new in remaining.values() if _is_same_but_for_numbers(new, finding)), None)
            if changed is not None:
                del remaining[changed.message]
            yield _doctor_finding(name, changed or finding, fixed=changed is None)
        for finding in remaining.values():
            yield _doctor_finding(name, finding, fixed=False)


def _is_same_but_for_numbers(finding: Finding, other: Finding) -> bool:
    return re.sub(r"\d+", "0", finding.message) == re.sub(r"\d+", "0", other.message)


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
