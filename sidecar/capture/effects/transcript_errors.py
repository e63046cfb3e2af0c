"""Outputs of failed tool calls in a provider's transcript. Pure.

The host's stored messages do not have them (host.md, Facts that shape the contract).
"""

from collections.abc import Iterable

from sidecar.capture.effects.tool_parts import ToolFailure
from sidecar.transcripts.events import ToolResult
from sidecar.transcripts.records import read_events

MAX_FAILURES = 500


def transcript_errors(lines: Iterable[bytes], since_ms: int) -> list[ToolFailure]:
    """Return the tool calls that failed since a moment, each once. Damaged and unknown records are skipped."""
    by_id: dict[str, ToolFailure] = {}
    for event in read_events(lines, since_ms, ToolResult):
        if isinstance(event, ToolResult) and event.failed and event.call_id:
            by_id[event.call_id] = ToolFailure(event.call_id, event.text, event.exit_code)
    return list(by_id.values())[-MAX_FAILURES:]
