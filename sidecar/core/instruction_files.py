"""Names and paths of instruction files for coding agents."""

AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md")
"""Files written for agents; any list item in them that asks for something is a rule."""

AGENT_PATHS = (
    "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md",
)  # fmt: skip
"""Paths below a project, in reading order."""
