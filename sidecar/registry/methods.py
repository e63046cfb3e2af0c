"""The rows of `registry/*`; `registry/health`, and the doctor's check of the registry."""

from collections.abc import Iterator
from pathlib import Path

from sidecar.call import Call
from sidecar.core.errors import Busy, Conflict, PolicyDenied, StateDegraded, TooLarge, WorkspaceUnavailable
from sidecar.core.findings import Finding as DoctorFinding
from sidecar.method import Lane, method
from sidecar.registry import read_methods, write_methods
from sidecar.registry.health import FileContent, run_checks
from sidecar.registry.model import (
    ChangeEntry,
    HealthCheck,
    HealthFinding,
    HealthFix,
    RegistryHealthParams,
    RegistryHealthResult,
)
from sidecar.registry.project_registry import LoadedRegistry, registry_for_call
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, edit_registry_file, read_project_file, resolve_inside
from sidecar.registry.write_methods import update_checksums
from sidecar.workspace import Workspace

FRAMEWORK = "chati.dev"
CONSTITUTION = "chati.dev/constitution.md"

MAX_DOCTOR_FINDINGS = 5


def health(call: Call, params: RegistryHealthParams) -> RegistryHealthResult:
    """Check the registry and its files. Advisory: findings block nothing.

    The files exist, schemas are JSON, the constitution has its articles, agents have their sections, templates have
    placeholders, checksums match, dependencies resolve. Each finding names its file and a remedy. With `fix` checksums,
    count and date are updated first; missing files and orphaned dependencies are only reported.
    """
    workspace, project_registry = registry_for_call(call, params)
    project = workspace.project
    fix = None
    if params.fix and project_registry.load().file.content is not None and not project_registry.load().damage:
        result = edit_registry_file(
            project, call.now(), lambda text: update_checksums(project, text), dry_run=params.dry_run
        )
        changes = [ChangeEntry(**change._asdict()) for change in result.changes]
        fix = HealthFix(changes=changes, written=result.written, backup=result.backup)
    loaded = project_registry.load()
    checks = run_checks(
        loaded.registry, lambda path: _content(project, path), loaded.file.path, _constitution(project, loaded)
    )
    findings = [finding for check in checks for finding in check.findings]
    return RegistryHealthResult(
        healthy=all(finding.severity == "note" for finding in findings),
        registry=loaded.file.path,
        checks=[HealthCheck(name=check.name, passed=check.passed, total=check.total) for check in checks],
        findings=[HealthFinding(**finding._asdict()) for finding in findings],
        fix=fix,
    )


def doctor_findings(call: Call, workspace: Workspace) -> Iterator[DoctorFinding]:
    """Yield the problems in a project's registry; `onecode-sidecar health` shows all of them."""
    result = health(call, RegistryHealthParams(cwd=str(workspace.project)))
    problems = [finding for finding in result.findings if finding.severity == "problem"]
    for finding in problems[:MAX_DOCTOR_FINDINGS]:
        entity = f" ({finding.id})" if finding.id else ""
        yield DoctorFinding("warning", f"{finding.file}{entity}: {finding.message}", finding.remedy)
    if len(problems) > MAX_DOCTOR_FINDINGS:
        message = f"The registry has {len(problems) - MAX_DOCTOR_FINDINGS} more problems."
        yield DoctorFinding(
            "warning", message, "`onecode-sidecar health` lists them; its `--fix` updates checksums and the count."
        )


def _constitution(project: Path, loaded: LoadedRegistry) -> str | None:
    """Return the expected path of the constitution; None without a framework."""
    return CONSTITUTION if (project / FRAMEWORK).is_dir() and loaded.file.content is not None else None


def _content(project: Path, path: str) -> FileContent:
    try:
        resolve_inside(project, path)
        content = read_project_file(project, path, MAX_ENTITY_BYTES)
    except PolicyDenied:
        return FileContent("outside")
    except TooLarge:
        return FileContent("large")
    return FileContent("missing") if content is None else FileContent("there", content)


METHODS = (
    *read_methods.METHODS,
    *write_methods.METHODS,
    method(
        "registry/health",
        health,
        lane=Lane.WORKSPACE,
        errors=(WorkspaceUnavailable, PolicyDenied, TooLarge, Conflict, Busy, StateDegraded),
    ),
)
