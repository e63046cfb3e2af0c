"""Capture: turn what a session leaves into short memories; count what is stored and what is dropped."""
