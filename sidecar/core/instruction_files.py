"""The names of files that instruct coding agents, for all that read or skip them."""

AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md")
"""Files written for agents: there any list item that asks for something is a rule."""

AGENT_PATHS = (
    "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md",
)  # fmt: skip
"""Where they stand in a project, in the order they are read in."""
