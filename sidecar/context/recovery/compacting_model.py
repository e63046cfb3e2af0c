"""The messages of `context/preCompact`."""

from typing import Annotated

from pydantic import Field

from sidecar.context.model import AgentName
from sidecar.core.wire import FolderPath, Identifier, WireModel
from sidecar.memory import MemoryCaptureResult, MemoryDigest

_Text = Annotated[str, Field(max_length=20_000)]


class ContextPreCompactParams(WireModel):
    """A session that is about to be compacted, and what is known of where it stands."""

    cwd: FolderPath
    project_path: FolderPath | None = Field(default=None, description="The original project; `cwd` without it.")
    session_id: Identifier = Field(description="The provider session.")
    compaction_id: Identifier | None = Field(
        default=None,
        description="What tells this compaction from the others of the session; without it, the transcript's length.",
    )
    transcript_path: str | None = Field(
        default=None,
        min_length=1,
        max_length=4_096,
        description="The provider's session file; read from where the session's runs and compactions were captured.",
    )
    run_id: Identifier | None = Field(
        default=None,
        description="The run under way, so that its `continuity/postRun` does not count the same words once more.",
    )
    digest: MemoryDigest | None = Field(default=None, description="What the host knows to be worth keeping.")
    text: str | None = Field(default=None, min_length=1, max_length=200_000, description="A summary of the session.")
    agent: AgentName | None = None
    mode: str | None = Field(default=None, min_length=1, max_length=40)
    task: _Text | None = None
    progress: _Text | None = Field(default=None, description="How far the task has come.")
    pending_decisions: list[Annotated[str, Field(max_length=2_000)]] | None = Field(
        default=None, max_length=50, description="What waits for the user."
    )
    token: Identifier | None = Field(
        default=None,
        description="From `session/activate`: what its agent found out is kept among its own memories.",
    )


class ContextPreCompactResult(WireModel):
    """What was kept before the compaction."""

    compaction_id: str = Field(description="For `context/postCompact`.")
    captured: MemoryCaptureResult | None = Field(
        description="What became of the session's digest; null where it could not be captured, and a warning says why."
    )
    hot: int = Field(description="HOT memories within reach, all of them in files.")
    warm: int = Field(description="WARM memories within reach, all of them in files.")
    saved: bool = Field(description="Whether the project's session file was told where the session stands.")
    compactions: int = Field(description="How many the session has had, with this one.")
    warnings: list[str]
    duplicate: bool = Field(description="Whether this compaction had been told before; the answer is the same.")
