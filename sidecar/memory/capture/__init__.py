"""Capture: turn a session's material into short memories; count what is stored and what is dropped."""
