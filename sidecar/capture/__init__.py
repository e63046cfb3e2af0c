"""Capture: what a finished run did, and what is stored of it."""
