"""The current state of a worktree, proven fresh, and its diff against the head commit."""

from sidecar.codebase.content_ids import MAX_HASHED_BYTES, ContentHashes
from sidecar.codebase.worktree.git_metadata import IndexEntry, read_index

__all__ = [
    "MAX_HASHED_BYTES",
    "ContentHashes",
    "IndexEntry",
    "read_index",
]
