"""Arms of chats; the messages of `rollout/…`, and what other results show of a rollout."""

from dataclasses import dataclass
from typing import NamedTuple

from pydantic import Field

from sidecar.core.wire import FolderPath, WireModel
from sidecar.runs.call_record import Arm, Mode


class StoredArm(NamedTuple):
    """The arm of a unit: a chat with its sub-chats and forks."""

    experiment: str
    unit: str
    arm: Arm
    share: int
    """The share at which it was drawn, in percent."""
    has_left: bool
    """Whether the user chose a mode for it, so that it no longer counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFacts:
    """Facts about a chat that are known before its arm is drawn."""

    sub_chat_id: str
    project: str
    provider: str
    chat_id: str | None = None
    session_id: str | None = None
    forked_from: str | None = None
    """The sub-chat that it was forked from."""
    model: str | None = None
    run_mode: str = "agent"
    prompt_length: int = 0
    choice: Mode | None = None
    """The mode that the user chose for the chat."""


class ArmChange(NamedTuple):
    """An arm to be stored, and the chat that it belongs to."""

    arm: StoredArm
    chat: ChatFacts


class RolloutSuspension(WireModel):
    """A stop of the rollout by its guard; the setting `mode` is unchanged."""

    reason: str
    at: str = Field(description="RFC 3339.")


class RolloutStatus(WireModel):
    """A rollout by share."""

    share: int = Field(description="Percent of new chats that are active while the mode is active.")
    experiment: str | None
    suspended: RolloutSuspension | None = Field(
        description="While set, no chat receives packs unless its user chose so; `rollout/resume` ends it."
    )
    treated: int = Field(description="Chats that receive packs.")
    control: int = Field(description="Chats that receive what a chat receives in passive mode.")
    left: int = Field(description="Chats of either arm for which the user chose a mode; they no longer count.")


class RolloutParams(WireModel):
    """The rollout of one project, or that of all."""

    project_path: FolderPath | None = Field(default=None, description="The original project; without it, all projects.")


class RolloutResult(WireModel):
    """A rollout by share."""

    rollout: RolloutStatus | None = Field(description="Null if every chat receives what the mode says.")
