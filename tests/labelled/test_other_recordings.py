"""Recordings of aider and Entire are read as the messages of their user."""

import json
from pathlib import Path

from tests.labelled.other_recordings import read_recording

AIDER = """
# aider chat started at 2025-02-01 10:00:00

> Model: some model

#### paint the door

I painted the door.

> Applied edit to door.txt

#### never use red
#### on any door

Understood.
"""


def test_lines_of_a_user_of_aider_that_follow_each_other_are_one_message(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(AIDER, "utf-8")
    messages = read_recording(path)
    assert [message.text for message in messages if message.role == "user"] == [
        "paint the door",
        "never use red\non any door",
    ]
    assert messages[2].text == "I painted the door."


def test_a_transcript_has_no_messages_of_sub_agents_and_tools(tmp_path: Path) -> None:
    entries = [
        {"type": "user", "message": {"content": "paint the door"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "ok"}]}},
        {"type": "user", "isSidechain": True, "message": {"content": "look for doors"}},
        {"type": "user", "isMeta": True, "message": {"content": "a reminder"}},
        {"type": "user", "message": {"content": [{"type": "text", "text": "never use red"}]}},
    ]
    path = tmp_path / "full.jsonl"
    path.write_text("not a line of JSON\n" + "\n".join(map(json.dumps, entries)), "utf-8")
    messages = read_recording(path)
    assert [(message.role, message.number, message.text) for message in messages] == [
        ("user", 1, "paint the door"),
        ("assistant", 1, "Done."),
        ("user", 2, "never use red"),
    ]
