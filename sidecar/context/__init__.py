"""What is left of the provider's context window, what may be told within it, and when a new session should begin."""

from sidecar.context.brackets import BRACKETS, Bracket, bracket_of, share_of
from sidecar.context.project.project_files import Standing, standing_of
from sidecar.context.recovery.restart import Wear, spawn_reasons
from sidecar.context.store import note_compaction

__all__ = [
    "BRACKETS",
    "Bracket",
    "Standing",
    "Wear",
    "bracket_of",
    "note_compaction",
    "share_of",
    "spawn_reasons",
    "standing_of",
]
