"""Conversations with questions and their answering turns, stored as memories: one group per session."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.memory.files import document

_TURN = re.compile(r"D(\d+):0*(\d+)")


class Turn(NamedTuple):
    """A message of one speaker."""

    id: str
    session: int
    author: str
    at: datetime
    text: str


class Question(NamedTuple):
    """A question and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[str]


class LabelledConversation(NamedTuple):
    """A conversation over several sessions, with its questions."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


def read_conversations(path: Path) -> list[LabelledConversation]:
    """Read a file in the format of LoCoMo: a list of conversations with `session_N` turns and `qa`."""
    return [_conversation(row, number) for number, row in enumerate(json.loads(path.read_text("utf-8")), 1)]


def write_memories(conversation: LabelledConversation, folder: Path) -> None:
    """Write a conversation below a memory folder: one digest per session, one entry per turn."""
    for session in sorted({turn.session for turn in conversation.turns}):
        turns = [turn for turn in conversation.turns if turn.session == session]
        day = f"{turns[0].at:%Y-%m-%d}"
        content = document.new_group({"session": f"session-{session}", "created_at": _moment(turns[0].at)}, "Session")
        for turn in turns:
            facts = {"id": turn.id.replace(":", "."), "type": "episodic", "author": turn.author, "at": _moment(turn.at)}
            content = document.append_entry(content, facts, title_of(turn.text), turn.text)
        path = folder / "shared" / "daily" / day / f"session-{session:03d}-digest.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def title_of(text: str) -> str:
    """Return the beginning of a text, up to a word boundary."""
    line = text.split("\n", 1)[0]
    return line if len(line) <= 60 else line[:60].rsplit(" ", 1)[0]


def turn_of(memory_id: str) -> str:
    """Return the turn of a memory's id."""
    return memory_id.replace(".", ":")


def _conversation(row: dict[str, Any], number: int) -> LabelledConversation:
    turns = tuple(_turns(row["conversation"]))
    known = {turn.id for turn in turns}
    questions = [Question(qa["question"], frozenset(_cited(qa.get("evidence") or ())) & known) for qa in row["qa"]]
    return LabelledConversation(str(row.get("sample_id", number)), turns, [row for row in questions if row.evidence])


def _turns(conversation: dict[str, Any]) -> Iterator[Turn]:
    for number in range(1, len(conversation)):
        rows = conversation.get(f"session_{number}")
        if not isinstance(rows, list):
            continue
        at = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in rows:
            caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Turn(turn["dia_id"], number, turn["speaker"], at, f"{turn['text'].strip()}{caption}")


def _cited(evidence: Sequence[str]) -> Iterator[str]:
    for cited in evidence:
        for session, turn in _TURN.findall(cited.replace("D:", "D")):
            yield f"D{session}:{turn}"


def _moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
