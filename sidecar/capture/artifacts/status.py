"""What becomes of an artifact: draft → accepted | discarded → committed. Pure."""

from enum import Enum
from typing import Literal

from sidecar.runs.model import ArtifactStatus

Verb = Literal["update", "accept", "discard", "commit"]


class No(Enum):
    """Why a verb does not apply."""

    FINAL = "final"
    DISCARDED = "discarded"


STATUS_AFTER: dict[ArtifactStatus, dict[Verb, ArtifactStatus | No]] = {
    "draft": {"update": "draft", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "accepted": {"update": "accepted", "accept": "accepted", "discard": "discarded", "commit": "committed"},
    "discarded": {"update": "discarded", "accept": "accepted", "discard": "discarded", "commit": No.DISCARDED},
    "committed": {"update": No.FINAL, "accept": "committed", "discard": No.FINAL, "commit": "committed"},
}
"""A committed artifact stays one: its file is on the branch. It can still be accepted, so that sessions are told of
it: what was committed by itself was not."""


def status_after(status: ArtifactStatus, verb: Verb) -> ArtifactStatus | No:
    """Gives the status a verb leads to, the same again where nothing changes, or why it does not apply."""
    return STATUS_AFTER[status][verb]
