"""The messages of `knowledge/*`."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire import MOST_COUNT, FolderPath, Identifier, WireModel
from sidecar.knowledge.sync_plan import ConflictType, OperationKind, Resolution

Mode = Literal["full", "incremental", "single"]
Run = Literal["full", "incremental", "single", "resolve"]
Stage = Literal["began", "ended"]
Cause = Literal["threshold", "head_moved"]
Ref = Annotated[str, Field(min_length=1, max_length=300, description="As in `company:adr-001` or `team/web:adr-001`.")]


class KnowledgeParams(WireModel):
    """Whose memory is brought to the knowledge repository."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None, description="The original project, to which the memories belong; without it, `cwd`."
    )


class ResolutionChoice(WireModel):
    """What is to be done about conflicts of a type, of one item or of all."""

    type: ConflictType
    item: Ref | None = Field(default=None, description="Without one, of every item.")
    resolution: Resolution = Field(
        description="`update_memory` and `delete_memory` as suggested, `keep_memory`: leave it as it is,"
        " `manual`: leave it and go on listing it."
    )


class KnowledgePlanParams(KnowledgeParams):
    """What to plan."""

    mode: Mode = Field(default="full", description="`single` needs `item`.")
    item: Ref | None = None
    max_items: int | None = Field(
        default=None, ge=1, le=MOST_COUNT, description="At most so many items; the rest is pending."
    )
    resolutions: list[ResolutionChoice] = Field(default_factory=list, max_length=1_000)


class KnowledgeSyncParams(KnowledgePlanParams):
    """What to sync."""

    mode: Mode = Field(default="incremental", description="`single` needs `item`.")
    dry_run: bool = Field(default=False, description="Plan only; nothing is written.")
    force: bool = Field(default=False, description="Also delete more than half of twenty or more pointers.")


class KnowledgeDelta(WireModel):
    """How the repository's items compare with the last sync, by ref."""

    added: list[str]
    updated: list[str]
    deleted: list[str]
    unchanged: list[str]


class KnowledgeConflict(WireModel):
    """Where memory and the repository disagree."""

    type: ConflictType
    item: str
    pointer: str = Field(description="The pointer's path below the memories' folder; empty where there is none.")
    memory_id: str
    suggested_resolution: Resolution
    resolution: Resolution = Field(description="What a sync does about it.")
    reason: str


class KnowledgeOperation(WireModel):
    """One step of a plan."""

    kind: OperationKind = Field(description="`adopt` and `forget` change the sync state alone.")
    item: str
    pointer: str
    reason: str


class KnowledgeFailure(WireModel):
    """An item that failed."""

    item: str = Field(description="Its ref, or its file's path where no id could be read.")
    problem: str
    times: int = Field(description="After five times it is left alone until it changes.")


class KnowledgePlanResult(WireModel):
    """What a sync would do."""

    mode: Run = Field(description="`full` where an incremental one was not possible.")
    commit: str = Field(description="Of the knowledge repository.")
    delta: KnowledgeDelta
    operations: list[KnowledgeOperation]
    conflicts: list[KnowledgeConflict]
    pending: list[str]
    parked: list[str]
    stops: bool = Field(description="Whether it would delete so much that a sync needs `force`.")
    warnings: list[str]


class KnowledgeCounts(WireModel):
    """How many pointers were written, and how."""

    added: int
    updated: int
    deleted: int
    orphaned: int
    unchanged: int


class KnowledgeSyncResult(KnowledgePlanResult):
    """What a sync did."""

    checkpoint_id: str | None = Field(description="For `knowledge/rollback`; null for a dry run.")
    counts: KnowledgeCounts
    complete: bool = Field(description="Whether memory agrees with the commit now, nothing pending and nothing failed.")
    elapsed_ms: float


class KnowledgeCheckpoint(WireModel):
    """The state before a sync."""

    id: str
    at: str
    mode: str
    status: Literal["running", "done", "rolledBack"]
    writes: int
    reason: str = Field(description="Why it was rolled back; else empty.")


class KnowledgeStatusResult(WireModel):
    """How memory stands to the knowledge repository."""

    repository: str
    commit: str
    scopes: list[str] = Field(description="The repository's scopes that count, beside the company's.")
    other_scopes: list[str] = Field(description="Those that do not.")
    last_sync_at: str | None
    last_knowledge_commit: str | None
    items: int
    pointers: int
    in_sync: bool = Field(description="Whether a full sync would have nothing to do, and no file failed to be read.")
    rollback_holds_at: str | None = Field(
        description="The commit at which somebody rolled back: until the head is another or somebody syncs, no sync"
        " runs by itself."
    )
    running: str | None = Field(description="The id of a sync that runs by itself just now, to be cancelled by.")
    pending: list[str]
    failed: list[KnowledgeFailure]
    conflicts: dict[str, int] = Field(description="How many there are, by type.")
    checkpoints: list[KnowledgeCheckpoint] = Field(description="The latest first.")


class KnowledgeSyncNotice(WireModel):
    """A sync that began by itself, because it was due, or that ended.

    It is a job as `knowledge/sync` is one: `$/progress` and `$/cancelRequest` name its `id`. One that a client
    cancelled ends without another word.
    """

    id: str
    project_path: str
    stage: Stage
    reason: Cause = Field(description="Why it was due.")
    problem: str | None = Field(description="Why it did not go through, in a sentence; null when it did.")


class KnowledgeConflictsResult(WireModel):
    """All conflicts there are."""

    commit: str
    conflicts: list[KnowledgeConflict]


class KnowledgeResolveParams(KnowledgeParams):
    """Which conflicts to resolve, and how."""

    type: ConflictType | None = Field(default=None, description="Without one, of every type.")
    item: Ref | None = Field(default=None, description="Without one, of every item.")
    resolution: Resolution | None = Field(default=None, description="Needs `type`; without one, as suggested.")
    force: bool = Field(default=False, description="Also delete more than half of twenty or more pointers.")


class KnowledgeShouldSyncResult(WireModel):
    """Whether a sync is due by the project's settings."""

    should_sync: bool
    reason: Literal["threshold", "head_moved", "manual"] = Field(description="`manual` where none is due.")
    detail: str
    sessions_since_sync: int


class KnowledgeCheck(WireModel):
    """One thing that was looked at."""

    name: str = Field(description="repository, items, scopes, state, pointers, conflicts, lock, journal, …")
    level: Literal["ok", "warning", "error"]
    told: str
    hint: str = Field(description="What to do; empty where nothing is to be done.")


class KnowledgeDoctorResult(WireModel):
    """How well the sync is."""

    healthy: bool = Field(description="Whether no check found an error.")
    checks: list[KnowledgeCheck]


class KnowledgeExplainParams(KnowledgeParams):
    """Which item to explain."""

    item: Ref


class KnowledgePointer(WireModel):
    """A pointer as it stands in memory."""

    path: str
    memory_id: str
    status: str
    content_hash: str
    updated_at: str


class KnowledgeExplainResult(WireModel):
    """All that is known of an item."""

    item: str
    file: str | None = Field(description="In the repository; null where it has no such item.")
    status: str | None
    content_hash: str | None
    synced_content_hash: str | None = Field(description="At the last sync; null where it was not synced.")
    pointers: list[KnowledgePointer]
    conflicts: list[KnowledgeConflict]
    operations: list[KnowledgeOperation] = Field(description="What a full sync would do about it.")
    failure: KnowledgeFailure | None


class KnowledgeRollbackParams(KnowledgeParams):
    """Which checkpoint to go back to."""

    checkpoint_id: Identifier


class KnowledgeRollbackResult(WireModel):
    """What was put back."""

    checkpoint_id: str
    restored: int = Field(description="Pointer files as they were before.")
    left: list[str] = Field(description="Pointers that somebody changed since; they stay as they are.")
