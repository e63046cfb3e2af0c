"""Session transcripts of the providers (Claude Code, Codex) as one stream of typed events."""
