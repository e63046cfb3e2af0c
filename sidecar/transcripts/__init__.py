"""Session transcripts of the providers (Claude Code, Codex) as one stream of typed events.

`read_events` in `transcript_tail.py` is the stream; `events.py` has the event types; each provider's format is one file
with a `READER`, named in the list `READERS`.
"""

from sidecar.transcripts.events import Compaction, Event, EventType, Message, Rollback, TokenUsage, ToolCall, ToolResult
from sidecar.transcripts.transcript_tail import CHUNK_BYTES, MAX_TAIL_BYTES, read_events, read_tail, was_rolled_back
