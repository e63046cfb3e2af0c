"""One iteration: its prompt, its worktree, its packs, and the checks before a promise counts."""
