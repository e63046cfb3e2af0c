"""Claude Code outside of 1Code: its hooks, each one call."""
