"""The outside world: one library or operating-system service per module."""
