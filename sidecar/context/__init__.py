"""What is left of the provider's context window, and what may be told within it."""

from sidecar.context.brackets import BRACKETS, Bracket, bracket_of, share_of

__all__ = ["BRACKETS", "Bracket", "bracket_of", "share_of"]
