"""Pressure on a session → ok, snapshot or rehydrate."""
