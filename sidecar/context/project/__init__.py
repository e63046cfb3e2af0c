"""What the project's own files say: constitution, agents, pipeline, hand-offs."""
