"""A sync: look, apply what was planned, and back again where that fails."""
