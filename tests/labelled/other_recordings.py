"""Read conversations that other recorders wrote than SpecStory, as lists of messages.

* aider (`.aider.chat.history.md`): each line of a user begins with `#### `, one after another for one message; lines
  that begin with `>` are the tool's own words, others the assistant's; `# aider chat started at …` begins a session.
* Entire (`…/full.jsonl` in the branch `entire/checkpoints/v1`): a transcript of Claude Code. The messages of a user are
  entries of the type "user" with a text that are no sub-agent's, no summary and nothing that the agent added.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.labelled.messages import Message

AIDER = ".aider.chat.history.md"
TRANSCRIPT = ".jsonl"


def read_recording(path: Path) -> list[Message]:
    """Read the messages of a file of aider or Entire in order; users' messages are numbered from 1."""
    text = path.read_text("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    parts = _aider(text) if path.name.endswith(AIDER) else _transcript(text)
    numbers = {"user": 0, "assistant": 0}
    messages: list[Message] = []
    for role, part in parts:
        numbers[role] += 1
        messages.append(Message(role, numbers[role], part, None))
    return messages


def _aider(text: str) -> Iterator[tuple[str, str]]:
    """Yield the role and the text of each message; lines of the assistant up to the next user are one message."""
    own: list[str] = []
    answer: list[str] = []
    for line in (*text.split("\n"), ""):
        if line == "####" or line.startswith("#### "):
            own.append(line[5:].rstrip())
            continue
        if own:
            yield "assistant", "\n".join(answer).strip()
            yield "user", "\n".join(own).strip()
            own, answer = [], []
            if not line.strip():
                continue
        if line.startswith("# aider chat started"):
            answer = []
        elif not line.startswith(">"):
            answer.append(line)


def _transcript(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        entry = _entry(line)
        role = entry.get("type")
        if role not in ("user", "assistant") or entry.get("isSidechain"):
            continue
        if role == "user" and (entry.get("isMeta") or entry.get("isCompactSummary")):
            continue
        if words := _words((entry.get("message") or {}).get("content")).strip():
            yield role, words


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _words(content: object) -> str:
    """Return the text of a message's content: a string, or blocks of which some are text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block.get("text", "") for block in blocks if isinstance(block, dict) and block["type"] == "text")
