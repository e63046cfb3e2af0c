"""The records of a provider's transcript, one JSON object a line, Claude's and Codex's. Pure."""

from datetime import datetime
from typing import Any

from sidecar.core import json_text


def record_of(line: bytes) -> dict[str, Any]:
    """Gives a transcript's line as the record it is; empty for a damaged one."""
    try:
        record = json_text.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def written_ms(record: dict[str, Any]) -> int | None:
    """Gives when a record was written; None where it does not tell."""
    written = record.get("timestamp")
    try:
        moment = datetime.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
    return int(moment.timestamp() * 1000) if moment is not None and moment.tzinfo is not None else None


def begins_after(line: bytes, moment_ms: int) -> bool:
    """Says whether a transcript's line was written after a moment; False for one that does not tell."""
    moment = written_ms(record_of(line))
    return moment is not None and moment > moment_ms


def written_before(line: bytes, moment_ms: int) -> bool:
    """Says whether a transcript's line was written before a moment; False for one that does not tell."""
    moment = written_ms(record_of(line))
    return moment is not None and moment < moment_ms
