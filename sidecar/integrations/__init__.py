"""Connections of other clients than the 1Code app: Claude Code hooks and MCP."""
