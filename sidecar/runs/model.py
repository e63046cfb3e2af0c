"""Values of runs (ledger items, task, counters, tests, artifacts), and wire types that slices share."""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from pydantic import Field

from sidecar.context import SessionRecord
from sidecar.core.wire_types import Tokens, WireModel
from sidecar.daily_metrics import Provider
from sidecar.runs.ledger_entries import Entry

MAX_PROMPT_CHARACTERS = 4_000_000


class TerminalAgent(NamedTuple):
    """An agent in a terminal, which our hooks connect without the app."""

    name: str
    sub_chat_prefix: str
    """Prefix of the sub-chat ids of its conversations; a session held by any other id belongs to a host."""


APP_NAME = "1Code"

TERMINAL_AGENTS: dict[Provider, TerminalAgent] = {
    "claude": TerminalAgent("Claude Code", "claude-code:"),
    "codex": TerminalAgent("Codex CLI", "codex-cli:"),
}

RunMode = Literal["plan", "agent"]
"""Whether the agent plans or works."""

Outcome = Literal["completed", "aborted", "error", "empty", "notStarted", "superseded"]
"""End of a run: `aborted` is the user's Stop. The provider answered nothing (`empty`) or received nothing
(`notStarted`).
"""

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


class RunUsage(WireModel):
    """Token, cost and time usage of the run, as far as the host knows."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cache_read_tokens: Tokens | None = None
    cache_creation_tokens: Tokens | None = None
    cost_usd: float | None = Field(default=None, ge=0, le=1e9, description="US dollars.")
    duration_ms: float | None = Field(default=None, ge=0, le=2**40, description="Milliseconds.")


class SessionKey(NamedTuple):
    """A conversation's provider session in the ledger; conversations that share a session have a ledger each.

    `shadow` is passive mode's own ledger, which never counts as delivery.
    """

    sub_chat_id: str
    provider: str
    session_id: str
    shadow: bool


@dataclass(frozen=True, slots=True)
class DeliveredItem:
    """Something that a provider session received: its key, what the session has of it, its bytes as rendered."""

    key: str
    entry: Entry
    bytes: int


@dataclass(frozen=True, slots=True)
class PinnedAnchor:
    """The anchor of a provider session."""

    id: str
    text: str


class RolledBackSpan(NamedTuple):
    """A time whose messages the user rolled back."""

    since_ms: int
    until_ms: int | None = None
    """Time at which the session continued; None if it has not yet."""


class SessionContents(NamedTuple):
    """Content of a provider session, according to the ledger."""

    items: dict[str, DeliveredItem]
    anchor: PinnedAnchor | None
    head_commit: str | None
    exists: bool
    """Whether it received anything besides its anchor."""
    rolled_back: tuple[RolledBackSpan, ...] = ()

    def has_lost(self, at_ms: int) -> bool:
        """Whether a rollback removed what was said in the session at a moment."""
        return any(
            span.since_ms <= at_ms and (span.until_ms is None or at_ms < span.until_ms) for span in self.rolled_back
        )


NO_CONTENTS = SessionContents({}, None, None, exists=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTurn:
    """A run in a provider session: the items it left there."""

    number: int
    run_id: str
    message_id: str | None
    """Id of the agent's message; None if unknown."""
    head_commit: str | None
    """The head commit that the session knew after it; None if unknown."""
    sent_at_ms: int
    items: tuple[DeliveredItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHistory:
    """All that the ledger has of a provider session."""

    anchor: PinnedAnchor | None = None
    compacted_at_ms: int | None = None
    turns: tuple[SessionTurn, ...] = ()
    rolled_back: tuple[RolledBackSpan, ...] = ()
    """In order; only the last one may be open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """The host's facts about the provider session that a run continues; the same facts again change nothing."""

    is_fork: bool = False
    """Whether the provider forks the session, so that it continues under another id."""
    forked_from: SessionKey | None = None
    copied_at_ms: int | None = None
    """Time at which the whole session of the origin was copied; None if the copy ends with a message."""
    is_truncated: bool = False
    last_message_id: str | None = None
    """The last of the agent's messages in a truncated session; None for none."""
    compacted_at_ms: int | None = None
    continued_run_id: str | None = None
    """The run whose session continues although the host did not store its id."""
    resumes_unnamed: bool = False
    """Whether the provider continues a session that the host cannot name."""


@dataclass(frozen=True, slots=True)
class Task:
    """Task of a conversation. `query` ranks files and follows from the fingerprint's words alone."""

    fingerprint: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    query: str
    objective: str
    recent: tuple[str, ...] = ()
    """Queries of its last prompts, newest last."""


@dataclass(frozen=True, slots=True)
class PressureCounters:
    """Pressure on a conversation's current provider session (bytes, lines, milliseconds) since that session started.

    `…_before` is the part that the last snapshot already covers.
    """

    turns: int = 0
    turns_before: int = 0
    injected: tuple[int, ...] = ()
    """Bytes injected by the last calls, newest last."""
    injected_before: int = 0
    """Number of those calls that were before the last snapshot."""
    delivered_bytes: int = 0
    """Bytes injected since the session started, all calls together."""
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
    bracket: int | None = None
    """Index of the last call's context-window bracket; 0 has the most room. None if the host did not report it."""
    bracket_before: int | None = None
    session: SessionRecord = field(default_factory=SessionRecord)
    """Compactions, scores and CRITICAL in a row, which the context methods count too; stored by session, not here."""
    compacted_at_ms: int | None = None
    """Time of the last compaction that a host's event, a prompt or a run reported."""
    next_agent_pending: bool = False
    rehydrate_reason: str | None = None
    """Reason given for a manual rehydrate request; None without a request."""
    requested: tuple[tuple[str, int], ...] = ()
    """The causes of the fresh sessions that were requested, each with the turn after which it was stated first."""
    snapshot_at_ms: int | None = None
    shadow: bool = False
    """Whether bytes and files are what passive mode would have sent; dropped on activation."""
    sessions: tuple[str, ...] = ()
    """The conversation's provider sessions, the latest last."""

    def session_key(self, sub_chat_id: str) -> str:
        """Return the id under which the session's own counters are stored, also while the host knows none."""
        return self.sessions[-1] if self.sessions else f"chat:{sub_chat_id}"


RALPH_PREFIX = "ralph:"
"""Prefix of the sub-chat ids of loops, whose prompts nobody types."""


@dataclass(frozen=True, slots=True)
class SubChat:
    """Stored state of a conversation."""

    task: Task | None
    counters: PressureCounters
    todos: tuple[tuple[str, str], ...]
    """(content, status) of each step."""
    plan: str = ""
    """The last plan that the agent proposed for this task."""

    def for_new_task(self) -> "SubChat":
        """Return what is valid for another task: neither steps nor plan."""
        return replace(self, todos=(), plan="") if self.task is not None else self


NEW_SUB_CHAT = SubChat(None, PressureCounters(), ())


@dataclass(frozen=True, slots=True)
class FailingTests:
    """A test runner's last verdict in a workspace, while it is failing."""

    runner: str
    names: tuple[str, ...]
    excerpt: str
    run_id: str
    seen_at_ms: int = 0
    """Time at which a run saw it last."""
    head: str | None = None
    changed_hash: str | None = None
    """State of the worktree at the end of that run; None if unknown."""
    selections: tuple[str, ...] = ()
    """The part of the suite in which each test failed, empty for the whole suite; one entry for a failure without
    names.
    """
    total: int = 0
    """Number of tests that ran at that time; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class ConversationPlace:
    """The project and workspace of a conversation."""

    project: str
    workspace: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Summary of a run's work from its record."""

    run_id: str
    objective: str
    """The beginning of the user's request, with secrets masked; the task's objective if it names nothing."""
    conclusion: str
    """The agent's final words, with secrets masked."""
    touched: tuple[str, ...]
    mode: str = "agent"


@dataclass(frozen=True, slots=True)
class RecentWork:
    """Work of a conversation's last runs, as far as it points at what comes next."""

    edited: tuple[str, ...] = ()
    """Files that they changed, latest first."""
    read: tuple[str, ...] = ()
    """Further files that they read, latest first."""
    answer: str = ""
    """The agent's last final words, with secrets masked."""
    is_planned: bool = False
    """Whether the last of them only planned, so that nothing of its plan is carried out yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentFile:
    """A file that the project's last other conversations used."""

    path: str
    conversations: int
    """Number of these conversations that used it."""
    is_edited: bool
    edits: tuple[frozenset[str], ...] = ()
    """Hashes of the lines that each further conversation left in it: one counts only where the file has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLines:
    """Lines of a conversation's runs in a file, as of the last of them."""

    lines: frozenset[str]
    """Hashes of the informative lines."""
    digest: str
    """Identifies the file's diff at that time; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that a run changed. Lines are relative to the head commit after the run, or those of its commits."""

    path: str
    added: int
    removed: int
    surviving: FileLines | None = None
    """Surviving lines of the conversation's work in it; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """Files of one run by their use, as sorted paths."""

    in_pack: tuple[str, ...]
    """Files that this call's pack contained."""
    used: tuple[str, ...]
    """Pack files that the run then read or edited; their share is the pack's precision."""
    needed: tuple[str, ...]
    """Files that the run read or edited, and neither created nor knew from reading them earlier."""
    discovered: tuple[str, ...]
    """Needed files that the agent had to find by itself; the share of the others is the pack's recall."""
    repeated: tuple[str, ...]
    """Files read but not edited, although the session had their content. (An edit needs a read first.)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackMetrics:
    """Metrics of the pack that a run received."""

    anchor_id: str | None = None
    file_use: FileUse | None = None
    """None if the run used no file."""
    cache_broken: bool = False
    """Whether another anchor made the provider rewrite its prompt cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A finished run as recorded."""

    run_id: str
    sub_chat_id: str
    chat_id: str | None
    project: str
    workspace: str
    provider: Provider
    mode: RunMode
    outcome: Outcome
    session_before: str | None
    session_after: str | None
    task_fingerprint: str | None
    head_commit: str | None
    objective: str
    conclusion: str
    """The agent's final words, with secrets masked."""
    changes: tuple[FileChange, ...]
    usage: RunUsage | None
    pack_metrics: PackMetrics | None
    """None if the run did not use its pre-run's answer."""
    result: bytes
    """The answer of `continuity/postRun` in its wire form, JSON."""
    started_at_ms: int
    finished_at_ms: int
    recorded_at_ms: int
