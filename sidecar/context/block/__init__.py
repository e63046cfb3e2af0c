"""The context block: its layers, its token budget and its XML."""
