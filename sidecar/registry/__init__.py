"""The registry of what a project has: entities, decisions whether to reuse them, impact, health."""

from sidecar.registry.hints import Hint, hint_for

__all__ = ["Hint", "hint_for"]
