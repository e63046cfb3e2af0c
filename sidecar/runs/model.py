"""Values of runs (ledger items, task, counters, tests, artifacts), and wire types that slices share."""

from typing import Any, Literal, NamedTuple

from pydantic import Field

from sidecar.core.wire import WireModel

MAX_PROMPT_CHARACTERS = 4_000_000

Provider = Literal["claude", "codex"]
"""The agent that runs."""

RunMode = Literal["plan", "agent"]
"""Whether the agent plans or works."""

Outcome = Literal["completed", "aborted", "error", "empty", "notStarted", "superseded"]
"""End of a run: `aborted` is the user's Stop; `empty` and `notStarted` never reached the provider."""

ArtifactType = Literal["devlog", "adr", "rejectedApproach"]
ArtifactStatus = Literal["draft", "accepted", "discarded", "committed"]


class Todo(WireModel):
    """A step of the agent's task list."""

    content: str = Field(max_length=4_000)
    status: Literal["pending", "in_progress", "completed"]
    active_form: str | None = Field(default=None, max_length=4_000)
    id: str | None = Field(default=None, max_length=200)
    priority: str | None = Field(default=None, max_length=40)


class ArtifactReference(WireModel):
    """An artifact's id, type and status."""

    id: str
    type: ArtifactType
    status: ArtifactStatus


class SessionKey(NamedTuple):
    """A provider session in the ledger. `shadow` is passive mode's own ledger, which never counts as delivery."""

    provider: str
    session_id: str
    shadow: bool


class Item(NamedTuple):
    """Something that a provider session received: its key, the digest of its content, its bytes as rendered."""

    key: str
    digest: str
    bytes: int


class PinnedAnchor(NamedTuple):
    """The anchor of a provider session."""

    id: str
    text: str


class SessionContents(NamedTuple):
    """Content of a provider session, according to the ledger."""

    items: dict[str, Item]
    anchor: PinnedAnchor | None
    head_commit: str | None
    exists: bool
    """Whether it received anything besides its anchor."""


NO_CONTENTS = SessionContents({}, None, None, exists=False)


class Task(NamedTuple):
    """Task of a conversation. `query` ranks files and follows from the fingerprint's words alone."""

    fingerprint: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    query: str
    objective: str


class Counters(NamedTuple):
    """Pressure on a conversation's current provider session (bytes, lines, milliseconds) since that session started.

    `…_before` is the part that the last snapshot already covers.
    """

    turns: int = 0
    turns_before: int = 0
    injected: tuple[int, ...] = ()
    """Bytes injected by the last calls, newest last."""
    injected_before: int = 0
    """Number of those calls that were before the last snapshot."""
    files: tuple[str, ...] = ()
    """Distinct files delivered to the session, in order."""
    files_before: int = 0
    diff_lines: int = 0
    """Lines by which the diff has grown."""
    diff_lines_before: int = 0
    last_diff_lines: int | None = None
    """Lines of the diff at the last run; None before the first."""
    active_ms: int = 0
    active_ms_before: int = 0
    last_seen_ms: int | None = None
    bracket: int = 0
    """Index of the last call's context-window bracket; 0 has the most room."""
    bracket_before: int = 0
    critical_in_a_row: int = 0
    compactions: int = 0
    compacted_at_ms: int | None = None
    score: float | None = None
    """The agent's score as the host told it last, and the one before the last compaction."""
    last_score: float | None = None
    """The agent's score before the last compaction; `score` is the latest one that the host reported."""
    agent: str = ""
    """The agent with that score; empty if the host reported it."""
    next_agent_pending: bool = False
    rehydrate_reason: str | None = None
    """Reason given for a manual rehydrate request; None without a request."""
    refused_at_turn: int | None = None
    """The turn at which a fresh session was requested and the host continued in the same one."""
    snapshot_at_ms: int | None = None
    shadow: bool = False
    """Whether bytes and files are what passive mode would have sent; dropped on activation."""
    sessions: tuple[str, ...] = ()
    """The conversation's provider sessions, the latest last."""


class SubChat(NamedTuple):
    """Stored state of a conversation."""

    task: Task | None
    counters: Counters
    todos: tuple[tuple[str, str], ...]
    """(content, status) of each step."""
    plan: str = ""
    """The last plan that the agent proposed for this task."""

    def for_new_task(self) -> "SubChat":
        """Return what is valid for another task: neither steps nor plan."""
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
    """The session that this call continues; None if it starts a fresh one."""
    shadow: bool
    status: Literal["pending", "committed", "dropped"]
    created_at_ms: int
    record: dict[str, Any]
    blocks: dict[str, Any]


class FailingTests(NamedTuple):
    """A test runner's last verdict in a workspace, while it is failing."""

    runner: str
    names: tuple[str, ...]
    excerpt: str
    run_id: str
    seen_at_ms: int = 0
    """When a run saw it last."""
    head: str | None = None
    changed_hash: str | None = None
    """State of the worktree at the end of that run; None if unknown."""
    selections: tuple[str, ...] = ()
    """The part of the suite in which each test failed, empty for the whole suite; one entry for a failure without
    names.
    """
    total: int = 0
    """Number of tests that ran at that time; 0 if unknown."""


class ConversationPlace(NamedTuple):
    """The project and workspace of a conversation."""

    project: str
    workspace: str


class RunSummary(NamedTuple):
    """Summary of a run's work from its record."""

    run_id: str
    objective: str
    conclusion: str
    """The agent's final words, with secrets masked."""
    touched: tuple[str, ...]


class StoredSnapshot(NamedTuple):
    """The stored structured state of a conversation."""

    id: str
    sub_chat_id: str
    run_id: str
    at_ms: int
    reasons: tuple[str, ...]
    value: dict[str, Any]


class Artifact(NamedTuple):
    """Something of a run that is worth storing."""

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
