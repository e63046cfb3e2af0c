"""`onecode-sidecar hook …`: what Claude Code calls, putting it in, and the sidecar that serves the next."""
