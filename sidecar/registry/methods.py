"""The rows of `registry/*`: what there is, whether something new is needed, and how the file is kept true."""

from pathlib import Path

from pydantic import Field

from sidecar.call import Call
from sidecar.core.errors import Busy, Conflict, PolicyDenied, StateDegraded, TooLarge, WorkspaceUnavailable
from sidecar.core.wire import WireModel
from sidecar.method import Lane, method
from sidecar.registry import read_methods, write_methods
from sidecar.registry.health import CheckName, Content, Finding, run_checks
from sidecar.registry.model import DRY_RUN, ChangeEntry, RegistryParams
from sidecar.registry.project_registry import Loaded, registry_of
from sidecar.registry.registry_file import MAX_ENTITY_BYTES, changed, inside, read_below
from sidecar.registry.write_methods import refreshed

# `registry/health`: seven checks, and what is found; it blocks nothing.


FRAMEWORK = "chati.dev"
CONSTITUTION = "chati.dev/constitution.md"


class RegistryHealthParams(RegistryParams):
    """Whether to mend what can be mended."""

    fix: bool = Field(
        default=False, description="Notes checksums, count and date as they are now, after a copy of the file."
    )
    dry_run: bool = DRY_RUN


class HealthCheck(WireModel):
    """How one check went."""

    name: CheckName
    passed: int
    total: int = Field(description="0 where there is nothing to check.")


class HealthFinding(WireModel):
    """Something that should be looked at."""

    check: CheckName
    severity: str = Field(pattern="^(problem|note)$", description="With notes alone the state is healthy.")
    id: str = Field(description="The entity; empty where it is about a file alone.")
    file: str = Field(description="Relative to the project.")
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` mends it.")


class HealthFix(WireModel):
    """What was mended, or with `dryRun` would be."""

    changes: list[ChangeEntry]
    written: bool
    backup: str | None


class RegistryHealthResult(WireModel):
    """The state of the framework's files: advice, never a reason to stop."""

    healthy: bool
    registry: str = Field(description="The registry's file, relative to the project.")
    checks: list[HealthCheck] = Field(description="The seven, in the specification's order.")
    findings: list[HealthFinding]
    fix: HealthFix | None = Field(description="Null unless asked for.")


def health(call: Call, params: RegistryHealthParams) -> RegistryHealthResult:
    """Checks what the registry's file names. Advisory: whatever is found, nothing is blocked.

    Files are there, schemas are JSON, the constitution has its articles, agents their sections, templates something to
    fill in, checksums match, dependencies lead somewhere; each finding names its file and what to do.
    With `fix` checksums, count and date are brought up to date first; what is gone or leads nowhere is told only.
    """
    workspace, held = registry_of(call, params)
    project = workspace.project
    fix = None
    if params.fix and held.load().place.content is not None and not held.load().damage:
        done = changed(project, call.now(), lambda text: refreshed(project, text), dry_run=params.dry_run)
        changes = [ChangeEntry(**one._asdict()) for one in done.changes]
        fix = HealthFix(changes=changes, written=done.written, backup=done.backup)
    loaded = held.load()
    checks = run_checks(
        loaded.registry, lambda path: _content(project, path), loaded.place.path, _constitution(project, loaded)
    )
    findings = [finding for check in checks for finding in check.findings]
    return RegistryHealthResult(
        healthy=all(one.severity == "note" for one in findings),
        registry=loaded.place.path,
        checks=[HealthCheck(name=one.name, passed=one.passed, total=one.total) for one in checks],
        findings=[_shown(one) for one in findings],
        fix=fix,
    )


def _constitution(project: Path, loaded: Loaded) -> str | None:
    """Where a constitution is expected: with the framework, which has one."""
    return CONSTITUTION if (project / FRAMEWORK).is_dir() and loaded.place.content is not None else None


def _content(project: Path, path: str) -> Content:
    try:
        inside(project, path)
        content = read_below(project, path, MAX_ENTITY_BYTES)
    except PolicyDenied:
        return Content("outside")
    except TooLarge:
        return Content("large")
    return Content("missing") if content is None else Content("there", content)


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
