"""One iteration: its prompt, the worktree's changes, its packs, and the checks before a promise counts."""
