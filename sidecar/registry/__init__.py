"""The registry of a project's entities: reuse decisions, impact analysis, health checks."""

from sidecar.registry.decision import Hint, hint_for

__all__ = ["Hint", "hint_for"]
