"""The messages of `state/doctor`."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel

DoctorCheckName = Literal[
    "database", "caches", "records", "settings", "indexes", "memories", "registry", "knowledge", "memoryBranch",
    "watchers", "disk", "versions",
]  # fmt: skip

DoctorLevel = Literal["ok", "warning", "error", "skipped"]


class StateDoctorParams(WireModel):
    """What to look at, and whether to mend it."""

    project_path: FolderPath | None = Field(
        default=None,
        description="The project whose memory files, registry, knowledge sync and memory branch are looked at; without"
        " it only the state is.",
    )
    fix: bool = Field(default=False, description="Mends what can be mended, after a copy of the state file.")
    dry_run: bool = Field(default=False, description="With `fix`: only tells what would be mended.")


class DoctorCheck(WireModel):
    """How one check went."""

    name: DoctorCheckName
    level: DoctorLevel = Field(description="`skipped`: it needs a project, or a state that can be opened.")


class DoctorFinding(WireModel):
    """Something that is not well, and what to do about it."""

    check: DoctorCheckName
    level: Literal["warning", "error"]
    message: str
    remedy: str
    fixable: bool = Field(description="Whether `fix` mends it.")
    fixed: bool = Field(description="Whether it was mended, as another look has shown.")


class StateDoctorResult(WireModel):
    """How the state is."""

    healthy: bool = Field(description="Nothing was found, or all of it was mended.")
    checks: list[DoctorCheck]
    findings: list[DoctorFinding]
    backup: str | None = Field(description="The copy of the state file that was made before anything was changed.")
    versions: dict[str, str] = Field(description="What is in use, for the report of a fault.")
