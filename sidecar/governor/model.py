"""The governor's decision, and the messages of its methods."""

from pydantic import Field

from sidecar.core.wire_types import Identifier, WireModel
from sidecar.governor.pressure_decision import GovernorAction


class GovernorDecision(WireModel):
    """Action for the session, with the reasons."""

    action: GovernorAction
    reasons: list[str] = Field(description="One sentence each; empty for ok without a suppressed action.")


class GovernorStatusParams(WireModel):
    """The conversation to report on."""

    sub_chat_id: Identifier


class PressureSignal(WireModel):
    """A signal and its thresholds."""

    name: str
    value: float = Field(description="Value since the provider session started; compared with `rehydrateAt`.")
    since_snapshot: float = Field(description="Value since the last snapshot; compared with `snapshotAt`.")
    snapshot_at: float
    rehydrate_at: float = Field(
        description="Doubled unless the window is CRITICAL; that of `bracket` never. Ignored while the window has more"
        " room than DEPLETED."
    )


class SnapshotStep(WireModel):
    """A step of the task list."""

    content: str
    status: str


class SnapshotFile(WireModel):
    """A file that the conversation changed."""

    path: str
    why: str = Field(description="The agent's sentence about it, or else the run's objective.")


class StoredSnapshotView(WireModel):
    """The stored structured state of a conversation."""

    id: str
    run_id: str = Field(description="The run after which it was stored.")
    at: str = Field(description="RFC 3339.")
    reasons: list[str]
    objective: str
    plan: str = Field(description="The last plan that the agent proposed; empty without one.")
    todos: list[SnapshotStep]
    conclusions: list[str] = Field(description="What the last runs found or did, the latest first.")
    decisions: list[str]
    corrections: list[str] = Field(
        description="The user's corrections and preferences that are not standing instructions, the latest first."
    )
    risks: list[str] = Field(description="Open points from the latest runs' conclusions, and failing runners.")
    failing: list[str] = Field(description="Names of failing tests.")
    files: list[SnapshotFile] = Field(description="Latest first.")


class GovernorStatusResult(WireModel):
    """The pressure on a conversation's session as of its last run."""

    governor: GovernorDecision
    signals: list[PressureSignal]
    snapshot: StoredSnapshotView | None = Field(description="The latest stored snapshot; null before the first.")


class GovernorRehydrateParams(WireModel):
    """The conversation that should continue in a fresh session."""

    sub_chat_id: Identifier
    reason: str = Field(default="", max_length=2_000, description="Shown among the governor's reasons.")


class GovernorRehydrateResult(WireModel):
    """The stored snapshot, and a text that the chat may show where the fresh session starts."""

    governor: GovernorDecision
    snapshot: StoredSnapshotView
    marker: str
