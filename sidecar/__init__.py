"""The 1Code continuity sidecar."""

__version__ = "0.1.0"
