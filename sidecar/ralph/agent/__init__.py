"""Running a coding agent: command lines, processes, output formats, the completion promise, usage limits."""
