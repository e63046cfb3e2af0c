"""The messages of `state/purge`."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from sidecar.core.wire import FolderPath, WireModel

PurgeKind = Literal[
    "runs", "caches", "indexes", "metrics",
    "artifacts", "damagedArtifacts", "memories", "settings", "registry", "knowledge", "backups", "damaged", "logs",
]  # fmt: skip

_SCOPES = ("projectPath", "project", "olderThanDays", "kinds")


class StatePurgeParams(WireModel):
    """What to remove: of a project, older than so many days, of these kinds; at least one of them is said."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": [name]} for name in _SCOPES]})

    project_path: FolderPath | None = Field(default=None, description="The project's path.")
    project: str | None = Field(
        default=None, min_length=1, max_length=64, description="Its key, for one whose folder is gone."
    )
    older_than_days: int | None = Field(default=None, ge=1, le=36_500, description="Only what is older.")
    kinds: list[PurgeKind] | None = Field(
        default=None,
        min_length=1,
        description="Without it runs, caches, indexes and metrics; everything else goes only when it is named.",
    )
    dry_run: bool = Field(default=False, description="Only tells what would be removed.")

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if not {"project_path", "project", "older_than_days", "kinds"} & self.model_fields_set:
            raise ValueError("say what: a project, an age, or kinds")
        return self


class PurgedKind(WireModel):
    """What became of a kind."""

    kind: PurgeKind
    removed: int = Field(description="Records or files; with `dryRun` that would be.")
    kept: int = Field(description="Those that stay, of the same project or of all.")
    why: str | None = Field(description="Why they stay.")


class StatePurgeResult(WireModel):
    """What was removed and what stays."""

    dry_run: bool
    kinds: list[PurgedKind]
    freed_bytes: int = Field(description="By which the state folder is smaller; 0 with `dryRun`.")
