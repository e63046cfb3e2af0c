"""The context block: its layers, what fits, and its XML."""
