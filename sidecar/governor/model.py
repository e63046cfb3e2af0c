"""The governor's word."""

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
    value: float
    since_snapshot: float = Field(description="The part of the value that came after the last snapshot.")
    snapshot_at: float
    rehydrate_at: float


class GovernorStatusResult(WireModel):
    """The pressure on a conversation's session as of its last run."""

    governor: GovernorWord
    signals: list[PressureSignal]
