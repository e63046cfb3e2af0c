"""The messages that add, show, change and count memories."""

from typing import Annotated, Literal

from pydantic import Field

from sidecar.core.wire import MOST_COUNT, FolderPath, Identifier, WireModel
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
