"""The iterative agent loop: one prompt, run again and again until the agent keeps its promise or a limit is reached."""
