"""Labelled user messages: their labels are committed, their texts are read from a folder of clones.

A clone is at `CLONES/<owner>+<name>/`. `labels.tsv` has no texts; `sha256` proves that a text is the labelled one.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.labelled.messages import Message, read_conversation, text_before
from tests.labelled.other_recordings import AIDER, TRANSCRIPT, read_recording

LABELS = Path(__file__).parent / "labels.tsv"
COLUMNS = ("half", "repository", "commit", "path", "number", "sha256", "label", "unclear", "spans")
LASTING = frozenset({"standing", "durable"})
ALL_LABELS = LASTING | {"pasted", "task", "none"}


class MissingClones(Exception):
    """The folder of clones, or what the labels need of it, is not there."""


class Span(NamedTuple):
    """A part of a message's text, and its label."""

    start: int
    end: int
    kind: str


class Label(NamedTuple):
    """A row of `labels.tsv`."""

    half: str
    repository: str
    commit: str
    path: str
    number: int
    sha256: str
    label: str
    is_unclear: bool
    spans: tuple[Span, ...]


class LabelledMessage(NamedTuple):
    """A label with the text of its message, and the assistant's text before."""

    label: Label
    text: str
    before: str

    @property
    def is_lasting(self) -> bool:
        """Whether the message states something that outlasts its task."""
        return self.label.label in LASTING


def read_labels(path: Path = LABELS) -> list[Label]:
    """Return all rows of the table."""
    header, *rows = path.read_text("utf-8").splitlines()
    if tuple(header.split("\t")) != COLUMNS:
        raise ValueError(f"{path.name} needs the columns {', '.join(COLUMNS)}")
    return [_label(row.split("\t")) for row in rows]


def _label(cells: list[str]) -> Label:
    half, repository, commit, path, number, sha256, label, unclear, spans = cells
    parts = (span.split("-") for span in spans.split() if span)
    return Label(
        half, repository, commit, path, int(number), sha256, label, unclear == "yes",
        tuple(Span(int(start), int(end), kind) for start, end, kind in parts),
    )  # fmt: skip


def labelled_messages(clones: Path, half: str, labels: Path = LABELS) -> Iterator[LabelledMessage]:
    """Yield the messages of a half; raise MissingClones when a text is missing or is not the labelled one."""
    if not clones.is_dir():
        raise MissingClones(f"There is no folder {clones}; clone the repositories of labels.tsv into it.")
    for label in read_labels(labels):
        if label.half != half:
            continue
        users = _conversation(clones / label.repository.replace("/", "+") / label.path)
        text, before = users[label.number - 1] if label.number <= len(users) else ("", "")
        if hash_of(text) != label.sha256:
            raise MissingClones(
                f"{label.repository}/{label.path} has no such message {label.number}; check out commit {label.commit}."
            )
        yield LabelledMessage(label, text, before)


@cache
def _conversation(path: Path) -> list[tuple[str, str]]:
    """Return the user's messages of a file, each with the assistant's text before it."""
    if not path.is_file():
        raise MissingClones(f"There is no file {path}; clone its repository at the commit of labels.tsv.")
    is_other = path.name.endswith((AIDER, TRANSCRIPT))
    messages: list[Message] = read_recording(path) if is_other else read_conversation(path)
    return [
        (message.text, text_before(messages, index)) for index, message in enumerate(messages) if message.role == "user"
    ]


def hash_of(text: str) -> str:
    """Return the hash of a message's text."""
    return hashlib.sha256(text.strip().encode("utf-8")).hexdigest()
