"""Values about runs that several slices speak of."""

from typing import Literal

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
