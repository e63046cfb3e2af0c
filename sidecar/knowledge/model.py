"""Params and results of `knowledge/*`."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire_types import MAX_COUNT, FolderPath, Identifier, WireModel
from sidecar.knowledge.store import CheckpointStatus
from sidecar.knowledge.sync_plan import ConflictType, OperationKind, Resolution

SyncMode = Literal["full", "incremental", "single"]
RunMode = Literal["full", "incremental", "single", "resolve"]
Stage = Literal["started", "ended"]
DueReason = Literal["threshold", "head_moved"]
SyncReason = Literal[DueReason, "manual"]
Ref = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="For example `company:adr-001` or `team/web:adr-001`; an id, or a file's path.",
    ),
]


class KnowledgeParams(WireModel):
    """The project whose memory is synced with the knowledge repository."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None,
        description="The project that owns the memories; default: the repository's main worktree, or `cwd`.",
    )


class ResolutionChoice(WireModel):
    """The resolution for conflicts of one type, of one item or of all."""

    type: ConflictType
    item: Ref | None = Field(default=None, description="Defaults to every item.")
    resolution: Resolution = Field(
        description="`update_memory` and `delete_memory` as suggested, `keep_memory`: leave memory unchanged,"
        " `manual`: leave it and keep listing the conflict."
    )


class KnowledgePlanParams(KnowledgeParams):
    """The scope of a plan."""

    mode: SyncMode = Field(default="full", description="`single` requires `item`.")
    item: Ref | None = None
    max_items: int | None = Field(
        default=None, ge=1, le=MAX_COUNT, description="Maximum number of items; the rest is pending."
    )
    resolutions: list[ResolutionChoice] = Field(default_factory=list, max_length=1_000)


class KnowledgeSyncParams(KnowledgePlanParams):
    """The scope of a sync."""

    mode: SyncMode = Field(default="incremental", description="`single` requires `item`.")
    dry_run: bool = Field(default=False, description="Plan only; nothing is written.")
    force: bool = Field(default=False, description="Also delete more than half of twenty or more pointers.")


class KnowledgeDelta(WireModel):
    """Refs by how the repository's items compare with the last sync; of a partial run, only those it looked at."""

    added: list[str]
    updated: list[str]
    deleted: list[str]
    unchanged: list[str]


class KnowledgeConflict(WireModel):
    """A disagreement between memory and the repository."""

    type: ConflictType
    item: str
    pointer: str = Field(description="The pointer's path below the memories' folder; empty if it does not exist.")
    memory_id: str
    suggested_resolution: Resolution
    resolution: Resolution = Field(description="The resolution that a sync applies.")
    reason: str


class KnowledgeOperation(WireModel):
    """One operation of a plan."""

    kind: OperationKind = Field(description="`adopt` and `forget` change only the sync state.")
    item: str
    pointer: str
    reason: str


class KnowledgeFailure(WireModel):
    """An item that failed."""

    item: str = Field(description="Its ref, or its file's path if the id cannot be read.")
    problem: str
    attempts: int = Field(description="After five attempts it is quarantined until it changes.")


class KnowledgePlanResult(WireModel):
    """The changes a sync would make."""

    mode: RunMode = Field(description="`full` if an incremental comparison was not possible.")
    commit: str = Field(description="The knowledge repository's commit.")
    delta: KnowledgeDelta
    operations: list[KnowledgeOperation]
    conflicts: list[KnowledgeConflict]
    pending: list[str]
    quarantined: list[str]
    needs_force: bool = Field(description="Whether it deletes so many pointers that a sync needs `force`.")
    warnings: list[str]


class KnowledgeCounts(WireModel):
    """Number of pointers by what was done with them."""

    added: int
    updated: int
    deleted: int
    orphaned: int
    unchanged: int


class KnowledgeSyncResult(KnowledgePlanResult):
    """The changes a sync made."""

    checkpoint_id: str | None = Field(description="For `knowledge/rollback`; null for a dry run.")
    counts: KnowledgeCounts
    complete: bool = Field(description="Whether memory agrees with the commit, with nothing pending or failed.")
    elapsed_ms: float


class KnowledgeCheckpoint(WireModel):
    """A saved state from before a sync."""

    id: str
    at: str
    mode: str
    status: CheckpointStatus
    writes: int
    reason: str = Field(description="Why it was rolled back; otherwise empty.")


class KnowledgeStatusResult(WireModel):
    """Comparison of memory with the knowledge repository."""

    repository: str
    commit: str
    scopes: list[str] = Field(description="The repository's scopes in use, besides the company's.")
    other_scopes: list[str] = Field(description="Scopes that are not in use.")
    last_sync_at: str | None
    last_knowledge_commit: str | None
    items: int
    pointers: int
    in_sync: bool = Field(description="Whether a full sync would have nothing to do and every file could be read.")
    rollback_commit: str | None = Field(
        description="The head at the last rollback, while it is still the head: automatic syncs are paused until it"
        " moves or someone runs a sync."
    )
    auto_sync_id: str | None = Field(description="The job id of an automatic sync in progress, for `$/cancelRequest`.")
    pending: list[str]
    failed: list[KnowledgeFailure]
    conflicts: dict[str, int] = Field(description="Number of conflicts by type.")
    checkpoints: list[KnowledgeCheckpoint] = Field(description="Latest first.")


class KnowledgeSyncNotice(WireModel):
    """An automatic sync started or ended.

    It is a job like `knowledge/sync`: `$/progress` and `$/cancelRequest` name its `id`. A sync that a client cancelled
    sends nothing further.
    """

    id: str
    project_path: str
    stage: Stage
    reason: DueReason = Field(description="Why the sync was due.")
    problem: str | None = Field(description="Why it failed, in one sentence; null if it succeeded.")


class KnowledgeConflictsResult(WireModel):
    """All conflicts."""

    commit: str
    conflicts: list[KnowledgeConflict]


class KnowledgeResolveParams(KnowledgeParams):
    """The conflicts to resolve, and their resolutions."""

    type: ConflictType | None = Field(default=None, description="Defaults to every type.")
    item: Ref | None = Field(default=None, description="Defaults to every item.")
    resolution: Resolution | None = Field(
        default=None,
        description="Requires `type`; defaults to the suggestion. It holds for this call; what `knowledge.resolutions`"
        " names holds for every sync.",
    )
    force: bool = Field(default=False, description="Also delete more than half of twenty or more pointers.")


class KnowledgeShouldSyncResult(WireModel):
    """Whether a sync is due by the project's settings."""

    should_sync: bool
    reason: SyncReason = Field(description="`manual` if no sync is due.")
    detail: str
    sessions_since_sync: int


class KnowledgeCheck(WireModel):
    """The result of one check."""

    name: str = Field(description="repository, items, scopes, state, pointers, conflicts, lock, journal, …")
    level: Literal["ok", "warning", "error"]
    message: str
    hint: str = Field(description="What to do; empty if there is nothing to do.")


class KnowledgeDoctorResult(WireModel):
    """The results of all checks."""

    healthy: bool = Field(description="Whether no check found an error.")
    checks: list[KnowledgeCheck]


class KnowledgeExplainParams(KnowledgeParams):
    """The item to explain."""

    item: Ref


class KnowledgePointer(WireModel):
    """A pointer as stored in memory."""

    path: str
    memory_id: str
    status: str
    content_hash: str
    updated_at: str


class KnowledgeExplainResult(WireModel):
    """Everything known about an item."""

    item: str
    file: str | None = Field(description="Path in the repository; null if it has no such item.")
    status: str | None
    content_hash: str | None
    synced_content_hash: str | None = Field(description="At the last sync; null if it was not synced.")
    pointers: list[KnowledgePointer]
    conflicts: list[KnowledgeConflict]
    operations: list[KnowledgeOperation] = Field(description="What a full sync would do with it.")
    failure: KnowledgeFailure | None


class KnowledgeRollbackParams(KnowledgeParams):
    """The checkpoint to restore."""

    checkpoint_id: Identifier


class KnowledgeRollbackResult(WireModel):
    """The restored state."""

    checkpoint_id: str
    restored: int = Field(description="Number of restored pointer files.")
    skipped: list[str] = Field(description="Pointers that were edited since and stay unchanged.")
