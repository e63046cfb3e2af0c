"""Build what an agent receives before a run, and avoid sending the same text twice."""

from sidecar.packs.prefetch import prefetch_packs

__all__ = ["prefetch_packs"]
