"""Compaction and restart of a session: what is saved, and how the session continues."""
