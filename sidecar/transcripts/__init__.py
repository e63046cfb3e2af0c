"""Session transcripts of the providers (Claude Code, Codex) as one stream of typed events.

`read_events` in `records.py` is the stream; `events.py` has the event types; each provider's format is one file with a
`READER`.
"""
