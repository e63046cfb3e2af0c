"""The Delta Pack: what changed since a session last looked."""
