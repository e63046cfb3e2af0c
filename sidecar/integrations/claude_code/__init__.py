"""Claude Code outside 1Code: its hooks call the sidecar."""
