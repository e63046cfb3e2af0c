"""What a worktree is at this moment: its state, proven fresh, and its differences to the head commit."""
