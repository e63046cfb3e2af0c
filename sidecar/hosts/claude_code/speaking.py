"""What a hook prints: JSON that Claude Code reads, within the characters it takes whole. Pure."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

MAX_CHARACTERS = 10_000
"""Of a longer output Claude Code shows the agent the first two kilobytes and a file's name. Counted as its
JavaScript counts, in UTF-16 units."""

NEW_BYTES = 8_600
"""What a prompt may be given: leaves a seventh for the quotes and line ends that JSON writes as two characters."""


def context_output(event: str, texts: Sequence[str]) -> dict[str, Any] | None:
    """Gives the output that adds texts to the agent's context, in their order: each whole, or left out.

    None where there is nothing to add. A text that does not fit leaves its room to those after it.
    """
    kept: list[str] = []
    for text in texts:
        if text and characters(_output(event, [*kept, text])) <= MAX_CHARACTERS:
            kept.append(text)
    return _output(event, kept) if kept else None


def printed(output: dict[str, Any]) -> str:
    """Gives an output as it is printed."""
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def characters(output: dict[str, Any]) -> int:
    """Counts an output's characters as Claude Code does."""
    text = printed(output)
    return len(text) + sum(character > "\uffff" for character in text)


def _output(event: str, texts: Iterable[str]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "\n".join(texts)}}
