"""What a provider's transcript tells of a session: who said what, which commands failed and then worked. Pure.

Claude's session files and Codex's rollouts (host.md). What the program itself puts into a user's turn is nobody's word.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import regex
from sidecar.core.text.prose import telling
from sidecar.memory.capture.session_summary import Said, Trouble
from sidecar.transcripts.events import Message, ToolCall, ToolResult
from sidecar.transcripts.records import read_events

MAX_SAID = 20_000
MAX_OUTPUT = 4_000
MAX_RESOLUTION = 400
LAST_MESSAGES, LAST_TROUBLES = 400, 100
"""Of more the last ones are taken."""

_PROGRAMS_OWN = regex(
    r"<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|user-prompt-submit-hook"
    r"|ide_[a-z_]+)>.*?(?:</\1>|\Z)",
    re.DOTALL,
)


class Ran(NamedTuple):
    """A command that was run, and how it ended."""

    command: str
    has_failed: bool
    output: str
    at_ms: int


class Told(NamedTuple):
    """What a transcript tells; the oldest first."""

    said: tuple[Said, ...] = ()
    troubles: tuple[Trouble, ...] = ()


def told_in(lines: Iterable[bytes], since_ms: int) -> Told:
    """Reads what was said and run after a moment; damaged and foreign records are passed over."""
    steps = list(_steps(lines, since_ms))
    said = [step for step in steps if isinstance(step, Said)]
    return Told(tuple(said[-LAST_MESSAGES:]), tuple(_troubles(steps))[-LAST_TROUBLES:])


def _steps(lines: Iterable[bytes], since_ms: int) -> Iterator[Said | Ran]:
    commands: dict[str, str] = {}
    for event in read_events(lines, since_ms + 1, Message, ToolCall, ToolResult):
        match event:
            case Message():
                yield from _said(event)
            case ToolCall():
                if isinstance(command := event.arguments.get("command"), str):
                    commands[event.call_id] = command
            case ToolResult():
                if command := event.command or commands.get(event.call_id):
                    yield Ran(command, event.failed, event.text[-MAX_OUTPUT:], event.at_ms)
            case _:
                pass


def _said(message: Message) -> Iterator[Said]:
    words = _PROGRAMS_OWN.sub("", message.text).strip()
    if words:
        yield Said(message.author, words[:MAX_SAID], message.at_ms)


def _troubles(steps: Iterable[Said | Ran]) -> Iterator[Trouble]:
    """Pairs each command that failed with what the agent said before the same one worked."""
    failed: dict[str, Ran] = {}
    conclusion = ""
    for step in steps:
        if isinstance(step, Said):
            conclusion = step.text if step.author == "assistant" else conclusion
        elif step.has_failed:
            failed[step.command], conclusion = step, ""
        elif before := failed.pop(step.command, None):
            yield Trouble(before.output, telling(conclusion, MAX_RESOLUTION), before.at_ms)
    yield from (Trouble(one.output, "", one.at_ms) for one in failed.values())
