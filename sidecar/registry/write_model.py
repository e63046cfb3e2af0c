"""The messages of `registry/put`, `remove` and `refresh`."""

from typing import Annotated

from pydantic import Field

from sidecar.core.wire import WireModel
from sidecar.registry.model import EntityEntry, EntityName, RegistryParams

Word = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Line = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^[^\x00-\x1f\x7f]+$")]

DRY_RUN = Field(default=False, description="Tells what would be done, and writes nothing.")


class RegistryPutParams(RegistryParams):
    """An entity that is to be there; what is left out stays as it is."""

    id: EntityName = Field(
        description="`<category>/<key>`; a key alone names an entity that is there, or with `type` a new one."
    )
    path: Line | None = Field(default=None, description="Relative to the project; needed for a new entity.")
    type: Word | None = None
    purpose: Line | None = Field(default=None, description="Needed for a new entity.")
    keywords: list[Word] | None = Field(default=None, max_length=100)
    dependencies: list[Word] | None = Field(default=None, max_length=1_000)
    adaptability: float | None = Field(default=None, ge=0, le=1)
    dry_run: bool = DRY_RUN


class RegistryRemoveParams(RegistryParams):
    """An entity that is not to be there any more."""

    id: EntityName
    dry_run: bool = DRY_RUN


class ChangeEntry(WireModel):
    """A value that was changed."""

    id: str = Field(description="The entity's id, or `metadata`.")
    field: str = Field(description="`*` for a whole entity.")
    before: str | None = Field(description="Null: it was not there.")
    after: str | None = Field(description="Null: it is gone.")


class RegistryWriteResult(WireModel):
    """What was changed in the registry's file, or with `dryRun` would be."""

    path: str = Field(description="The file, relative to the project.")
    changes: list[ChangeEntry]
    written: bool = Field(description="False for a dry run, and where nothing had to be changed.")
    backup: str | None = Field(description="The copy of the file as it was before, relative to the project.")
    entity: EntityEntry | None = Field(description="As it is now; null where it is gone.")
    orphaned: list[str] = Field(description="Ids of entities that depend on what is not there.")


class RegistryRefreshParams(RegistryParams):
    """What is to be brought up to date."""

    from_code: bool = Field(
        default=False, description="Derives entities from the code of `cwd` too; what is written by hand stays first."
    )
    dry_run: bool = DRY_RUN


class ProblemEntry(WireModel):
    """Something that only its reader can mend."""

    id: str
    message: str
    remedy: str


class DerivedChanges(WireModel):
    """What became of the entities derived from code."""

    total: int
    added: int
    changed: int
    removed: int
    files_read: int = Field(description="Files whose content was new; the others were known.")
    cut: bool = Field(description="Whether there are more than are kept.")


class RegistryRefreshResult(WireModel):
    """What was brought up to date, or with `dryRun` would be, and what only its reader can mend."""

    path: str
    changes: list[ChangeEntry]
    written: bool
    backup: str | None
    problems: list[ProblemEntry]
    derived: DerivedChanges | None = Field(description="Null unless asked for with `fromCode`.")
