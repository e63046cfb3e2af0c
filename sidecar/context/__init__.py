"""What is left of the provider's context window, what may be told within it, and when a new session should begin."""

from sidecar.context.brackets import BRACKETS, Bracket, bracket_of, share_of
from sidecar.context.spawn import Wear, spawn_reasons

__all__ = ["BRACKETS", "Bracket", "Wear", "bracket_of", "share_of", "spawn_reasons"]
