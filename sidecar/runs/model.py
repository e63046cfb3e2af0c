"""Values about runs that several slices speak of."""

from typing import Any, Literal, NamedTuple

from pydantic import Field

from sidecar.core.wire import WireModel

MAX_PROMPT_CHARACTERS = 4_000_000

Provider = Literal["claude", "codex"]
"""Which agent runs."""

RunMode = Literal["plan", "agent"]
"""Whether the agent plans or works."""

Outcome = Literal["completed", "aborted", "error", "empty", "notStarted", "superseded"]
"""How a run ended: `aborted` is the user's Stop; `empty` and `notStarted` never reached the provider."""

ArtifactType = Literal["devlog", "adr", "rejectedApproach"]
ArtifactStatus = Literal["draft", "accepted", "discarded", "committed"]


class Todo(WireModel):
    """One step of the agent's task list."""

    content: str = Field(max_length=4_000)
    status: Literal["pending", "in_progress", "completed"]
    active_form: str | None = Field(default=None, max_length=4_000)
    id: str | None = Field(default=None, max_length=200)
    priority: str | None = Field(default=None, max_length=40)


class ArtifactReference(WireModel):
    """An artifact, named."""

    id: str
    type: ArtifactType
    status: ArtifactStatus


# What the slice keeps, as values: the ledger's sessions and items, task, counters, tests, artifacts.


class SessionKey(NamedTuple):
    """A provider session in the ledger; `shadow` is passive mode's own ledger, which never counts as delivery."""

    provider: str
    session_id: str
    shadow: bool


class Item(NamedTuple):
    """Something a provider session was given: what it is, the digest of its content, its bytes as rendered."""

    key: str
    digest: str
    bytes: int


class Pinned(NamedTuple):
    """The anchor a provider session has."""

    id: str
    text: str


class Known(NamedTuple):
    """What the ledger says a provider session has."""

    items: dict[str, Item]
    anchor: Pinned | None
    head_commit: str | None
    exists: bool
    """Whether it has been given anything beside its anchor."""


UNKNOWN = Known({}, None, None, exists=False)


class Task(NamedTuple):
    """What a conversation is about; `query` ranks files and follows from the fingerprint's words alone."""

    fingerprint: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    query: str
    objective: str


class Counters(NamedTuple):
    """Pressure on a conversation's present provider session: bytes, lines, milliseconds since that session began.

    `…_before` is what of it a snapshot has kept already.
    """

    turns: int = 0
    turns_before: int = 0
    injected: tuple[int, ...] = ()
    """Bytes injected by the last calls, newest last."""
    injected_before: int = 0
    """How many of those calls were before the last snapshot."""
    files: tuple[str, ...] = ()
    """Distinct files given to the session, in order."""
    files_before: int = 0
    diff_lines: int = 0
    """Lines the difference has grown by."""
    diff_lines_before: int = 0
    last_diff_lines: int | None = None
    """Lines of the difference at the last run; None before the first."""
    active_ms: int = 0
    active_ms_before: int = 0
    last_seen_ms: int | None = None
    bracket: int = 0
    """How full the context window was at the last call, as the bracket's place in their order, the roomiest 0."""
    bracket_before: int = 0
    critical_in_a_row: int = 0
    compactions: int = 0
    compacted_at_ms: int | None = None
    score: float | None = None
    """The agent's score as the host told it last, and the one before the last compaction."""
    last_score: float | None = None
    agent: str = ""
    """Whose score it is; empty where the host told it."""
    next_agent_pending: bool = False
    asked: str | None = None
    """Why a fresh session was asked for by hand; None where it was not."""
    refused_at: int | None = None
    """The turn at which a fresh session was asked for and the host went on in the same one."""
    snapshot_at_ms: int | None = None
    shadow: bool = False
    """Whether bytes and files are what passive mode would have given; dropped on activation."""
    sessions: tuple[str, ...] = ()
    """The provider sessions the conversation was in, the latest last."""


class SubChat(NamedTuple):
    """What is known of a conversation."""

    task: Task | None
    counters: Counters
    todos: tuple[tuple[str, str], ...]
    """(content, status) of each step."""
    plan: str = ""
    """The plan that the agent proposed last for this task."""

    def for_new_task(self) -> "SubChat":
        """Gives what of it holds for another task than before: neither steps nor plan."""
        return self._replace(todos=(), plan="") if self.task is not None else self


NEW_SUB_CHAT = SubChat(None, Counters(), ())


class CallRecord(NamedTuple):
    """A pre-run as recorded: what it was about to deliver, and everything needed to explain it."""

    delivery_token: str
    run_id: str
    sub_chat_id: str
    project: str
    workspace: str
    provider: str
    session_id: str | None
    """The session this call continues; None when it begins a fresh one."""
    shadow: bool
    status: Literal["pending", "committed", "dropped"]
    created_at_ms: int
    record: dict[str, Any]
    blocks: dict[str, Any]


class FailingTests(NamedTuple):
    """The last word of a test runner in a workspace, while it is a failing one."""

    runner: str
    names: tuple[str, ...]
    excerpt: str
    run_id: str
    seen_at_ms: int = 0
    """When a run saw it last."""
    head: str | None = None
    changed_hash: str | None = None
    """Where the worktree stood at the end of that run, as its state tells; None where that is not known."""
    selections: tuple[str, ...] = ()
    """What part of the suite each was seen failing in, empty for the whole; one for a failure without names."""
    total: int = 0
    """How many tests ran when it was seen last; 0 where that is not known."""


class Place(NamedTuple):
    """Where a conversation belongs."""

    project: str
    workspace: str


class RunTold(NamedTuple):
    """What a run's record tells of its work."""

    run_id: str
    objective: str
    conclusion: str
    """What the agent said at its end, its secrets masked."""
    touched: tuple[str, ...]


class KeptSnapshot(NamedTuple):
    """The structured state of a conversation as it was kept."""

    id: str
    sub_chat_id: str
    run_id: str
    at_ms: int
    reasons: tuple[str, ...]
    value: dict[str, Any]


class Artifact(NamedTuple):
    """Something worth keeping of a run."""

    id: str
    project: str
    type: ArtifactType
    status: ArtifactStatus
    title: str
    body: str
    event: str
    event_key: str
    provenance: dict[str, Any]
    created_at_ms: int
    updated_at_ms: int
