"""The records of a transcript, one JSON object per line, and the events in them, whatever provider wrote it. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sidecar.core import json_text
from sidecar.transcripts import claude, codex
from sidecar.transcripts.events import Event, EventType, Reader, Record

READERS: tuple[Reader, ...] = (claude.READER, codex.READER)
"""The supported formats; a new provider is a file with a `READER`, and its row here."""


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
    try:
        moment = datetime.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
    return int(moment.timestamp() * 1000) if moment is not None and moment.tzinfo is not None else None


def is_after(line: bytes, moment_ms: int) -> bool:
    """Whether a line was written after a moment; False for one without a time."""
    moment = written_ms(parse_record(line))
    return moment is not None and moment > moment_ms


def is_before(line: bytes, moment_ms: int) -> bool:
    """Whether a line was written before a moment; False for one without a time."""
    moment = written_ms(parse_record(line))
    return moment is not None and moment < moment_ms
