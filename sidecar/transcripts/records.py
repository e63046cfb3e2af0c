"""Records of a provider's transcript: one JSON object per line. Pure."""

from datetime import datetime
from typing import Any

from sidecar.core import json_text


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
