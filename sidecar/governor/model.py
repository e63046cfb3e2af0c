"""The governor's word, and the messages of its methods."""

from typing import Literal

from pydantic import Field

from sidecar.core.wire import Identifier, WireModel

GovernorAction = Literal["ok", "snapshot", "rehydrate"]


class GovernorWord(WireModel):
    """What should happen to the session, and why."""

    action: GovernorAction
    reasons: list[str] = Field(description="One sentence each; empty for ok without a withheld action.")


class GovernorStatusParams(WireModel):
    """Which conversation is asked about."""

    sub_chat_id: Identifier


class PressureSignal(WireModel):
    """One signal beside its thresholds."""

    name: str
    value: float = Field(description="Since the provider session began: what a rehydrate goes by.")
    since_snapshot: float = Field(description="The part of it that came after the last snapshot: what one goes by.")
    snapshot_at: float
    rehydrate_at: float


class SnapshotStep(WireModel):
    """One step of the task list."""

    content: str
    status: str


class SnapshotFile(WireModel):
    """A file that the conversation changed."""

    path: str
    why: str = Field(description="What the agent said of it, else what the run was about.")


class SnapshotShown(WireModel):
    """The structured state of a conversation as it was kept."""

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

    governor: GovernorWord
    signals: list[PressureSignal]
    snapshot: SnapshotShown | None = Field(description="The last one that was kept; null before the first.")


class GovernorRehydrateParams(WireModel):
    """Which conversation is to go on in a fresh session."""

    sub_chat_id: Identifier
    reason: str = Field(default="", max_length=2_000, description="Shown among the governor's reasons.")


class GovernorRehydrateResult(WireModel):
    """What was kept, and what the chat may show where the fresh session begins."""

    governor: GovernorWord
    snapshot: SnapshotShown
    marker: str
