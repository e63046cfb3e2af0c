"""Which file of a project each of the six IDEs reads, and which one takes the block. Pure.

A *local* file comes first: one that git leaves alone. Nobody's `.gitignore` and no `.git/info/exclude` is written for
that. Either the user's own rules ignore the file already (Claude Code puts CLAUDE.local.md there), or it stands in a
folder of ours below one that the IDE reads wholly, with a `.gitignore` of its own, as `.chati/` has. AntiGravity and
Gemini CLI leave out what git ignores, or read no folder wholly, so they have the rules file only. The setting
`sessionLockFile` asks for the rules file: CLAUDE.md, or what intelligence-layer.md §2 names for the IDE.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

IdeName = Literal["claude-code", "vscode", "antigravity", "cursor", "gemini-cli", "github-copilot"]

DEFAULT_IDE: IdeName = "claude-code"


class Place(NamedTuple):
    """A file below the agent's working folder."""

    file: str
    """Joined by slashes."""
    is_own: bool = False
    """Whether its folder is ours, and ignores itself."""
    head: str = ""
    """What the IDE wants to stand at the top of a file of its kind."""


class Ide(NamedTuple):
    """What an IDE reads: files git leaves alone, the best first, and files of the project."""

    local: tuple[Place, ...]
    rules: tuple[Place, ...]


_INSTRUCTIONS = Place(
    ".github/instructions/chati-session-lock/session-lock.instructions.md",
    is_own=True,
    head='---\napplyTo: "**"\n---\n',
)

IDES: dict[IdeName, Ide] = {
    "claude-code": Ide(
        (Place("CLAUDE.local.md"), Place(".claude/rules/chati-session-lock/session-lock.md", is_own=True)),
        (Place("CLAUDE.md"), Place(".claude/CLAUDE.md")),
    ),
    "vscode": Ide((_INSTRUCTIONS,), (Place(".vscode/chati/rules.md"),)),
    "antigravity": Ide((), (Place(".antigravity/rules.md"),)),
    "cursor": Ide(
        (
            Place(
                ".cursor/rules/chati-session-lock/session-lock.mdc",
                is_own=True,
                head="---\ndescription: Session lock\nalwaysApply: true\n---\n",
            ),
        ),
        (Place(".cursorrules"),),
    ),
    "gemini-cli": Ide((), (Place(".gemini/instructions.md"),)),
    "github-copilot": Ide((_INSTRUCTIONS,), (Place(".github/copilot-instructions.md"),)),
}

PLACES: tuple[Place, ...] = tuple(dict.fromkeys(place for ide in IDES.values() for place in (*ide.local, *ide.rules)))
"""Every file that may hold a block, of whatever IDE."""


def chosen(ide: IdeName, wants_rules: bool, ignored: Collection[str], existing: Collection[str]) -> Place:
    """Chooses the file for the block, knowing which files git ignores and which are there.

    Of several rules files it is the first that is there, else the first.
    """
    row = IDES[ide]
    local = [place for place in row.local if place.is_own or place.file in ignored]
    if local and not wants_rules:
        return local[0]
    return next((place for place in row.rules if place.file in existing), row.rules[0])


def place_named(file: str) -> Place:
    """Gives the place of a file; one that no row has any more is a plain file."""
    return next((place for place in PLACES if place.file == file), Place(file))
