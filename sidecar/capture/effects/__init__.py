"""Effects of a run, read from its message parts, commands, transcript and repository."""
