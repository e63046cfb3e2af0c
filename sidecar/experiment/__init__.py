"""The rollout by share: which chats receive packs, what came of each chat, and whether packs help."""

from dataclasses import dataclass
from typing import NamedTuple

from sidecar.runs.pre_run_record import Arm, Mode


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
