"""Params and results of `session/*`."""

from typing import Literal

from pydantic import Field

from sidecar.core.ides import IdeName
from sidecar.core.wire import FolderPath, Identifier, WireModel
from sidecar.memory import MemoryCaptureResult, MemoryDigest
from sidecar.session.managed_block import BlockState
from sidecar.session.messages import Language

Intent = Literal["exit", "command", "onTopic", "offTopic"]
Command = Literal["activate", "status", "help", "resume"]

MAX_PROGRESS = 4_000


class SessionParams(WireModel):
    """Whose session it is."""

    cwd: FolderPath = Field(description="The folder the agent works in; its IDE reads the block there.")
    project_path: FolderPath | None = Field(
        default=None, description="The original project, which the session belongs to; `cwd` if absent."
    )


class SessionActivateParams(SessionParams):
    """Whose session to activate or resume, and as what. What is absent stays as it was."""

    ide: IdeName | None = Field(default=None, description="Decides the file. First: claude-code.")
    agent: Identifier | None = Field(
        default=None,
        description="Who gets the messages. Absent: the agent the project's session file names, else the last one,"
        " else the orchestrator.",
    )
    language: Language | None = Field(default=None, description="What the user is answered in. First: en.")
    force: bool = Field(default=False, description="Repairs damaged markers and several blocks.")


class SessionShown(WireModel):
    """The lock as it stands."""

    status: Literal["active", "inactive"]
    agent: str | None = Field(description="Who gets the messages, or would after resuming; null before any session.")
    ide: IdeName | None
    language: Language
    progress: str = Field(description="What stood when the session was left; empty where nothing was said.")
    activated_at: str | None = Field(description="RFC 3339, UTC.")
    exited_at: str | None = Field(description="When it was last left; null if never.")


class BlockShown(WireModel):
    """A file that an IDE reads, and the block in it."""

    path: str = Field(description="Absolute.")
    state: Literal[BlockState, "unreadable"]


class SessionActivateResult(WireModel):
    """The session, active now."""

    session: SessionShown
    resumed: bool = Field(description="Whether there was a session before, by our state or the project's session file.")
    block: BlockShown = Field(description="The file that says so to the agent.")
    token: str = Field(description="With it `memory/*` reaches the agent's own memories, until the agent changes.")
    warnings: list[str]


class SessionStatusParams(SessionParams):
    """Whose session is asked for."""


class SessionStatusResult(WireModel):
    """The session, and every file with a block of it."""

    session: SessionShown
    blocks: list[BlockShown]
    warnings: list[str]


class SessionRouteParams(SessionParams):
    """A message of the user's."""

    message: str = Field(max_length=1_000_000)


class SessionRouteResult(WireModel):
    """Where the message goes. Nothing is done about it yet."""

    status: Literal["active", "inactive"] = Field(description="While inactive no message is bound to an agent.")
    intent: Intent = Field(description="offTopic: the deviation protocol; the session stays locked.")
    command: Command | None = Field(description="For the intent `command`.")
    agent: str | None = Field(description="Who gets an on-topic message; null while inactive and for other intents.")
    rule: str = Field(description="The rule that decided.")
    hint: str | None = Field(description="How to leave, where the message speaks of leaving without asking for it.")


class SessionExitParams(SessionParams):
    """Whose session to leave."""

    progress: str | None = Field(
        default=None, max_length=MAX_PROGRESS, description="What stands and what comes next, for who resumes."
    )
    session_id: Identifier | None = Field(
        default=None, description="The provider session, whose digest file is written to; else one of its own."
    )
    digest: MemoryDigest | None = Field(default=None, description="What the host knows to be worth keeping.")
    force: bool = Field(
        default=False, description="Repairs damaged markers and several blocks on the way, also in a read-only file."
    )
    remove_block: bool = Field(
        default=False, description="Takes the block out of its files, instead of leaving `Status: INACTIVE` there."
    )


class SessionExitResult(WireModel):
    """The session, left; nothing of it is lost."""

    session: SessionShown
    was_active: bool
    confirmation: str = Field(description="What to tell the user, in the session's language.")
    blocks: list[BlockShown]
    captured: MemoryCaptureResult | None = Field(
        description="What became of the session's digest; null where no session was active or it could not be captured."
    )
    warnings: list[str] = Field(description="What could not be done. The session is left all the same.")
