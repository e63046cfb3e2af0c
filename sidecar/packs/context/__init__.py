"""The Context Pack: the files that matter for a task, and how much of each is told."""
