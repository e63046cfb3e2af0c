"""Agents that speak MCP: the tools they may call, each a method of ours."""
