"""An artifact that the user accepts is remembered: what was decided, what was given up. Its memory follows it."""

from __future__ import annotations

import apsw

from sidecar.core.prose import cut
from sidecar.core.regex import regex
from sidecar.memory import Digest, Kind, Note, leave, source_of, tag_of
from sidecar.runs import Artifact
from sidecar.runs.model import ArtifactType

KINDS: dict[ArtifactType, tuple[Kind, float]] = {
    "adr": ("decision", 0.9),
    "rejectedApproach": ("lesson", 0.9),
    "devlog": ("episodic", 0.8),
}
"""What a memory of an artifact is, and how sure the user's word makes it."""

MAX_TEXT = 1_500

_HEADING = regex(r"\A\s*#[^\n]*\n+")


def leave_accepted(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Keeps what an accepted artifact says until it is captured; the same artifact counts once."""
    kind, sure = KINDS[artifact.type]
    text = cut(_HEADING.sub("", artifact.body).strip(), MAX_TEXT) or artifact.title
    note = Note(kind, artifact.title, text, "user", now_ms, sure, (tag_of(artifact.id),), "durable")
    leave(tx, artifact.project, _digest(artifact, (note,)), now_ms)


def leave_taken_back(tx: apsw.Connection, artifact: Artifact, now_ms: int) -> None:
    """Keeps that an artifact that had been accepted was discarded, until its memory has followed."""
    leave(tx, artifact.project, _digest(artifact, ()), now_ms)


def _digest(artifact: Artifact, notes: tuple[Note, ...]) -> Digest:
    session = str(artifact.provenance.get("sessionId") or artifact.id)
    return Digest(session, source_of(artifact.id), notes=notes)
