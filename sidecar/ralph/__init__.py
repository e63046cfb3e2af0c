"""The iterative agent loop: runs an agent on one prompt until it gives its completion promise or a limit is reached."""
