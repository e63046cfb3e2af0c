"""The MCP server: its tools, each backed by one of the sidecar's methods."""
