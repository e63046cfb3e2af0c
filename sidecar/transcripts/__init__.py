"""Transcripts."""
