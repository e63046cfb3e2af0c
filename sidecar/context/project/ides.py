"""The six IDEs: which goes on by itself after a compaction or in a new session, and which gets a file. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecar.session import IdeName

RESUME = "/chati resume"


class Continuing(NamedTuple):
    """What an IDE can do: Level 1 (smart continuation) and Level 2 (a new session), in words."""

    spawns_itself: bool
    level_1: str
    level_2: str


_DETECTED = "Automatic via context detection"
_BY_HAND = f"A continuation file, loaded with {RESUME}"

IDES: Mapping[IdeName, Continuing] = {
    "claude-code": Continuing(True, "Automatic via the PreCompact hook", "A subagent (Task tool), or the `claude` CLI"),
    "antigravity": Continuing(True, "Automatic via platform hooks", "A new agent session via the platform's API"),
    "cursor": Continuing(False, _DETECTED, _BY_HAND),
    "vscode": Continuing(False, _DETECTED, _BY_HAND),
    "gemini-cli": Continuing(True, _DETECTED, "The `gemini` CLI"),
    "github-copilot": Continuing(False, _DETECTED, _BY_HAND),
}
"""intelligence-layer.md §3.5, IDE-Specific Behavior, and Article XII.6."""
