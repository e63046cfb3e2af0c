"""Material that a session leaves for memory: messages, errors, notes. Pure."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sidecar.language.conclusions import StatementKind

Author = Literal["user", "assistant"]


class Utterance(NamedTuple):
    """A message of a session, verbatim."""

    author: Author
    text: str
    at_ms: int
    is_typed: bool = False
    """Whether the user typed it in a conversation at the top level."""
    before: str = ""
    """The end of the agent's text, the question, or the refused proposal that it answers."""
    touched: tuple[str, ...] = ()
    """The files that were written last before it."""
    question: str = ""
    """The agent's question that it answers; empty if none was asked."""


class ErrorEvent(NamedTuple):
    """An error, and what resolved it."""

    text: str
    resolution: str
    """Empty while unresolved."""
    at_ms: int
    subject: str = ""
    """The thing that failed, such as a test's name; empty if the error is clear by itself."""
    changed: tuple[str, ...] = ()
    """The files that were changed to resolve it."""


class Note(NamedTuple):
    """A statement worth storing, with its kind."""

    type: StatementKind
    title: str
    text: str
    author: str
    at_ms: int
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    retention: Literal["daily", "durable"] = "daily"
    """`durable` if the user confirmed it; it then has a file of its own."""
    is_standing_instruction: bool = False
    """Whether a message that the user typed in a top-level conversation states it as lasting."""


NearMissReason = Literal["belowThreshold", "withoutReason"]
"""belowThreshold: the user's sentence scored too low; withoutReason: a choice of the agent without reason."""


class NearMiss(NamedTuple):
    """A sentence that nearly became a memory, masked."""

    reason: NearMissReason
    text: str
    score: float
    at_ms: int


class SessionSummary(NamedTuple):
    """Material of one session, or of part of it."""

    session: str
    source: str
    """A run or a compaction. The same source counts once, however often it is captured."""
    utterances: tuple[Utterance, ...] = ()
    errors: tuple[ErrorEvent, ...] = ()
    notes: tuple[Note, ...] = ()
    cited: tuple[str, ...] = ()
    """Ids of memories that an answer cites."""
    delivered: tuple[str, ...] = ()
    """Ids of memories delivered to the session: its agent's statements of them are not new evidence."""
    near_misses: tuple[NearMiss, ...] = ()
    arm: str = ""
    """Mark of the experiment's arm that the chat belongs to; empty outside of an experiment."""

    @property
    def is_empty(self) -> bool:
        """Whether it contains nothing."""
        return not (self.utterances or self.errors or self.notes or self.cited or self.near_misses)


def session_source(session: str, part: str) -> str:
    """Name a source that covers a whole session, as each of its compactions does."""
    return f"{session}:{part}"


def to_json(summary: SessionSummary) -> dict[str, Any]:
    """Return a summary as a JSON value, for storage until it is captured."""
    return {
        "session": summary.session,
        "source": summary.source,
        "utterances": [item._asdict() for item in summary.utterances],
        "errors": [item._asdict() for item in summary.errors],
        "notes": [item._asdict() for item in summary.notes],
        "cited": list(summary.cited),
        "delivered": list(summary.delivered),
        "near_misses": [item._asdict() for item in summary.near_misses],
        "arm": summary.arm,
    }


def from_json(value: Mapping[str, Any]) -> SessionSummary:
    """Return the summary that was serialized by `to_json`."""
    return SessionSummary(
        value["session"],
        value["source"],
        tuple(Utterance(**{**item, "touched": tuple(item.get("touched", ()))}) for item in value["utterances"]),
        tuple(ErrorEvent(**{**item, "changed": tuple(item.get("changed", ()))}) for item in value["errors"]),
        tuple(Note(**{**item, "tags": tuple(item["tags"])}) for item in value["notes"]),
        tuple(value["cited"]),
        tuple(value.get("delivered", ())),  # absent in material of an older version, like the next
        tuple(NearMiss(**item) for item in value.get("near_misses", ())),
        value.get("arm", ""),
    )
