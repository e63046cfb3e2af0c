"""A recorded session: the lines of a JSONL file, in the order in which things happened.

Each line is one JSON object. One member says what happened and gives the line its kind (`session`, `prompt`, `end`,
`write`, …); the others are its details. A `session` line begins a session; what follows belongs to it. What stands
between a `prompt` and its `end` is what the agent did in that run; what stands outside is what the user did.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from sidecar.core.wire import Identifier, WireModel
from sidecar.runs.model import MAX_PROMPT_CHARACTERS, Outcome, Provider, RunMode, Todo

RepositoryPath = Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
"""A file of the worktree: relative to its root, with forward slashes."""

Revision = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^-\x00-\x20][^\x00-\x20]*$")]
"""A branch, tag or commit, as git reads it."""

Seconds = Annotated[float, Field(ge=0, le=86_400, strict=False)]

MAIN = "main"
"""The name of the worktree that every session begins with."""

READING_SECONDS = 20.0
"""How long a person reads an answer, or types a prompt, unless the recording says otherwise."""


class Session(WireModel):
    """Begins a session: one repository, and the conversations that are had in it."""

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
    """The user's prompt: a run begins."""

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
    """A run ends."""

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
    """What an agent does in a run."""

    chat: Identifier | None = Field(default=None, description="Whose run; needed where several are under way.")


class Read(InRun):
    """The agent reads a file."""

    read: RepositoryPath


class Ran(InRun):
    """The agent ran a command. It is told of, and never run again."""

    ran: str
    output: str = ""
    exit_code: int = 0


class Todos(InRun):
    """The agent's task list, whole."""

    todos: list[Todo]


class Plan(InRun):
    """The agent proposes a plan."""

    plan: str


class Step(WireModel):
    """What changes the repository: the agent's doing in a run, the user's outside, unless `by` says otherwise."""

    chat: Identifier | None = Field(default=None, description="Whose run; needed where several are under way.")
    worktree: Identifier | None = Field(default=None, description="Without it the run's, or `main`.")
    by: Literal["agent", "user"] | None = None


class Write(Step):
    """Writes a whole file."""

    write: RepositoryPath
    text: str


class Edit(Step):
    """Replaces a text that occurs once in a file."""

    edit: RepositoryPath
    find: str = Field(min_length=1)
    replace: str


class Delete(Step):
    """Deletes a file."""

    delete: RepositoryPath


class Rename(Step):
    """Renames a file, as git does."""

    rename: RepositoryPath
    to: RepositoryPath


class Commit(Step):
    """Commits everything that is changed."""

    commit: str = Field(min_length=1, description="The message.")


class Switch(Step):
    """Switches to a branch."""

    switch: Revision
    create: bool = False


class Reset(Step):
    """Moves the branch to a commit and makes the worktree as it was there."""

    reset: Revision


class Merge(Step):
    """Merges a branch."""

    merge: Revision


class AddWorktree(Step):
    """Makes a linked worktree on a new branch."""

    add_worktree: Identifier = Field(description="Its name in this session.")
    branch: Revision


class Event(WireModel):
    """Something happens to a provider session outside a run."""

    event: Literal["reset", "forked", "rolledBack", "compacted", "modeChanged", "deleted"]
    chat: Identifier = "chat"


class Pause(WireModel):
    """Nothing happens for a while."""

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
"""The member that gives a line its kind; no line has two of them."""
