"""Turns of whole recorded conversations that change direction or decide: references only, see `changes_guide.md`.

`changes_read.tsv` lists the conversations that were read whole; `changes.tsv` has a row per change and decision in
them. The texts are read from a folder of clones, as for `labels.tsv`.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.labelled import agent_transcripts
from tests.labelled.corpus import MissingClones, hash_of
from tests.labelled.messages import read_conversation, spoken
from tests.labelled.other_recordings import TRANSCRIPT
from tests.labelled.turns import Hunk, Step, Turn

CHANGES = Path(__file__).parent / "changes.tsv"
READ = Path(__file__).parent / "changes_read.tsv"
CHANGE_COLUMNS = (
    "half", "repository", "commit", "path", "number", "sha256", "kind", "speaker", "sentence", "evidence",
    "removed_from", "unclear", "second",
)  # fmt: skip
READ_COLUMNS = ("half", "repository", "commit", "path", "turns", "readings", "sha256")
EVIDENCE = frozenset({"code", "words", "none", ""})
SECOND = frozenset({"", "yes", "no", "unclear", "only"})
MIN_LINE = 10
"""Shorter lines (braces, `else:`) say nothing about who wrote them."""

_FENCE = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<language>[^\n`]*)\n(?P<body>.*?)^[ \t]*(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")
_MARKS = re.compile(r"\*\*|^[#>\s]+")
_EDITED = re.compile(r"Edit file: (?P<path>[^<\n]+)")
_PATH = re.compile(
    r"[\w./\\-]*\w\.(?:c|cpp|cs|csproj|css|go|h|html|java|jl|js|json|jsx|kt|md|php|py|qmd|R|rb|rs|scss|sh|sql|svelte|"
    r"swift|toml|ts|tsx|txt|vue|xml|ya?ml)\b"
)
_ELEMENTS = re.compile(r"^[ \t]*<(tool-use|details|think)\b.*?</\1>", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"Run command: (?P<command>[^<\n]+)</summary>")


class Labelled(NamedTuple):
    """A row of `changes.tsv`."""

    half: str
    repository: str
    commit: str
    path: str
    number: int
    sha256: str
    kind: str
    speaker: str
    sentence: str
    evidence: str
    removed_from: tuple[int, ...]
    is_unclear: bool
    second: str


class ReadConversation(NamedTuple):
    """A row of `changes_read.tsv`: a conversation that was read whole."""

    half: str
    repository: str
    commit: str
    path: str
    turns: int
    readings: int
    sha256: str


@dataclass
class RecordedFiles:
    """The lines of files as far as the recorded edits show them."""

    files: dict[str, list[str]] = field(default_factory=dict)

    def place(self, hunk: Hunk) -> str:
        """Return the file that has most of the lines an edit starts from, or the one named before the edit."""
        expected = [line[1:] for line in hunk.lines if line[:1] in (" ", "-") and len(line.strip()) >= MIN_LINE]
        counts = {path: sum(line in lines for line in expected) for path, lines in self.files.items()}
        best = max(counts, key=lambda path: (counts[path], path == hunk.path), default=None)
        return best if best is not None and 2 * counts[best] > len(expected) > 0 else hunk.path

    def apply(self, hunk: Hunk) -> list[str]:
        """Apply an edit; return the lines it removes that the file did not have, which are then seen as older."""
        lines = self.files.setdefault(self.place(hunk), [])
        older = [line[1:] for line in hunk.lines if line.startswith("-") and line[1:] not in lines]
        at = len(lines)
        for line in hunk.lines:
            mark, text = line[:1], line[1:]
            if mark == "+":
                lines.insert(at, text)
                at += 1
            elif text in lines:
                found = lines.index(text, at) if text in lines[at:] else lines.index(text)
                at = found + (mark != "-")
                if mark == "-":
                    del lines[found]
        return older


def read_changes(path: Path = CHANGES) -> list[Labelled]:
    """Return all rows of the table of labels."""
    return [
        Labelled(
            half, repository, commit, file, int(number), sha256, kind, speaker, sentence, evidence,
            tuple(int(turn) for turn in removed.split()), unclear == "yes", second,
        )
        for half, repository, commit, file, number, sha256, kind, speaker, sentence, evidence, removed, unclear, second
        in _rows(path, CHANGE_COLUMNS)
    ]  # fmt: skip


def read_conversations(path: Path = READ) -> list[ReadConversation]:
    """Return the conversations that were read whole."""
    return [
        ReadConversation(half, repository, commit, file, int(turns), int(readings), sha256)
        for half, repository, commit, file, turns, readings, sha256 in _rows(path, READ_COLUMNS)
    ]


def _rows(path: Path, columns: Sequence[str]) -> Iterator[list[str]]:
    header, *rows = path.read_text("utf-8").splitlines()
    if tuple(header.split("\t")) != tuple(columns):
        raise ValueError(f"{path.name} needs the columns {', '.join(columns)}")
    return (row.split("\t") for row in rows)


def turns_of(clones: Path, conversation: ReadConversation) -> list[Turn]:
    """Return a conversation's turns; raise MissingClones when its file is missing or is not the labelled one."""
    path = clones / conversation.repository.replace("/", "+") / conversation.path
    if not path.is_file():
        raise MissingClones(f"There is no file {path}; clone its repository at commit {conversation.commit}.")
    turns = parse_turns(path)
    if digest_of(turns) != conversation.sha256:
        raise MissingClones(f"{path} is not the labelled conversation; check out commit {conversation.commit}.")
    return turns


def parse_turns(path: Path) -> list[Turn]:
    """Return the turns of a SpecStory file, or of an agent's transcript."""
    if path.name.endswith(TRANSCRIPT):
        return agent_transcripts.parse_transcript(path)
    turns: list[Turn] = []
    for message in read_conversation(path):
        if message.role == "user":
            turns.append(Turn(message.number, message.text, "", ()))
        elif message.role == "assistant" and turns:
            last = turns[-1]
            answer = "\n\n".join(part for part in (last.answer, spoken(message.text)) if part)
            turns[-1] = last._replace(answer=answer, steps=last.steps + tuple(_steps(message.text)))
    return turns


def digest_of(turns: Sequence[Turn]) -> str:
    """Return the hash of a conversation's user messages."""
    return hash_of("\n".join(turn.prompt for turn in turns))


def _steps(text: str) -> Iterator[Step]:
    """Yield what a message says and does, in order: edits are fences in the language `diff`; output is left out."""
    acts: list[tuple[int, Hunk | str]] = [
        (command.start(), html.unescape(command["command"])) for command in _COMMAND.finditer(text)
    ]
    for fence in _FENCE.finditer(text):
        if fence["language"].strip() == "diff":
            before = text[max(0, fence.start() - 600) : fence.start()]
            named = _EDITED.findall(before) or _PATH.findall(before[-300:]) or ["recorded.code"]
            acts.append((fence.start(), Hunk(_inside(named[-1]), tuple(_unpadded(fence["body"].split("\n"))))))
    bare = _FENCE.sub(lambda fence: "\n" * len(fence[0]), text)
    elements = [(match.start(), match.end()) for match in _ELEMENTS.finditer(bare)]
    begin = 0
    for at, act in sorted(acts, key=lambda act: act[0]):
        end = next((end for start, end in elements if start <= at < end), at)
        words = spoken(bare[begin : max(begin, end)])
        yield Step(words, act) if isinstance(act, Hunk) else Step(words, command=act)
        begin = max(begin, end)
    if words := spoken(bare[begin:]):
        yield Step(words)


def _unpadded(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a diff without the column that the recorder puts after the mark."""
    marked = [line for line in lines if line[:1] in ("+", "-")]
    padded = all(line[1:2] in ("", " ") for line in marked)
    for line in lines:
        if line[:1] in ("+", "-"):
            yield line[:1] + (line[2:] if padded else line[1:])
        elif line.strip():
            yield " " + line.removeprefix(" ").removeprefix(" ")


def _inside(path: str) -> str:
    """Return a recorded path as one below the worktree and outside `.git`."""
    parts = path.strip().replace("\\", "/").split(":/")[-1].split("/")
    return "/".join(part.replace(".git", "_git") for part in parts if part not in ("", ".", "..")) or "recorded.code"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text without code, emphasis and heading marks, white space collapsed."""
    lines = (_MARKS.sub("", line) for line in _FENCE.sub("", text).split("\n"))
    parts = (part for line in lines for part in _SENTENCE_END.split(line))
    return [" ".join(part.split()) for part in parts if part.strip()]


def sentence_hash(sentence: str) -> str:
    """Return the hash of a sentence."""
    return hashlib.sha256(sentence.encode("utf-8")).hexdigest()
