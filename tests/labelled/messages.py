"""Read conversations recorded by SpecStory (`.specstory/history/*.md`) as lists of messages.

What the files look like (SpecStory 2024-10 to 2026-07):

* A message begins with a header on a line of its own: `_**User**_`, `_**User (2025-10-16 13:30:09Z)**_`,
  `_**Human**_`, `_**Assistant**_`, `_**Assistant (model …)**_`, `_**Agent**_`, `_**Agent (model 2026-05-15 21:48Z)**_`,
  `_**Agent - sidechain (…)**_` (a sub-agent), `_****_` (an unnamed part of the assistant's answer, early 2025).
* Up to Markdown v2.0 `---` stands between any two messages. From v2.1 on it stands only where the speaker changes:
  consecutive messages of one speaker follow each other after a blank line.
* Before the messages: `<!-- … -->` comments, `# title (date)`, in 2024 `## SpecStory` and `## title (date)`.
* A message may contain `---`, headings, code fences and, in tool output, whole SpecStory files. Hence a header counts
  only after `---`, at the top, after a blank line if the speaker stays the same, or (a user who interrupts) after a
  blank line and the end of a tool call; and never inside a `<tool-use>` or `<details>` element.
* A user's message without text (a picture alone, or lost by the recorder) is a message with an empty text.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_HEADER = re.compile(
    r"_\*\*(?:(?P<name>User|Human|You|Assistant|Agent)(?P<side> - sidechain)?(?: \((?P<facts>.*)\))?)?\*\*_\s*"
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T_]\d\d[:-]\d\d(?:[:-]\d\d)?(?:\.\d+)?(?:Z| ?[+-]\d\d:?\d\d)?")
_TITLE = re.compile(r"#{1,2} (?:SpecStory|.*\(\d[^()]*\)|\d{4}-\d\d-\d\d[ T].*)\s*")
_RULE = re.compile(r"(?:[-*_]\s*){3,}")
_ELEMENT = re.compile(
    r"^[ \t]*<(?:tool-use|details|think)\b[^>]*>|(?<=>)<details\b[^>]*>|</(?:tool-use|details|think)>", re.MULTILINE
)
_TOOL_LINE = re.compile(r"^Tool use: .*$\n?", re.MULTILINE)
_USERS = frozenset({"User", "Human", "You"})


class Message(NamedTuple):
    """A message of a recorded conversation; `number` counts the messages of its role, from 1."""

    role: str  # "user", "assistant" or "sidechain" (a sub-agent's prompt or answer)
    number: int
    text: str
    time: str | None


def read_conversation(path: Path) -> list[Message]:
    """Read the messages of one SpecStory file in order."""
    return parse_conversation(path.read_text("utf-8", errors="replace"))


def parse_conversation(content: str) -> list[Message]:
    """Split the text of a SpecStory file into its messages; empty messages are included, so that numbers hold."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = list(_headers(lines))
    messages: list[Message] = []
    numbers = {"user": 0, "assistant": 0, "sidechain": 0}
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    for (begin, header), end in zip(starts, ends, strict=False):
        role = _role(header)
        numbers[role] += 1
        messages.append(Message(role, numbers[role], _body(lines[begin + 1 : end]), _time(header)))
    return messages


def text_before(messages: Sequence[Message], index: int) -> str:
    """Return the assistant's text since the previous user message, without tool calls, thoughts and dividing lines."""
    parts: list[str] = []
    for message in reversed(messages[:index]):
        if message.role == "user":
            break
        if message.role == "assistant":
            parts.append(spoken(message.text))
    text = "\n\n".join(part for part in reversed(parts) if part)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"(?m)^\s*---\s*$\n?", "", text)).strip()


def spoken(text: str) -> str:
    """Return an assistant's text without what records tool calls and thoughts; an unclosed element stays."""
    own: list[str] = []
    depth = position = 0
    for tag in _ELEMENT.finditer(text):
        closes = tag[0].startswith("</")
        if depth == 0 and not closes:
            own.append(text[position : tag.start()])
            position = tag.start()
        depth = max(0, depth - 1) if closes else depth + 1
        if depth == 0 and closes:
            position = tag.end()
    own.append(text[position:])
    return re.sub(r"\n{3,}", "\n\n", _TOOL_LINE.sub("", "".join(own))).strip()


def _headers(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the lines that begin a message: see the module's text for what counts."""
    enclosed = _enclosed(lines)
    last: str | None = None
    before = ""  # the last line that is not blank
    for index, line in enumerate(lines):
        header = _HEADER.fullmatch(line) if line.startswith("_**") else None
        if header and index not in enclosed:
            role = _role(header)
            blank = index == 0 or not lines[index - 1].strip()
            separated = last is None or _RULE.fullmatch(before) or _TITLE.fullmatch(before)
            continued = blank and (
                role == last or "user" not in (role, last)
            )  # also the agent's and a sub-agent's turn
            interrupted = blank and role == "user" and before.endswith(("</tool-use>", "</details>", "</think>"))
            if separated or continued or interrupted:
                yield index, header
                last = role
        if line.strip():
            before = line.strip()


def _enclosed(lines: Sequence[str]) -> set[int]:
    """Return the lines inside `<tool-use>` and `<details>` elements that are closed; unclosed ones enclose nothing."""
    inside: set[int] = set()
    for name in ("tool-use", "details"):
        opened: int | None = None
        for index, line in enumerate(lines):
            if f"<{name}" in line and line.startswith(("<tool-use", "<details", "<think")):
                opened = index
            if opened is not None and f"</{name}>" in line:
                inside.update(range(opened + 1, index))
                opened = None
    return inside


def _role(header: re.Match[str]) -> str:
    if header["side"]:
        return "sidechain"
    return "user" if header["name"] in _USERS else "assistant"


def _time(header: re.Match[str]) -> str | None:
    found = _TIME.search(header["facts"] or "")
    return found[0] if found else None


def _body(lines: Sequence[str]) -> str:
    """Return a message's text without what separates it from the next message, or from the next conversation."""
    own = [line for line in lines if not line.startswith("<!-- Generated by SpecStory")]
    _drop_blank(own)
    if len(own) > 1 and _TITLE.fullmatch(own[-1]):
        title = own.pop()
        _drop_blank(own)
        if not own or own[-1].strip() != "---":
            own.append(title)  # the message's own last line
    if own and own[-1].strip() == "---":
        own.pop()
    return "\n".join(own).strip()


def _drop_blank(lines: list[str]) -> None:
    while lines and not lines[-1].strip():
        lines.pop()
