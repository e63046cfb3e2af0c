"""The messages that add, show, change and count memories."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire import MOST_COUNT, FolderPath, Identifier, Instant, WireModel
from sidecar.memory.entry import Keeping, MemoryType, Sector, Tier

MAX_TEXT = 200_000

Owner = Literal[
    "shared", "orchestrator", "greenfield-wu", "brownfield-wu", "brief", "detail", "architect", "ux", "phases",
    "tasks", "qa-planning", "dev", "qa-implementation", "devops",
]  # fmt: skip
Title = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Tag = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x20\x7f,\"]+$")]
Tags = Annotated[list[Tag], Field(max_length=30)]


class MemoryParams(WireModel):
    """Whose memories, and who asks."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(
        default=None, description="The original project, to which the memories belong; without it, `cwd`."
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: its agent reaches its own memories and the shared ones."
        " Without one only shared memories are within reach.",
    )


class MemoryAddParams(MemoryParams):
    """A memory to keep."""

    title: Title = Field(default="", description="One line; without one, the text's first.")
    text: str = Field(
        max_length=MAX_TEXT,
        description="Markdown, kept as it is worded. Secrets are masked; `<private>…</private>` and text that we"
        " injected ourselves are taken out.",
    )
    type: MemoryType = "semantic"
    sector: Sector | None = Field(default=None, description="Without one, the type's own.")
    owner: Owner = Field(default="shared", description="`shared`, or the agent whose private memory it is.")
    keeping: Keeping | None = Field(
        default=None,
        description="durable: until removed; daily: archived after 30 days; session: until the next. Without one what"
        " an agent adds is daily, else it is durable: only the user's word keeps a memory for good.",
    )
    tags: Tags = Field(default_factory=list)
    confidence: float = Field(default=0.7, ge=0, le=1)
    author: Identifier | None = Field(default=None, description="Whose words these are: user, assistant, a name.")
    session_id: Identifier | None = Field(default=None, description="The provider session it comes from.")


class MemorySummary(WireModel):
    """A memory without its text."""

    id: str
    title: str
    type: str
    sector: Sector
    owner: str = Field(description="`shared`, or the agent whose private memory it is.")
    keeping: Keeping
    tier: Tier
    archived: bool
    tags: list[str]
    agent: str = Field(description="Who wrote it down; empty where nobody said.")
    author: str = Field(description="Whose words these are; empty where nobody said.")
    confidence: float
    evidence: int = Field(description="How often it was met.")
    access_count: int
    last_accessed_at: str | None = Field(description="RFC 3339.")
    created_at: str = Field(description="RFC 3339.")
    at: str = Field(description="When it happened or was said, RFC 3339.")
    path: str = Field(description="The file, below the project's folder.")
    position: int = Field(description="Its place among the entries of its file, from 0.")
    tokens: int = Field(description="An estimate of what its text takes.")
    version: str = Field(description="Another one after any change; `memory/update` and `memory/delete` compare it.")


class MemoryDetail(MemorySummary):
    """A memory with its Markdown text."""

    text: str
    session_id: str | None
    supersedes: list[str] = Field(description="Ids of memories within reach that it takes the place of.")
    contradicts: list[str] = Field(description="Ids of memories within reach that it contradicts.")
    warning: str | None = Field(description="What of its file could not be read, in one sentence.")


class MemoryGetParams(MemoryParams):
    """Names a memory."""

    id: Identifier
    session_id: Identifier | None = Field(
        default=None,
        description="The provider session that opens it: counted as access once per session. Without it, and without"
        " a token, a look does not count.",
    )


class MemoryListParams(MemoryParams):
    """Which memories to list."""

    owner: Owner | None = None
    keeping: Keeping | None = None
    tier: Tier | None = None
    type: MemoryType | None = None
    sector: Sector | None = None
    agent: Identifier | None = None
    tag: Tag | None = None
    session_id: Identifier | None = None
    archived: bool | None = Field(default=False, description="Null lists both.")
    offset: int = Field(default=0, ge=0, le=MOST_COUNT)
    limit: int = Field(default=50, ge=1, le=500)


class MemoryListResult(WireModel):
    """Memories within reach, the newest first."""

    memories: list[MemorySummary]
    total: int = Field(description="How many there are, the listed among them.")


class MemorySearchParams(MemoryParams):
    """What to look for; `query` leads, without one the `task`."""

    query: Annotated[str, Field(max_length=20_000)] | None = Field(default=None, description="A question or keywords.")
    task: Annotated[str, Field(max_length=200_000)] | None = Field(
        default=None, description="What is being worked on, where nothing in particular is asked."
    )
    level: Literal["metadata", "chunks", "full"] = Field(
        default="metadata",
        description="metadata: title, tags, score (about 50 tokens each); chunks: the lines that matter here (about"
        " 200); full: the whole text.",
    )
    agent: Owner | None = Field(
        default=None,
        description="Whose preferred sectors come first; without one, the token's agent. It opens no private memory.",
    )
    types: Annotated[list[MemoryType], Field(max_length=11)] = Field(default_factory=list)
    sectors: Annotated[list[Sector], Field(max_length=4)] = Field(default_factory=list)
    tags: Tags = Field(default_factory=list, description="All of them.")
    since: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="RFC 3339: only what happened or was said then or later."
    )
    archived: bool | None = Field(default=False, description="Null searches both.")
    limit: int = Field(default=10, ge=1, le=100)
    token_budget: int | None = Field(
        default=None, ge=1, le=1_000_000, description="What all that is told may take, by estimate: the best for it."
    )


class MemoryFactors(WireModel):
    """What a score is the product of."""

    relevance: float = Field(description="How likely it is what was asked for, 0 to 1.")
    recency: float = Field(description="0.7 to 1; 1 where the question names a time.")
    sector: float = Field(description="The agent's preference, 0.9 to 1.")
    confidence: float = Field(description="0.5 to 1.")


class MemoryFound(MemorySummary):
    """A memory that answers, at the level asked for."""

    text: str | None = Field(description="As it was worded; null at the level metadata.")
    whole: bool = Field(description="Whether that is all of it.")
    told_tokens: int = Field(description="An estimate of what is told of it.")
    score: float
    factors: MemoryFactors
    reasons: dict[str, float] = Field(description="What speaks most for it and against it, by its share of the odds.")


class MemorySearchResult(WireModel):
    """The memories that answer best, the best first."""

    memories: list[MemoryFound]
    told_tokens: int = Field(description="An estimate of what all that is told takes.")
    left_out: int = Field(description="How many of those found the budget left out.")


class MemoryUpdateParams(MemoryParams):
    """A change to a memory; what is absent stays, and so does every other byte of its file."""

    id: Identifier
    version: Identifier | None = Field(default=None, description="Refused unless the memory is still of this version.")
    title: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")] | None = None
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)] | None = None
    type: MemoryType | None = None
    sector: Sector | None = None
    tags: Tags | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    keeping: Literal["durable"] | None = Field(
        default=None,
        description="`durable` makes it permanent: its file moves, an entry of a group gets its own.",
    )


class MemoryDeleteParams(MemoryParams):
    """Names a memory to remove for good."""

    id: Identifier
    version: Identifier | None = Field(default=None, description="Refused unless the memory is still of this version.")


class MemoryDeleteResult(WireModel):
    """The memory is gone, and is not captured again."""

    id: str


class MemoryIdParams(MemoryParams):
    """Names a memory."""

    id: Identifier


class MemoryCount(WireModel):
    """How many memories one owner has of one kind."""

    owner: str
    keeping: Keeping
    tier: Tier
    archived: bool
    memories: int


class MemoryWarning(WireModel):
    """What of a file or folder could not be read."""

    path: str = Field(description="Below the project's folder.")
    warning: str


class MemoryIndexState(WireModel):
    """The index, as the last look left it."""

    files: int = Field(description="Memory files within reach.")
    changed: int = Field(description="How many of all files had changed since the look before.")
    removed: int = Field(description="How many of all files had gone since.")


class MemoryRebuildResult(WireModel):
    """The index was made anew from the files."""

    files: int
    warnings: list[MemoryWarning]


# The messages that capture, and what `memory/status` tells of captures.


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Dropped = Literal[
    "tooShort", "tooLong", "question", "toolOutput", "instructionFile", "private", "injected", "deletedByUser",
    "unresolvedError",
]  # fmt: skip


class DigestMessage(WireModel):
    """Words of the session, as they were said."""

    author: Literal["user", "assistant"]
    text: Text
    at: Instant | None = Field(default=None, description="Without it, now.")


class DigestError(WireModel):
    """An error that was met."""

    text: Text
    resolution: str = Field(default="", max_length=MAX_TEXT, description="What ended it; empty while nothing has.")
    at: Instant | None = None


class DigestEntry(WireModel):
    """What is known to be worth keeping."""

    type: Literal["decision", "error_pattern", "resolution", "user_correction", "validated_pattern", "gotcha", "lesson"]
    title: Title = ""
    text: Text
    author: Identifier | None = None
    at: Instant | None = None
    confidence: float | None = Field(default=None, ge=0, le=1, description="Without it, the type's own.")
    tags: Tags = Field(default_factory=list)


class MemoryDigest(WireModel):
    """What a session leaves."""

    messages: list[DigestMessage] = Field(
        default_factory=list, max_length=2_000, description="Read for corrections, decisions and conclusions."
    )
    errors: list[DigestError] = Field(default_factory=list, max_length=500)
    entries: list[DigestEntry] = Field(default_factory=list, max_length=500)


class MemoryCaptureParams(MemoryParams):
    """A session's digest, or a text that sums it up."""

    session_id: Identifier = Field(description="The provider session; its entries stand in one file a day.")
    digest: MemoryDigest | None = None
    text: Text | None = Field(default=None, description="A summary in the agent's words, as a compaction gives it.")
    source_id: Identifier | None = Field(
        default=None,
        description="What this comes from; the same one again is not counted again. Without it, the text's own.",
    )
    automatic: bool = Field(
        default=False,
        description="Whether nobody asked for it: then nothing is written into the project unless its mode is active.",
    )


class DropCount(WireModel):
    """How many were not kept for one reason."""

    reason: Dropped
    count: int


class MemoryCaptureResult(WireModel):
    """What became of it, with what had waited of the project's runs."""

    kept: list[str] = Field(description="Ids of new memories.")
    repeated: list[str] = Field(description="Ids of memories that were met again: their evidence is counted.")
    contradicted: list[str] = Field(description="Ids of memories whose confidence sank.")
    withheld: int = Field(description="What would have been kept, were the project's mode active.")
    dropped: list[DropCount]
    paths: list[str] = Field(description="The digests' files, below the project's folder.")


class CaptureShown(WireModel):
    """What became of one capture."""

    at: str = Field(description="RFC 3339.")
    session_id: str
    origin: Literal["request", "run", "preCompact", "exit", "artifact"]
    kept: int
    repeated: int
    withheld: int
    dropped: list[DropCount]


class CaptureState(WireModel):
    """What was captured within reach, and what was not, and why."""

    last: CaptureShown | None = Field(description="The last capture; null when there was none yet.")
    captures: int
    kept: int
    repeated: int
    withheld: int = Field(description="What would have been kept, were the project's mode active.")
    dropped: list[DropCount]
    waiting: int = Field(description="Runs whose material waits to be captured.")


# The messages of `memory/maintain`.


MAX_LISTED = 200


class MemoryMaintainParams(MemoryParams):
    """Whose memories, and whether only to look."""

    dry_run: bool = Field(default=False, description="Whether to say what is due and change nothing.")


class TierMove(WireModel):
    """A memory whose tier is another one now."""

    id: str
    before: Tier
    after: Tier


class FileMove(WireModel):
    """A file that went to the archive, or was cleaned."""

    path: str = Field(description="Where it was, below the project's folder.")
    reason: Literal["old", "faint"] = Field(
        description="old: its day or session is over; faint: its score has been below the least for long."
    )


class MemoryMaintainResult(WireModel):
    """What was due within reach; at most 200 of each are listed."""

    dry_run: bool
    tiers: list[TierMove]
    archived: list[FileMove] = Field(description="Moved to `archive/`, from where `memory/restore` brings them back.")
    cleaned: list[FileMove] = Field(description="Files that were kept for a session only.")
    totals: dict[Literal["tiers", "archived", "cleaned"], int]
    left_alone: list[str] = Field(description="Files that could not be changed, because they are damaged or in use.")


class LastUpkeep(WireModel):
    """What upkeep did last, by itself or asked for."""

    at: str = Field(description="RFC 3339.")
    tiers: int
    archived: int
    cleaned: int


# The messages of `memory/proposals` and `memory/resolveProposal`.


class MemoryProposal(WireModel):
    """A memory that was met so often and is so sure that it may be a rule."""

    memory: MemorySummary
    rule: str = Field(description="The rule as a line of Markdown, for a rule file of the user's.")


class MemoryProposalsResult(WireModel):
    """Rules that are proposed, the surest first; nothing is done about them before the user says so."""

    proposals: list[MemoryProposal]


class MemoryResolveProposalParams(MemoryParams):
    """The user's word on a proposal."""

    id: Identifier = Field(description="The memory's id.")
    word: Literal["accept", "reject"]


class MemoryResolveProposalResult(WireModel):
    """The user's word is kept, and the same is not proposed again."""

    memory: MemoryDetail
    rule: str | None = Field(
        description="What the user may put into a rule file: we write none. Null for a proposal that was rejected."
    )


# What `memory/status` tells.


class MemoryStatusResult(WireModel):
    """What is remembered within reach, and in what state it is."""

    folder: str = Field(description="Where the files are.")
    present: bool = Field(description="Whether there is a folder of memories.")
    memories: int
    counts: list[MemoryCount]
    index: MemoryIndexState
    capture: CaptureState
    upkeep: LastUpkeep | None = Field(description="What `memory/maintain` did last; null when it never ran.")
    warnings: list[MemoryWarning]
