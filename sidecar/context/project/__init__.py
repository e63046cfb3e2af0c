"""The project's own files: constitution, agents, pipeline, hand-offs."""
