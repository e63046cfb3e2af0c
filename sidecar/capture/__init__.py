"""After a run: what is kept of it."""
