"""Artifacts: drafts for the user to decide on, and their commits to the memory branch."""

from sidecar.capture.artifacts.artifact_text import Text, edited_text, file_of, message_of, path_of, with_status
from sidecar.capture.artifacts.memory_branch import refusal

__all__ = [
    "Text",
    "edited_text",
    "file_of",
    "message_of",
    "path_of",
    "refusal",
    "with_status",
]
