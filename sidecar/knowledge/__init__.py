"""Sync of pointer memories with a knowledge repository: plan the differences, apply them, roll them back."""

from sidecar.knowledge.auto_sync import sync_when_due

__all__ = ["sync_when_due"]
