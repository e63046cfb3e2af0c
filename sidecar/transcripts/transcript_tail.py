"""The records of a transcript, one JSON object per line: the end of its file, the events in them, and the last run.

A long session has many megabytes, so only the end is read, back to a given time.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

from sidecar.core import json_text
from sidecar.core.clock import parse_time_ms
from sidecar.core.wire_types import MAX_TOKENS
from sidecar.system.safe_open import open_regular
from sidecar.transcripts import claude, codex
from sidecar.transcripts.events import (
    Event,
    EventType,
    Message,
    Reader,
    Record,
    Rollback,
    TokenUsage,
    ToolCall,
    ToolResult,
)

READERS: tuple[Reader, ...] = (claude.READER, codex.READER)
"""The supported formats. A new provider is one file with a `READER`, and its name here: the frozen program has no
folder in which files could be discovered."""


def read_events(lines: Iterable[bytes], since_ms: int, *kinds: EventType) -> Iterator[Event]:
    """Yield the events of some kinds recorded at or after a moment, in order.

    A compaction without a time counts as recorded after it. Damaged and unknown records are skipped.
    """
    marks = tuple(dict.fromkeys(mark for reader in READERS for kind in kinds for mark in reader.marks.get(kind, ())))
    for number, line in enumerate(lines):
        if any(mark in line for mark in marks):
            for event in _events(parse_record(line), number):
                if isinstance(event, kinds) and (event.at_ms is None or event.at_ms >= since_ms):
                    yield event


def was_rolled_back(lines: Iterable[bytes], last_ms: int, started_ms: int) -> bool:
    """Whether the user went back to an earlier message between the last run, sent at `last_ms`, and the next one."""
    marked = [line for line in lines if b'"parentUuid"' in line or b'"thread_rolled_back"' in line]
    if any(True for _ in read_events(marked, last_ms + 1, Rollback)):
        return True
    values = map(parse_record, marked)
    records = (Record(number, written_ms(value), value) for number, value in enumerate(values))
    return claude.answers_earlier_message(records, started_ms)


def _events(value: dict[str, Any], number: int) -> Sequence[Event]:
    """Return the events of a record; only the reader of its provider finds any."""
    record = Record(number, written_ms(value), value)
    for reader in READERS:
        if events := list(reader.events_of(record)):
            return events
    return ()


def parse_record(line: bytes) -> dict[str, Any]:
    """Return a transcript line as a JSON object; empty for a damaged one."""
    try:
        record = json_text.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def written_ms(record: dict[str, Any]) -> int | None:
    """Return the time a record was written; None if it has none."""
    written = record.get("timestamp")
    return parse_time_ms(written) if isinstance(written, str) else None


def is_after(line: bytes, moment_ms: int) -> bool:
    """Whether a line was written after a moment; False for one without a time."""
    moment = written_ms(parse_record(line))
    return moment is not None and moment > moment_ms


def is_before(line: bytes, moment_ms: int) -> bool:
    """Whether a line was written before a moment; False for one without a time."""
    moment = written_ms(parse_record(line))
    return moment is not None and moment < moment_ms


MAX_TAIL_BYTES = 8 * 2**20
"""Maximum bytes read from the end of a transcript; takes about 0.1 s."""

CHUNK_BYTES = 256 * 2**10
MAX_LINE_BYTES = 2 * 2**20
"""Longer lines are skipped: they contain images or files, never messages of interest."""

SLACK_MS = 5_000
"""Time by which a record must be older than the run before reading stops; clocks and record order vary."""


class TranscriptTail(NamedTuple):
    """The end of a transcript: its lines in order, and whether they include everything since the run's start."""

    lines: tuple[bytes, ...]
    is_complete: bool


def read_tail(path: str, since_ms: int) -> TranscriptTail | None:
    """Read a transcript backwards to a moment; None if it cannot be read or is not a regular file."""
    try:
        with os.fdopen(open_regular(path, follow_links=True), "rb") as file:
            return _read_backwards(file, since_ms)
    except OSError:
        return None


def _read_backwards(file: BinaryIO, since_ms: int) -> TranscriptTail:
    end = position = file.seek(0, os.SEEK_END)
    chunks: list[bytes] = []
    is_complete = False
    while position and not is_complete and end - position < MAX_TAIL_BYTES:
        size = min(CHUNK_BYTES, position, MAX_TAIL_BYTES - (end - position))
        position -= size
        file.seek(position)
        chunks.append(file.read(size))
        is_complete = _starts_before(chunks[-1], since_ms - SLACK_MS)
    lines = b"".join(reversed(chunks)).split(b"\n")[1 if position else 0 :]
    return TranscriptTail(tuple(line for line in lines if len(line) <= MAX_LINE_BYTES), is_complete or not position)


def _starts_before(chunk: bytes, moment_ms: int) -> bool:
    """Whether the first complete record with a time in a chunk is older than the given time."""
    lines = (line for line in chunk.split(b"\n")[1:-1] if b'"timestamp"' in line)
    return any(is_before(line, moment_ms) for line, _ in zip(lines, range(3), strict=False))


HOST_NAMES = {"apply_patch": "Edit"}
"""A host's names of the tools that Codex names otherwise."""


class TranscriptRun(NamedTuple):
    """A run in a session file; empty if it is not written yet."""

    prompt: str
    text: str
    """The agent's last message."""
    parts: list[dict[str, Any]]
    usage: dict[str, int]


CLOCK_SLACK_MS = 2_000
"""The session file may date the prompt slightly before the hook's call."""


def run_since(lines: Iterable[bytes], started_ms: int) -> TranscriptRun:
    """Return the run that started at a moment; damaged records and those of subagents are skipped."""
    messages: list[Message] = []
    parts: list[dict[str, Any]] = []
    calls: dict[str, dict[str, Any]] = {}
    usages: dict[str, TokenUsage] = {}
    events = read_events(lines, started_ms - CLOCK_SLACK_MS, Message, ToolCall, ToolResult, TokenUsage)
    for event in _from_prompt(list(events), started_ms):
        match event:
            case Message():
                messages.append(event)
                if event.author == "assistant":
                    parts.append({"type": "text", "text": event.text})
            case ToolCall():
                tool = HOST_NAMES.get(event.tool, event.tool)
                calls[event.call_id] = _part(event.call_id, tool, dict(event.arguments))
                parts.append(calls[event.call_id])
            case ToolResult():
                if event.command and event.call_id not in calls:
                    calls[event.call_id] = _part(event.call_id, "Bash", {"command": event.command})
                    parts.append(calls[event.call_id])
                _add_result(calls.get(event.call_id), event)
            case TokenUsage():
                usages[event.answer_id] = event
            case _:
                pass
    prompts, answers = _texts(messages, "user"), _texts(messages, "assistant")
    return TranscriptRun(
        prompt=prompts[0] if prompts else "",
        text=answers[-1] if answers else "",
        parts=parts,
        usage=_totals(usages.values()),
    )


def _from_prompt(events: Sequence[Event], started_ms: int) -> Iterator[Event]:
    """Yield the events of a run: of those dated before its start, the last prompt and what follows it.

    What precedes the prompt is the end of the previous run, whose user typed the next prompt meanwhile.
    """
    early = [event.at_ms is not None and event.at_ms < started_ms for event in events]
    prompts = (
        at
        for at, event in enumerate(events)
        if early[at] and isinstance(event, Message) and event.author == "user" and event.text.strip()
    )
    first = max(prompts, default=len(events))
    yield from (event for at, event in enumerate(events) if at >= first or not early[at])


def add_touched_files(parts: Sequence[dict[str, Any]], touched: Iterable[str]) -> list[dict[str, Any]]:
    """Add edits of files that other hooks reported and the session file does not contain yet."""
    finished = (part.get("input") for part in parts if part.get("state") != "call")
    inputs = [given for given in finished if isinstance(given, Mapping)]
    paths = (path for given in inputs for path in (given.get("file_path"), *given.get("changes", ())))
    known_paths = tuple({path for path in paths if isinstance(path, str)})
    missing = [path for path in dict.fromkeys(touched) if not path.endswith(known_paths)]
    edits = [
        {**_part(f"touched-{number}", "Edit", {"file_path": path}), "state": "result", "output": {}}
        for number, path in enumerate(missing, 1)
    ]
    return [*edits, *parts]


def _texts(messages: Iterable[Message], author: str) -> list[str]:
    """Return the texts of an author's records, in order, without blank ones."""
    by_record: dict[int, list[str]] = {}
    for message in messages:
        if message.author == author and message.text.strip():
            by_record.setdefault(message.record, []).append(message.text)
    return ["\n".join(texts) for texts in by_record.values()]


def _part(call_id: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"tool-{tool}", "toolCallId": call_id, "toolName": tool, "state": "call", "input": arguments}


def _add_result(part: dict[str, Any] | None, result: ToolResult) -> None:
    """Add a result to its call; a failed call stays without one, as with a host."""
    if part is not None and not result.failed:
        part["state"] = "result"
        part["output"] = result.text if result.structured is None else result.structured


def _totals(usages: Collection[TokenUsage]) -> dict[str, int]:
    """Return the total usage of the answers; empty without any."""
    if not usages:
        return {}
    return {
        "inputTokens": min(MAX_TOKENS, sum(usage.input_tokens for usage in usages)),
        "outputTokens": min(MAX_TOKENS, sum(usage.output_tokens for usage in usages)),
        "cacheReadTokens": min(MAX_TOKENS, sum(usage.cache_read_tokens for usage in usages)),
        "cacheCreationTokens": min(MAX_TOKENS, sum(usage.cache_creation_tokens for usage in usages)),
    }
