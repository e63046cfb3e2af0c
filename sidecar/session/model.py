"""Params and results of `session/*`."""

from typing import Literal

from pydantic import Field

from sidecar.core.ide_rules_files import IdeName
from sidecar.core.wire_types import FolderPath, Identifier, WireModel
from sidecar.memory import MemoryCaptureResult, SessionSummaryInput
from sidecar.session.session_file import Language

Intent = Literal["exit", "command", "onTopic", "offTopic"]
Command = Literal["activate", "status", "help", "resume"]

MAX_PROGRESS = 4_000


BlockState = Literal["active", "inactive", "none", "several", "damaged"]


class SessionParams(WireModel):
    """The project of the session."""

    cwd: FolderPath = Field(description="The agent's working folder; its IDE reads the block there.")
    project_path: FolderPath | None = Field(
        default=None,
        description="The original project, which owns the session; default: the repository's main worktree, or `cwd`.",
    )


class SessionActivateParams(SessionParams):
    """The session to activate or resume, and its settings. Absent values stay as they were."""

    ide: IdeName | None = Field(default=None, description="Determines the file. Initially claude-code.")
    agent: Identifier | None = Field(
        default=None,
        description="The agent that receives messages. Defaults to the project's session file, then the last agent,"
        " then the orchestrator.",
    )
    language: Language | None = Field(default=None, description="The language of messages to the user. Initially en.")
    force: bool = Field(default=False, description="Repair damaged markers and duplicate blocks.")


class SessionInfo(WireModel):
    """The state of the lock."""

    status: Literal["active", "inactive"]
    agent: str | None = Field(
        description="The agent that receives messages, now or after resuming; null before any session."
    )
    ide: IdeName | None
    language: Language
    progress: str = Field(description="Progress reported at the last exit; may be empty.")
    activated_at: str | None = Field(description="RFC 3339, UTC.")
    exited_at: str | None = Field(description="Time of the last exit; null if there was none.")


class BlockInfo(WireModel):
    """A file that an IDE reads, and the state of its block."""

    path: str = Field(description="Absolute.")
    state: Literal[BlockState, "unreadable"]


class SessionActivateResult(WireModel):
    """The active session."""

    session: SessionInfo
    resumed: bool = Field(description="Whether our state or the project's session file knows an earlier session.")
    block: BlockInfo = Field(description="The file that informs the agent.")
    token: str = Field(
        description="Gives `memory/*` access to the agent's own memories, until the agent changes or the session ends."
    )
    warnings: list[str]


class SessionStatusParams(SessionParams):
    """The session to report."""


class SessionStatusResult(WireModel):
    """The session, and every file with its block."""

    session: SessionInfo
    blocks: list[BlockInfo]
    warnings: list[str]


class SessionRouteParams(SessionParams):
    """A message of the user."""

    message: str = Field(max_length=1_000_000)


class SessionRouteResult(WireModel):
    """The route of the message. The call has no effect."""

    status: Literal["active", "inactive"] = Field(description="While inactive, messages are not bound to an agent.")
    intent: Intent = Field(description="`offTopic`: the deviation protocol applies; the session stays locked.")
    command: Command | None = Field(description="For the intent `command`.")
    agent: str | None = Field(
        description="The agent that receives an on-topic message; null while inactive and for other intents."
    )
    rule: str = Field(description="The rule that decided.")
    hint: str | None = Field(description="How to exit, if the message mentions it without requesting it.")


class SessionExitParams(SessionParams):
    """The session to exit."""

    progress: str | None = Field(
        default=None, max_length=MAX_PROGRESS, description="Progress and next steps, for whoever resumes."
    )
    session_id: Identifier | None = Field(
        default=None, description="The provider session whose memory file receives the summary; defaults to a new file."
    )
    summary: SessionSummaryInput | None = Field(default=None, description="What the host considers worth remembering.")
    force: bool = Field(
        default=False, description="Repair damaged markers and duplicate blocks, also in read-only files."
    )
    remove_block: bool = Field(
        default=False, description="Remove the block from its files instead of marking it `Status: INACTIVE`."
    )


class SessionExitResult(WireModel):
    """The session after the exit; all of it is saved."""

    session: SessionInfo
    was_active: bool
    confirmation: str = Field(description="A message for the user, in the session's language.")
    blocks: list[BlockInfo]
    captured: MemoryCaptureResult | None = Field(
        description="What was captured of the session; null if none was active or capturing failed."
    )
    warnings: list[str] = Field(description="What could not be done. The session is exited nevertheless.")
