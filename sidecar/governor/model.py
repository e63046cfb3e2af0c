"""The governor's decision, and the messages of its methods."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import Identifier, WireModel

GovernorAction = Literal["ok", "snapshot", "rehydrate"]


class GovernorDecision(WireModel):
    """Action for the session, with the reasons."""

    action: GovernorAction
    reasons: list[str] = Field(description="One sentence each; empty for ok without a withheld action.")


class GovernorStatusParams(WireModel):
    """The conversation to report on."""

    sub_chat_id: Identifier


class PressureSignal(WireModel):
    """A signal and its thresholds."""

    name: str
    value: float = Field(description="Since the provider session began: what a rehydrate goes by.")
    since_snapshot: float = Field(description="The part of it that came after the last snapshot: what one goes by.")
    snapshot_at: float
    rehydrate_at: float


class SnapshotStep(WireModel):
    """A step of the task list."""

    content: str
    status: str


class SnapshotFile(WireModel):
    """A file that the conversation changed."""

    path: str
    why: str = Field(description="What the agent said of it, else what the run was about.")


class StoredSnapshotView(WireModel):
    """The stored structured state of a conversation."""

    id: str
    run_id: str = Field(description="The run it was kept after.")
    at: str = Field(description="RFC 3339.")
    reasons: list[str]
    objective: str
    plan: str = Field(description="The plan that the agent proposed last; empty without one.")
    todos: list[SnapshotStep]
    decisions: list[str]
    risks: list[str] = Field(description="What was left open: in the latest runs' own words, and runners that fail.")
    failing: list[str] = Field(description="Names of failing tests.")
    files: list[SnapshotFile] = Field(description="The latest first.")
    conclusion: str = Field(description="What the agent said last.")


class GovernorStatusResult(WireModel):
    """The pressure on a conversation's session as of its last run."""

    governor: GovernorDecision
    signals: list[PressureSignal]
    snapshot: StoredSnapshotView | None = Field(description="The last one that was kept; null before the first.")


class GovernorRehydrateParams(WireModel):
    """The conversation that should continue in a fresh session."""

    sub_chat_id: Identifier
    reason: str = Field(default="", max_length=2_000, description="Shown among the governor's reasons.")


class GovernorRehydrateResult(WireModel):
    """The stored snapshot, and a text that the chat may show where the fresh session starts."""

    governor: GovernorDecision
    snapshot: StoredSnapshotView
    marker: str
