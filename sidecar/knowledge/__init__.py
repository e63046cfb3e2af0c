"""Pointers in memory that agree with a knowledge repository: plan what differs, apply it, and take it back."""

from sidecar.knowledge.auto_sync import sync_when_due

__all__ = ["sync_when_due"]
