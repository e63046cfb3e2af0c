"""The current state of a worktree, proven fresh, and its diff against the head commit."""
