"""The current state of a worktree, proven fresh, and its diff against the head commit."""

from sidecar.codebase.content_ids import MAX_HASHED_BYTES, ContentHashes
from sidecar.codebase.worktree.git_metadata import IndexEntry, head_of, list_small_index, read_index
from sidecar.codebase.worktree.state import path_from_cwd, path_from_root
