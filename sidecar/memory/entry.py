"""A memory: one entry in its own file or in a group file, and the hash by which repetitions are recognized. Pure."""

import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from sidecar.core.digests import digest_bytes
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.terms import query_terms

Retention = Literal["durable", "daily", "session"]
"""durable: until removed; daily: archived after thirty days; session: until the next session starts."""

Sector = Literal["episodic", "semantic", "procedural", "reflective"]
Tier = Literal["hot", "warm", "cold"]
MemoryType = Literal[
    "episodic", "semantic", "procedural", "reflective",
    "decision", "error_pattern", "resolution", "user_correction", "preference", "validated_pattern", "gotcha", "lesson",
]  # fmt: skip
"""The four sectors, and kinds that belong to one of them."""

SECTORS: tuple[Sector, ...] = ("episodic", "semantic", "procedural", "reflective")
SECTOR_OF_TYPE: dict[str, Sector] = {
    "episodic": "episodic",
    "semantic": "semantic",
    "procedural": "procedural",
    "reflective": "reflective",
    "decision": "episodic",
    "error_pattern": "episodic",
    "resolution": "procedural",
    "user_correction": "reflective",
    "preference": "reflective",
    "validated_pattern": "procedural",
    "gotcha": "reflective",
    "lesson": "reflective",
}
"""Default sector by type (what happened, what we know, how to do it, what we learned)."""

ARTIFACT_TAG = "artifact-"
"""Prefix of the tag of an accepted artifact's memory, before the artifact's id."""

DROPPED = "Dropped: "
"""Beginning of the title of an approach that was given up."""

DEFAULT_CONFIDENCE = 0.7
"""Confidence of a memory whose front matter has none."""


class Memory(NamedTuple):
    """One entry as its file states it; the unit of search.

    Its folder determines owner and retention, whatever the front matter says.
    """

    id: str
    title: str
    text: str
    """The Markdown text as captured, without the title's heading."""
    path: str
    """Relative to the memories folder, with slashes."""
    owner: str
    """`shared`, or the agent whose private memory it is."""
    retention: Retention
    is_archived: bool
    type: str
    sector: Sector
    agent: str
    """The agent that wrote it; empty if unknown."""
    author: str
    """Author of the words: user, assistant, …; empty if unknown."""
    tags: tuple[str, ...]
    confidence: float
    """0.0 to 1.0."""
    evidence: int
    """Number of observations."""
    access_count: int
    last_accessed_ms: int | None
    created_ms: int
    at_ms: int
    """Time of the event or statement; `created_ms` if unknown."""
    tier: Tier
    session: str
    """The provider session it comes from; empty if unknown."""
    supersedes: tuple[str, ...]
    contradicts: tuple[str, ...]
    """Ids of other memories, like `supersedes`."""
    group_key: str
    """Equal for the entries of one file."""
    position: int
    """Position in the group, from 0."""
    version: str
    """Hash of location and content; every change alters it except usage counts."""


class ParsedMemoryFile(NamedTuple):
    """A parsed memory file."""

    memories: tuple[Memory, ...]
    is_group: bool
    warning: str
    """A sentence about unreadable parts; empty if everything could be read."""


_VARIABLE_PART = lazy_regex(r"(?<![!-.:-\[\]-~])[!-.:-\[\]-~]*+[0-9/\\][!-~]*")
"""Addresses, paths, ids and numbers, with adjacent ASCII signs; scripts without spaces stay."""

_PUNCTUATION = lazy_regex(r"[\W_]+")
_BETWEEN_WORDS = lazy_regex(r"[^\w./\\:@+#%&=<>~$€£°^-]+")
_VALUE_WORD = lazy_regex(r"[\d/\\]|[^\W\d_][+#]+$")
"""A word that is kept with its signs: a number, version or path, or a name such as C++."""

_DIGIT = b"0"
_FOLDED = bytes(
    byte + 32 if 65 <= byte <= 90 else ord(_DIGIT) if chr(byte) in "0123456789/\\" else max(byte, 32)
    for byte in range(127)
).ljust(256)
_LETTERS_ONLY = bytes(byte if chr(byte).isalpha() else 32 for byte in range(127)).ljust(256)
"""The patterns as byte tables for ASCII text: lowercase, variable parts, word separators."""


def normalized(text: str) -> str:
    """Return a text without case and punctuation. Numbers, versions, paths and names stay."""
    if text.isascii() and "+" not in text and "#" not in text:
        folded = text.encode().translate(_FOLDED)
        if _DIGIT not in folded:
            return b" ".join(folded.translate(_LETTERS_ONLY).split()).decode()
    words = _BETWEEN_WORDS.split(unicodedata.normalize("NFKC", text).casefold())
    return " ".join(filter(None, [word if word.isalpha() else _plain_word(word) for word in words]))


@lru_cache(maxsize=4_096)
def _plain_word(word: str) -> str:
    """Return a word without adjacent punctuation; one that is not a value is split at its signs."""
    stripped = word.rstrip(".:_-=<>~&^").lstrip(":_")
    return stripped if _VALUE_WORD.search(stripped) else _PUNCTUATION.sub(" ", stripped).strip()


def without_values(text: str) -> str:
    """Return a text without case, punctuation, numbers, paths and ids."""
    if text.isascii():
        folded = text.encode().translate(_FOLDED)
        if _DIGIT in folded:
            folded = b" ".join([word for word in folded.split() if _DIGIT not in word])
        return b" ".join(folded.translate(_LETTERS_ONLY).split()).decode()
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(filter(None, [word if word.isalpha() else _strip_variable_parts(word) for word in words]))


@lru_cache(maxsize=4_096)
def _strip_variable_parts(word: str) -> str:
    return _PUNCTUATION.sub(" ", _VARIABLE_PART.sub(" ", word)).strip()


ERROR_TYPES = frozenset(("error_pattern", "gotcha", "resolution"))
"""Types about an error: two occurrences with other numbers and paths are the same content."""


def content_hash(title: str, text: str, kind: str) -> str:
    """Return the identity of a memory's content: equal for texts that differ in case and punctuation only.

    Values are part of the content, except in memories about errors. Title and text count as one.
    """
    combined = f"{title}\n{text}"
    return _hash(without_values(combined) if kind in ERROR_TYPES else normalized(combined), combined)


def hash_without_values(title: str, text: str) -> str:
    """Return a hash that is equal for texts that differ only in values, as earlier versions stored it."""
    combined = f"{title}\n{text}"
    return _hash(without_values(combined), combined)


SAME_DECISION, MIN_DECISION_TERMS = 0.6, 3
"""Part of the shorter statement's words, and their number, from which two accounts of one decision are the same."""


def is_same_decision(text: str, other: str) -> bool:
    """Whether two statements of one conversation, the user's and the agent's, are about the same choice."""
    terms, other_terms = frozenset(query_terms(text)), frozenset(query_terms(other))
    shorter = min(len(terms), len(other_terms))
    return shorter >= MIN_DECISION_TERMS and len(terms & other_terms) >= SAME_DECISION * shorter


def _hash(words: str, combined: str) -> str:
    """Return the hash of normalized words. A text without any is hashed as it is."""
    return digest_bytes((words or combined).encode("utf-8", "replace"))[:24]
