"""Extract messages and resolved errors from a provider's transcript. Pure.

Reads Claude's session files and Codex's rollouts (host.md). Text the harness puts into a user's turn is removed.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.markdown import first_informative_paragraph
from sidecar.memory.capture.session_summary import ErrorEvent, Utterance
from sidecar.transcripts.events import Message, ToolCall, ToolResult
from sidecar.transcripts.records import read_events

MAX_UTTERANCE_CHARACTERS = 20_000
MAX_OUTPUT_CHARACTERS = 4_000
MAX_RESOLUTION_CHARACTERS = 400
MAX_MESSAGES, MAX_ERRORS = 400, 100
"""Only the last messages and errors are used."""

_HARNESS_TEXT = lazy_regex(
    r"<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|user-prompt-submit-hook"
    r"|ide_[a-z_]+)>.*?(?:</\1>|\Z)",
    re.DOTALL,
)


class CommandRun(NamedTuple):
    """A command run and its result."""

    command: str
    has_failed: bool
    output: str
    at_ms: int


class TranscriptContent(NamedTuple):
    """Content of a transcript, oldest first."""

    utterances: tuple[Utterance, ...] = ()
    errors: tuple[ErrorEvent, ...] = ()


def read_transcript(lines: Iterable[bytes], since_ms: int) -> TranscriptContent:
    """Read what was written and run after a moment; damaged and unknown records are skipped."""
    steps = list(_steps(lines, since_ms))
    utterances = [step for step in steps if isinstance(step, Utterance)]
    return TranscriptContent(tuple(utterances[-MAX_MESSAGES:]), tuple(_error_events(steps))[-MAX_ERRORS:])


def _steps(lines: Iterable[bytes], since_ms: int) -> Iterator[Utterance | CommandRun]:
    commands: dict[str, str] = {}
    for event in read_events(lines, since_ms + 1, Message, ToolCall, ToolResult):
        match event:
            case Message():
                yield from _utterances(event)
            case ToolCall():
                if isinstance(command := event.arguments.get("command"), str):
                    commands[event.call_id] = command
            case ToolResult():
                if command := event.command or commands.get(event.call_id):
                    yield CommandRun(command, event.failed, event.text[-MAX_OUTPUT_CHARACTERS:], event.at_ms)
            case _:
                pass


def _utterances(message: Message) -> Iterator[Utterance]:
    cleaned = _HARNESS_TEXT.sub("", message.text).strip()
    if cleaned:
        yield Utterance(message.author, cleaned[:MAX_UTTERANCE_CHARACTERS], message.at_ms)


def _error_events(steps: Iterable[Utterance | CommandRun]) -> Iterator[ErrorEvent]:
    """Pair each failed command with the agent's last message before it succeeded."""
    failed: dict[str, CommandRun] = {}
    conclusion = ""
    for step in steps:
        if isinstance(step, Utterance):
            conclusion = step.text if step.author == "assistant" else conclusion
        elif step.has_failed:
            failed[step.command], conclusion = step, ""
        elif before := failed.pop(step.command, None):
            yield ErrorEvent(
                before.output, first_informative_paragraph(conclusion, MAX_RESOLUTION_CHARACTERS), before.at_ms
            )
    yield from (ErrorEvent(run.output, "", run.at_ms) for run in failed.values())
