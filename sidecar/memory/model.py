"""Messages of the memory methods, and memories as messages."""

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from sidecar.core.clock import rfc3339
from sidecar.core.wire_types import MAX_COUNT, FolderPath, Identifier, Instant, WireModel
from sidecar.memory.capture.session_material import NearMissReason
from sidecar.memory.detail_levels import Level
from sidecar.memory.entry import Memory, MemoryType, Retention, Sector, Tier
from sidecar.memory.files.layout import project_path
from sidecar.memory.memory_tiers import ArchiveReason
from sidecar.memory.store.index_tables import IndexedMemory
from sidecar.transcripts.events import Author

MAX_TEXT = 200_000

Owner = Literal[
    "shared", "orchestrator", "greenfield-wu", "brownfield-wu", "brief", "detail", "architect", "ux", "phases",
    "tasks", "qa-planning", "dev", "qa-implementation", "devops",
]  # fmt: skip
Title = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Tag = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x20\x7f,\"]+$")]
Tags = Annotated[list[Tag], Field(max_length=30)]


class MemoryParams(WireModel):
    """The project, and the caller's token."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None,
        description="The original project, to which the memories belong; default: the repository's main worktree, or"
        " `cwd`.",
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: its agent reaches its own memories and the shared ones."
        " Without it, only shared memories are within reach.",
    )


class MemoryAddParams(MemoryParams):
    """A memory to store."""

    title: Title = Field(default="", description="One line; default: the first line of the text.")
    text: str = Field(
        max_length=MAX_TEXT,
        description="Markdown, stored verbatim. Secrets are masked; `<private>…</private>` and text that the sidecar"
        " injected are removed.",
    )
    type: MemoryType = "semantic"
    sector: Sector | None = Field(default=None, description="Default: the sector of the type.")
    owner: Owner = Field(default="shared", description="`shared`, or the agent whose private memory it is.")
    retention: Retention | None = Field(
        default=None,
        description="durable: until removed; daily: archived after 30 days; session: until the next session. Default:"
        " daily for agents, else durable. Only the user can make a memory durable.",
    )
    tags: Tags = Field(default_factory=list)
    confidence: float = Field(default=0.7, ge=0, le=1)
    author: Identifier | None = Field(default=None, description="Author of the text: user, assistant, a name.")
    session_id: Identifier | None = Field(default=None, description="The provider session it comes from.")


class MemorySummary(WireModel):
    """A memory without its text."""

    id: str
    title: str
    type: str
    sector: Sector
    owner: str = Field(description="`shared`, or the agent whose private memory it is.")
    retention: Retention
    tier: Tier
    archived: bool
    tags: list[str]
    agent: str = Field(description="The agent that wrote it; empty if unknown.")
    author: str = Field(description="Author of the text; empty if unknown.")
    confidence: float
    evidence: int = Field(description="Number of observations.")
    access_count: int
    last_accessed_at: str | None = Field(description="RFC 3339.")
    created_at: str = Field(description="RFC 3339.")
    at: str = Field(description="Time of the event or statement, RFC 3339.")
    path: str = Field(description="File path relative to the project folder.")
    position: int = Field(description="Position among the entries of its file, from 0.")
    superseded_by: list[str] = Field(description="Ids of memories within reach that supersede it, newest first.")
    tokens: int = Field(description="Estimated tokens of its text.")
    version: str = Field(description="Changes with every edit; `memory/update` and `memory/delete` compare it.")


class MemoryDetail(MemorySummary):
    """A memory with its Markdown text."""

    text: str
    session_id: str | None
    supersedes: list[str] = Field(description="Ids of memories within reach that it supersedes.")
    contradicts: list[str] = Field(description="Ids of memories within reach that it contradicts.")
    warning: str | None = Field(description="What could not be read of its file, in one sentence.")


class MemoryGetParams(MemoryParams):
    """Identifies a memory."""

    id: Identifier
    session_id: Identifier | None = Field(
        default=None,
        description="The provider session that opens it, counted as access once per session. Without it and without a"
        " token, reading does not count as access.",
    )


class MemoryListParams(MemoryParams):
    """Filters for a list of memories."""

    owner: Owner | None = None
    retention: Retention | None = None
    tier: Tier | None = None
    type: MemoryType | None = None
    sector: Sector | None = None
    agent: Identifier | None = None
    tag: Tag | None = None
    session_id: Identifier | None = None
    archived: bool | None = Field(default=False, description="Null lists both.")
    offset: int = Field(default=0, ge=0, le=MAX_COUNT)
    limit: int = Field(default=50, ge=1, le=500)


class MemoryListResult(WireModel):
    """Memories within reach, newest first."""

    memories: list[MemorySummary]
    total: int = Field(description="Total number, including the listed ones.")


class MemorySearchParams(MemoryParams):
    """The search text: the `query`, else the `task`."""

    query: Annotated[str, Field(max_length=20_000)] | None = Field(default=None, description="A question or keywords.")
    task: Annotated[str, Field(max_length=200_000)] | None = Field(
        default=None, description="The task at hand, used without a query."
    )
    level: Level = Field(
        default="metadata",
        description="metadata: title, tags, score (about 50 tokens each); chunks: the relevant lines (about 200); full:"
        " the whole text.",
    )
    agent: Owner | None = Field(
        default=None,
        description="Agent whose preferred sectors rank first; default: the token's agent. It opens no private memory.",
    )
    types: Annotated[list[MemoryType], Field(max_length=12)] = Field(default_factory=list)
    sectors: Annotated[list[Sector], Field(max_length=4)] = Field(default_factory=list)
    tags: Tags = Field(default_factory=list, description="All of these.")
    since: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="RFC 3339: only events and statements from then on."
    )
    archived: bool | None = Field(default=False, description="Null searches both.")
    limit: int = Field(default=10, ge=1, le=100)
    token_budget: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Maximum estimated tokens of the result; the best that fit."
    )


class MemoryFactors(WireModel):
    """The factors of a score."""

    relevance: float = Field(description="Probability that it is the answer, 0 to 1.")
    recency: float = Field(description="0.7 to 1; 1 if the query names a time.")
    sector: float = Field(description="The agent's preference, 0.9 to 1.")
    confidence: float = Field(description="0.5 to 1.")


class MemoryMatch(MemorySummary):
    """A matching memory at the requested level."""

    text: str | None = Field(description="Verbatim; null at level metadata.")
    complete: bool = Field(description="Whether the text is complete.")
    rendered_tokens: int = Field(description="Estimated tokens of this result.")
    score: float
    factors: MemoryFactors
    reasons: dict[str, float] = Field(description="Strongest features for and against it, by share of the log odds.")


class MemorySearchResult(WireModel):
    """The best matching memories, best first."""

    memories: list[MemoryMatch]
    rendered_tokens: int = Field(description="Estimated tokens of all results.")
    omitted: int = Field(description="Number of matches omitted because of the budget.")


class MemoryUpdateParams(MemoryParams):
    """A change to a memory; absent members and every other byte of its file stay unchanged."""

    id: Identifier
    version: Identifier | None = Field(default=None, description="Refused if the memory has another version.")
    title: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")] | None = None
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] | None = None
    type: MemoryType | None = None
    sector: Sector | None = None
    tags: Tags | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    retention: Literal["durable"] | None = Field(
        default=None,
        description="`durable` makes it permanent: its file moves; a group entry gets its own file.",
    )


class MemoryDeleteParams(MemoryParams):
    """Identifies a memory to delete permanently."""

    id: Identifier
    version: Identifier | None = Field(default=None, description="Refused if the memory has another version.")


class MemoryDeleteResult(WireModel):
    """The memory was deleted and will not be captured again."""

    id: str


class MemoryIdParams(MemoryParams):
    """Identifies a memory."""

    id: Identifier


class MemoryCount(WireModel):
    """Number of memories of one owner, retention and tier."""

    owner: str
    retention: Retention
    tier: Tier
    archived: bool
    memories: int


class MemoryWarning(WireModel):
    """A problem with a file or folder."""

    path: str = Field(description="Relative to the project folder.")
    warning: str


class MemoryIndexState(WireModel):
    """State of the index after the last refresh."""

    files: int = Field(description="Memory files within reach.")
    changed: int = Field(description="Files of all owners changed since the previous refresh.")
    removed: int = Field(description="Files of all owners removed since then.")


class MemoryRebuildResult(WireModel):
    """The index was rebuilt from the files."""

    files: int
    warnings: list[MemoryWarning]


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Dropped = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip


class SummaryMessage(WireModel):
    """A message of the session."""

    author: Author
    text: Text
    at: Instant | None = Field(default=None, description="Default: now.")


class SummaryError(WireModel):
    """An error of the session."""

    text: Text
    resolution: str = Field(default="", max_length=MAX_TEXT, description="What resolved it; empty while unresolved.")
    at: Instant | None = None


class SummaryEntry(WireModel):
    """A statement known to be worth storing."""

    type: Literal[
        "decision", "error_pattern", "resolution", "user_correction", "preference", "validated_pattern", "gotcha",
        "lesson",
    ]  # fmt: skip
    title: Title = ""
    text: Text
    author: Identifier | None = None
    at: Instant | None = None
    confidence: float | None = Field(default=None, ge=0, le=1, description="Default: by type.")
    tags: Tags = Field(default_factory=list)


class SessionSummaryInput(WireModel):
    """Summary of a session: messages, errors and entries."""

    messages: list[SummaryMessage] = Field(
        default_factory=list, max_length=2_000, description="Searched for corrections, decisions and conclusions."
    )
    errors: list[SummaryError] = Field(default_factory=list, max_length=500)
    entries: list[SummaryEntry] = Field(default_factory=list, max_length=500)


class MemoryCaptureParams(MemoryParams):
    """A session's structured summary, or a summary text."""

    session_id: Identifier = Field(description="The provider session; its entries share one file per day.")
    summary: SessionSummaryInput | None = None
    text: Text | None = Field(default=None, description="A summary in the agent's words, such as a compaction summary.")
    source_id: Identifier | None = Field(
        default=None,
        description="Source of the content; the same source counts once. Default: derived from the content.",
    )
    automatic: bool = Field(
        default=False,
        description="Whether the capture is automatic: then it writes into the project only if its mode is active.",
    )


class DropCount(WireModel):
    """Number of statements dropped for one reason."""

    reason: Dropped
    count: int


class MemoryCaptureResult(WireModel):
    """Outcome of a capture, including pending material of the project's earlier runs."""

    added: list[str] = Field(description="Ids of new memories.")
    repeated: list[str] = Field(description="Ids of memories observed again; a new source raises the evidence.")
    contradicted: list[str] = Field(description="Ids of memories that lost confidence.")
    suppressed: int = Field(description="Number of statements that active mode would have added.")
    dropped: list[DropCount]
    paths: list[str] = Field(description="Files written, relative to the project folder.")


class CaptureSummary(WireModel):
    """Outcome of one recorded capture."""

    at: str = Field(description="RFC 3339.")
    session_id: str
    origin: Literal["request", "run", "preCompact", "exit", "artifact"]
    added: int
    repeated: int
    suppressed: int
    dropped: list[DropCount]


class NearMissCount(WireModel):
    """Number of sentences that nearly became a memory, by reason."""

    reason: NearMissReason
    count: int


class NearMiss(WireModel):
    """A sentence that nearly became a memory; stored for seven days in the state file only."""

    at: str = Field(description="RFC 3339.")
    reason: NearMissReason = Field(
        description="belowThreshold: the user's sentence scored too low; withoutReason: the agent's choice has no"
        " reason."
    )
    score: float = Field(description="0 to 1.")
    text: str = Field(description="One masked line.")


class CaptureState(WireModel):
    """Totals of captured and dropped statements within reach, with reasons."""

    last: CaptureSummary | None = Field(description="The last capture; null before the first one.")
    captures: int
    added: int
    repeated: int
    suppressed: int = Field(description="Number of statements that active mode would have added.")
    dropped: list[DropCount]
    waiting: int = Field(description="Summaries of runs, and decisions on artifacts, that are not captured yet.")
    near_misses: list[NearMissCount]


MAX_LISTED = 200


class MemoryMaintainParams(MemoryParams):
    """The project, and whether to change anything."""

    dry_run: bool = Field(default=False, description="Report what is due without changing anything.")


class TierMove(WireModel):
    """A memory that changed its tier."""

    id: str
    before: Tier
    after: Tier


class FileMove(WireModel):
    """A file that was archived or deleted."""

    path: str = Field(description="Previous path, relative to the project folder.")
    reason: ArchiveReason = Field(
        description="expired: its day or session is over; stale: its score has been low for 90 days."
    )


class MemoryMaintainResult(WireModel):
    """Upkeep within reach; at most 200 items of each kind are listed."""

    dry_run: bool
    tiers: list[TierMove]
    archived: list[FileMove] = Field(description="Moved to `archive/`; `memory/restore` moves them back.")
    cleaned: list[FileMove] = Field(description="Deleted files of session retention.")
    totals: dict[Literal["tiers", "archived", "cleaned"], int]
    skipped: list[str] = Field(description="Files that could not be changed because they are damaged or in use.")


class LastUpkeep(WireModel):
    """The last upkeep, automatic or requested."""

    at: str = Field(description="RFC 3339.")
    tiers: int
    archived: int
    cleaned: int


class MemoryConfirmParams(MemoryParams):
    """A shared memory that the user confirms as a standing instruction."""

    id: Identifier
    version: Identifier | None = Field(default=None, description="Refused if the memory has another version.")


class MemoryUndoParams(MemoryParams):
    """One memory to take back, or every standing instruction."""

    id: Identifier | None = None
    all_standing_instructions: bool = False


class MemoryUndoResult(WireModel):
    """The memories that were taken back."""

    removed: list[str] = Field(description="Their ids.")


class ConfirmedInstruction(WireModel):
    """A standing instruction: every new session of the project receives it."""

    id: str = Field(description="The id of its memory.")
    text: str = Field(description="Its line, at most 200 bytes with id and date; secrets are masked.")
    at: str = Field(description="Time of the last statement or confirmation, RFC 3339.")
    evidence: int = Field(description="Number of observations.")
    origin: Literal["typed", "confirmed"] = Field(
        description="typed: the user's message; confirmed: on the command line or in the settings page."
    )


class UnconfirmedInstruction(WireModel):
    """A memory that claims to be the user's word, by author, type or tag, and is not confirmed as it is now."""

    id: str
    title: str
    path: str = Field(description="File path relative to the project folder.")


class ReplacedInstruction(WireModel):
    """A statement of the user that a later one contradicts."""

    id: str
    text: str = Field(description="One masked line.")
    replaced_by: str = Field(description="Id of the later statement.")


class MemoryProposal(WireModel):
    """A memory confident and frequent enough to become a rule, or an accepted rule to drop."""

    memory: MemorySummary
    rule: str = Field(description="The rule as a line of Markdown, for the user's rule file.")
    contradicted_by: str | None = Field(
        description="Id of a later statement of the user that contradicts this accepted rule. The rule is suspended;"
        " accepting the proposal drops it, rejecting it keeps the rule. Null for a new rule."
    )


class MemoryProposalsResult(WireModel):
    """Proposed rules, most confident first; nothing happens until the user decides."""

    proposals: list[MemoryProposal]


class MemoryResolveProposalParams(MemoryParams):
    """The user's decision on a proposal."""

    id: Identifier = Field(description="The memory's id.")
    decision: Literal["accept", "reject"]


class MemoryResolveProposalResult(WireModel):
    """The decision is stored; the same rule is not proposed again."""

    memory: MemoryDetail
    rule: str | None = Field(
        description="Line for a rule file, which the sidecar does not write. Null for a rejected proposal."
    )


class MemoryStatusParams(MemoryParams):
    """The project, and whether to list near misses."""

    near_misses: bool = Field(default=False, description="List the last twenty near misses of seven days.")


class MemoryStatusResult(WireModel):
    """Memories within reach, and the state of index, capture and upkeep."""

    folder: str = Field(description="Folder of the memory files.")
    present: bool = Field(description="Whether the folder exists.")
    memories: int
    counts: list[MemoryCount]
    index: MemoryIndexState
    capture: CaptureState
    near_misses: list[NearMiss] | None = Field(
        default=None, description="Newest first; null unless requested, and for agents."
    )
    upkeep: LastUpkeep | None = Field(description="The last upkeep; null before the first one.")
    standing_instructions: list[ConfirmedInstruction] = Field(
        description="The active ones, best supported and newest first."
    )
    unconfirmed: list[UnconfirmedInstruction] = Field(
        description="Memories that claim to be standing instructions; `memory/confirm` makes one."
    )
    replaced: list[ReplacedInstruction] = Field(
        description="Statements that no longer hold because of a later one; `memory/confirm` makes one hold again."
    )
    warnings: list[MemoryWarning]


_NONE: Mapping[str, list[str]] = MappingProxyType({})


def memory_summary(entry: IndexedMemory, superseding: Mapping[str, list[str]] = _NONE) -> MemorySummary:
    """Return a memory without its text; `superseding` are the ids that supersede it and others, by id."""
    newer = superseding.get(entry.memory.id, [])
    return MemorySummary(**_summary_fields(entry.memory), tokens=entry.tokens, superseded_by=newer)


def memory_detail(
    entry: IndexedMemory, warning: str, linked: Container[str], superseding: Mapping[str, list[str]] = _NONE
) -> MemoryDetail:
    """Return a memory with its text, and with links to memories within reach."""
    memory = entry.memory
    return MemoryDetail(
        **dict(memory_summary(entry, superseding)),
        text=memory.text,
        session_id=memory.session or None,
        supersedes=[linked_id for linked_id in memory.supersedes if linked_id in linked],
        contradicts=[linked_id for linked_id in memory.contradicts if linked_id in linked],
        warning=warning or None,
    )


def memory_warning(path: str, sentence: str) -> MemoryWarning:
    """Return a warning about a file or folder of the memories."""
    return MemoryWarning(path=project_path(path), warning=sentence)


def _summary_fields(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": memory.title,
        "type": memory.type,
        "sector": memory.sector,
        "owner": memory.owner,
        "retention": memory.retention,
        "tier": memory.tier,
        "archived": memory.is_archived,
        "tags": list(memory.tags),
        "agent": memory.agent,
        "author": memory.author,
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "access_count": memory.access_count,
        "last_accessed_at": None if memory.last_accessed_ms is None else rfc3339(memory.last_accessed_ms),
        "created_at": rfc3339(memory.created_ms),
        "at": rfc3339(memory.at_ms),
        "path": project_path(memory.path),
        "position": memory.position,
        "version": memory.version,
    }
