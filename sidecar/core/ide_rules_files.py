"""The supported IDEs: the files in which they read the session lock, and how a session continues in them. Pure.

The table is in `core` because `session`, `context`, `memory` and `packs` use it.

A *local* file is preferred: one that git ignores. The sidecar edits no existing `.gitignore` and no `.git/info/exclude`
for that. Either the user's own rules ignore the file already (Claude Code adds CLAUDE.local.md to them), or the file is
in a folder of ours, with its own `.gitignore`, below a folder that the IDE reads as a whole. AntiGravity and Gemini CLI
skip ignored files, or read no folder as a whole, so they have only the rules file. The setting `sessionLockFile`
selects the rules file: CLAUDE.md, or the one that the IDE reads.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

IdeName = Literal["claude-code", "vscode", "antigravity", "cursor", "gemini-cli", "github-copilot"]

DEFAULT_IDE: IdeName = "claude-code"

RESUME_COMMAND = "/chati resume"


class RulesFile(NamedTuple):
    """A rules file below the agent's working folder."""

    file: str
    """Separated by slashes."""
    is_own_folder: bool = False
    """Whether its folder is ours and has its own `.gitignore`."""
    front_matter: str = ""
    """Front matter that the IDE requires in such a file."""


class Ide(NamedTuple):
    """One IDE: the files it reads, and how a session continues in it."""

    local: tuple[RulesFile, ...]
    """Files ignored by git, the best first."""
    rules: tuple[RulesFile, ...]
    """Files of the project."""
    restarts_automatically: bool
    """Whether it starts a new session on its own."""
    level_1: str
    """Way in which a session continues after a compaction (smart continuation)."""
    level_2: str
    """Way in which a new session starts."""


_INSTRUCTIONS = RulesFile(
    ".github/instructions/chati-session-lock/session-lock.instructions.md",
    is_own_folder=True,
    front_matter='---\napplyTo: "**"\n---\n',
)
_CONTEXT_DETECTION = "Automatic via context detection"
_CONTINUATION_FILE = f"A continuation file, loaded with {RESUME_COMMAND}"

IDES: dict[IdeName, Ide] = {
    "claude-code": Ide(
        local=(
            RulesFile("CLAUDE.local.md"),
            RulesFile(".claude/rules/chati-session-lock/session-lock.md", is_own_folder=True),
        ),
        rules=(RulesFile("CLAUDE.md"), RulesFile(".claude/CLAUDE.md")),
        restarts_automatically=True,
        level_1="Automatic via the PreCompact hook",
        level_2="A subagent (Task tool), or the `claude` CLI",
    ),
    "vscode": Ide(
        local=(_INSTRUCTIONS,),
        rules=(RulesFile(".vscode/chati/rules.md"),),
        restarts_automatically=False,
        level_1=_CONTEXT_DETECTION,
        level_2=_CONTINUATION_FILE,
    ),
    "antigravity": Ide(
        local=(),
        rules=(RulesFile(".antigravity/rules.md"),),
        restarts_automatically=True,
        level_1="Automatic via platform hooks",
        level_2="A new agent session via the platform's API",
    ),
    "cursor": Ide(
        local=(
            RulesFile(
                ".cursor/rules/chati-session-lock/session-lock.mdc",
                is_own_folder=True,
                front_matter="---\ndescription: Session lock\nalwaysApply: true\n---\n",
            ),
        ),
        rules=(RulesFile(".cursorrules"),),
        restarts_automatically=False,
        level_1=_CONTEXT_DETECTION,
        level_2=_CONTINUATION_FILE,
    ),
    "gemini-cli": Ide(
        local=(),
        rules=(RulesFile(".gemini/instructions.md"),),
        restarts_automatically=True,
        level_1=_CONTEXT_DETECTION,
        level_2="The `gemini` CLI",
    ),
    "github-copilot": Ide(
        local=(_INSTRUCTIONS,),
        rules=(RulesFile(".github/copilot-instructions.md"),),
        restarts_automatically=False,
        level_1=_CONTEXT_DETECTION,
        level_2=_CONTINUATION_FILE,
    ),
}
"""The supported IDEs by name: their rules files, and how a session continues in them."""

RULES_FILES: tuple[RulesFile, ...] = tuple(
    dict.fromkeys(rules_file for ide in IDES.values() for rules_file in (*ide.local, *ide.rules))
)
"""Every file that may have a block, for all IDEs."""


def choose_rules_file(
    ide: IdeName, use_rules_file: bool, ignored: Collection[str], existing: Collection[str]
) -> RulesFile:
    """Choose the file for the block, given which files git ignores and which exist.

    Of several rules files the first that exists wins, otherwise the first.
    """
    ide_row = IDES[ide]
    local = [file for file in ide_row.local if file.is_own_folder or file.file in ignored]
    if local and not use_rules_file:
        return local[0]
    return next((file for file in ide_row.rules if file.file in existing), ide_row.rules[0])


def rules_file_named(path: str) -> RulesFile:
    """Return the row of a file; a file that no IDE lists any more is a plain file."""
    return next((rules_file for rules_file in RULES_FILES if rules_file.file == path), RulesFile(path))


AGENT_FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md")
"""Files written for agents; any list item in them that asks for something is a rule."""

AGENT_PATHS = (
    "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md",
)  # fmt: skip
"""Paths below a project, in reading order."""
