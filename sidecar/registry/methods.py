"""The rows of `registry/*`, and `registry/health`."""

from pathlib import Path

from pydantic import Field

from sidecar.call import Call
from sidecar.core.errors import Busy, Conflict, PolicyDenied, StateDegraded, TooLarge, WorkspaceUnavailable
from sidecar.core.wire import WireModel
from sidecar.method import Lane, method
from sidecar.registry import read_methods, write_methods
from sidecar.registry.health import CheckName, FileContent, Finding, run_checks
from sidecar.registry.model import DRY_RUN, ChangeEntry, RegistryParams
from sidecar.registry.project_registry import LoadedRegistry, registry_for_call
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, edit_registry_file, read_project_file, resolve_inside
from sidecar.registry.write_methods import update_checksums

FRAMEWORK = "chati.dev"
CONSTITUTION = "chati.dev/constitution.md"


class RegistryHealthParams(RegistryParams):
    """Whether to repair what can be repaired."""

    fix: bool = Field(
        default=False, description="Notes checksums, count and date as they are now, after a copy of the file."
    )
    dry_run: bool = DRY_RUN


class HealthCheck(WireModel):
    """The result of one check."""

    name: CheckName
    passed: int
    total: int = Field(description="0 where there is nothing to check.")


class HealthFinding(WireModel):
    """A problem or a note about an entity or a file."""

    check: CheckName
    severity: str = Field(pattern="^(problem|note)$", description="With notes alone the state is healthy.")
    id: str = Field(description="The entity; empty where it is about a file alone.")
    file: str = Field(description="Relative to the project.")
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` mends it.")


class HealthFix(WireModel):
    """What was repaired, or with `dryRun` would be."""

    changes: list[ChangeEntry]
    written: bool
    backup: str | None


class RegistryHealthResult(WireModel):
    """Health of the framework's files; advisory."""

    healthy: bool
    registry: str = Field(description="The registry's file, relative to the project.")
    checks: list[HealthCheck] = Field(description="The seven, in the specification's order.")
    findings: list[HealthFinding]
    fix: HealthFix | None = Field(description="Null unless asked for.")


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
        changes = [ChangeEntry(**finding._asdict()) for finding in result.changes]
        fix = HealthFix(changes=changes, written=result.written, backup=result.backup)
    loaded = project_registry.load()
    checks = run_checks(
        loaded.registry, lambda path: _content(project, path), loaded.file.path, _constitution(project, loaded)
    )
    findings = [finding for check in checks for finding in check.findings]
    return RegistryHealthResult(
        healthy=all(finding.severity == "note" for finding in findings),
        registry=loaded.file.path,
        checks=[HealthCheck(name=finding.name, passed=finding.passed, total=finding.total) for finding in checks],
        findings=[_shown(finding) for finding in findings],
        fix=fix,
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


def _shown(finding: Finding) -> HealthFinding:
    return HealthFinding(**finding._asdict())


ROW = method(
    "registry/health",
    health,
    lane=Lane.WORKSPACE,
    errors=(WorkspaceUnavailable, PolicyDenied, TooLarge, Conflict, Busy, StateDegraded),
)


METHODS = (
    *read_methods.METHODS,
    *read_methods.METHODS_DECIDE_METHODS,
    *write_methods.METHODS,
    write_methods.ROW,
    ROW,
)
