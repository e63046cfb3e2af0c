"""`onecode-sidecar artifacts`: what it does and shows."""
