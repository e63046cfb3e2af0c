"""A recorded session: the lines of a JSONL file, in the order of events.

Each line is a JSON object. One member names the kind of the line (`session`, `prompt`, `end`, `write`, …); the others
are details. A `session` line starts a session that includes the following lines. Lines between a `prompt` and its `end`
are the agent's actions in that run; lines outside are the user's.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from sidecar.core.wire_types import Identifier, WireModel
from sidecar.runs.model import MAX_PROMPT_CHARACTERS, Outcome, Provider, RunMode, Todo

RepositoryPath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
"""A file's path relative to the worktree's root, with forward slashes."""

Revision = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^-\x00-\x20][^\x00-\x20]*$")]
"""A branch, tag or commit."""

Seconds = Annotated[float, Field(ge=0, le=86_400, strict=False)]

MAIN = "main"
"""The name of a session's first worktree."""

READING_SECONDS = 20.0
"""Default time in which a person reads an answer or types a prompt."""


class Session(WireModel):
    """Start of a session: one repository, and the conversations in it."""

    session: Identifier = Field(description="Its name, unique in the file.")
    repository: str = Field(min_length=1, max_length=4096, description="A git repository's folder.")
    kind: Identifier = Field(default="session", description="What it is an example of; figures are summed by kind.")
    at: Revision | None = Field(default=None, description="The commit to begin at; without it, the head.")
    settings: dict[str, Any] = Field(
        default_factory=dict, description="As in `initialize`; `mode` is active by itself."
    )
    pause_seconds: Seconds = Field(
        default=READING_SECONDS, description="The pause after each run and after what the user changed; 0 for none."
    )
    note: str | None = Field(default=None, description="For people.")


class Prompt(WireModel):
    """The user's prompt, which starts a run."""

    prompt: str = Field(max_length=MAX_PROMPT_CHARACTERS)
    chat: Identifier = Field(default="chat", description="The sub-chat.")
    provider: Provider | None = Field(default=None, description="Without it, that of the chat so far, or claude.")
    mode: RunMode = "agent"
    worktree: Identifier = MAIN
    fresh: bool = Field(default=False, description="Whether the host begins a provider session instead of resuming.")
    fork: bool = Field(default=False, description="Whether the provider session is forked.")
    files: list[RepositoryPath] = Field(default_factory=list, description="Files that the user mentions.")
    token_mode: Literal["low", "normal", "debug"] | None = None
    used_tokens: int | None = Field(default=None, ge=0, description="How full the context window is, of 200,000.")
    host_injects: dict[Literal["agentsMd", "claudeMd"], bool] | None = None


class End(WireModel):
    """The end of a run."""

    end: Outcome
    chat: Identifier | None = Field(default=None, description="Whose run; needed where several are under way.")
    provider_session: Identifier | None = Field(
        default=None, description="Its id after the run; without it the one before, or a new one that is made up."
    )
    text: str = Field(default="Done.", description="The agent's final text.")
    parts: list[dict[str, Any]] | None = Field(
        default=None,
        description="The stored parts, with `{cwd}` for the worktree; without them, the run's lines make them.",
    )
    tool_errors: list[dict[str, Any]] | None = Field(default=None, description="Beside `parts`: as in postRun.")
    seconds: Seconds = Field(default=60.0, description="How long the run took.")


class InRun(WireModel):
    """An action of an agent in a run."""

    chat: Identifier | None = Field(default=None, description="Whose run; needed where several are under way.")


class Read(InRun):
    """The agent reads a file."""

    read: RepositoryPath


class Ran(InRun):
    """The agent ran a command. A replay never executes it."""

    ran: str
    output: str = ""
    exit_code: int = 0


class Todos(InRun):
    """The agent's complete task list."""

    todos: list[Todo]


class Plan(InRun):
    """The agent proposes a plan."""

    plan: str


class Step(WireModel):
    """A change of the repository: by the agent in a run, by the user outside, unless `by` is given."""

    chat: Identifier | None = Field(default=None, description="Whose run; needed where several are under way.")
    worktree: Identifier | None = Field(default=None, description="Without it the run's, or `main`.")
    by: Literal["agent", "user"] | None = None


class Write(Step):
    """Write a whole file."""

    write: RepositoryPath
    text: str


class Edit(Step):
    """Replace a text that occurs once in a file."""

    edit: RepositoryPath
    find: str = Field(min_length=1)
    replace: str


class Delete(Step):
    """Delete a file."""

    delete: RepositoryPath


class Rename(Step):
    """Rename a file with git."""

    rename: RepositoryPath
    to: RepositoryPath


class Commit(Step):
    """Commit all changes."""

    commit: str = Field(min_length=1, description="The message.")


class Switch(Step):
    """Switch to a branch."""

    switch: Revision
    create: bool = False


class Reset(Step):
    """Reset the branch and the worktree to a commit."""

    reset: Revision


class Merge(Step):
    """Merge a branch."""

    merge: Revision


class AddWorktree(Step):
    """Add a linked worktree on a new branch."""

    add_worktree: Identifier = Field(description="Its name in this session.")
    branch: Revision


class Event(WireModel):
    """An event of a provider session outside a run."""

    event: Literal["reset", "forked", "rolledBack", "compacted", "modeChanged", "deleted"]
    chat: Identifier = "chat"


class Pause(WireModel):
    """Idle time."""

    pause: Seconds


Entry = (
    Session | Prompt | End | Read | Ran | Todos | Plan | Write | Edit | Delete | Rename | Commit | Switch | Reset
    | Merge | AddWorktree | Event | Pause
)  # fmt: skip

KINDS: dict[str, type[WireModel]] = {
    "session": Session, "prompt": Prompt, "end": End, "read": Read, "ran": Ran, "todos": Todos, "plan": Plan,
    "write": Write, "edit": Edit, "delete": Delete, "rename": Rename, "commit": Commit, "switch": Switch,
    "reset": Reset, "merge": Merge, "addWorktree": AddWorktree, "event": Event, "pause": Pause,
}  # fmt: skip
"""The member that names the kind of a line. A line has exactly one of them."""
