"""`onecode-sidecar memory`: what it takes, does and shows."""
