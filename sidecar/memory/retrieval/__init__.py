"""Retrieval of memories: search, recall for a run, preloading at a start."""
