"""Artifacts: drafts for the user to decide on, and their commits to the memory branch."""
