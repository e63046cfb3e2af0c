"""What a session leaves for remembering: who said what, which errors came and went, what is to be kept. Pure."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sidecar.language.sentence_patterns import Kind

Author = Literal["user", "assistant"]


class Said(NamedTuple):
    """Words of a session, as they were said."""

    author: Author
    text: str
    at_ms: int


class Trouble(NamedTuple):
    """An error that was met, and what ended it."""

    text: str
    resolution: str
    """Empty while nothing has."""
    at_ms: int
    subject: str = ""
    """What failed, such as a test's name; without one the error speaks for itself."""


class Note(NamedTuple):
    """What somebody found worth keeping, with its kind."""

    type: Kind
    title: str
    text: str
    author: str
    at_ms: int
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    keeping: Literal["daily", "durable"] = "daily"
    """What the user gave his word on is kept for good, in a file of its own."""


class Digest(NamedTuple):
    """What one session, or a part of it, leaves."""

    session: str
    source: str
    """What it comes from: a run, a compaction. The same source counts once, however often it is captured."""
    said: tuple[Said, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    notes: tuple[Note, ...] = ()
    cited: tuple[str, ...] = ()
    """Ids of memories that an answer names."""
    told: tuple[str, ...] = ()
    """Ids of memories that the session was told of: what its agent says of them is no new evidence."""

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing at all."""
        return not (self.said or self.troubles or self.notes or self.cited)


def source_within(session: str, part: str) -> str:
    """Names a source that tells of a session as a whole, as each of its compactions does."""
    return f"{session}:{part}"


def as_json(digest: Digest) -> dict[str, Any]:
    """Gives a digest as a JSON value, to be kept until it is captured."""
    return {
        "session": digest.session,
        "source": digest.source,
        "said": [one._asdict() for one in digest.said],
        "troubles": [one._asdict() for one in digest.troubles],
        "notes": [one._asdict() for one in digest.notes],
        "cited": list(digest.cited),
        "told": list(digest.told),
    }


def from_json(value: Mapping[str, Any]) -> Digest:
    """Gives the digest that `as_json` made a value of."""
    return Digest(
        value["session"],
        value["source"],
        tuple(Said(**one) for one in value["said"]),
        tuple(Trouble(**one) for one in value["troubles"]),
        tuple(Note(**{**one, "tags": tuple(one["tags"])}) for one in value["notes"]),
        tuple(value["cited"]),
        tuple(value.get("told", ())),  # what waited for a program before this one has none
    )
