"""`onecode-sidecar replay`: what it plays and tells."""
