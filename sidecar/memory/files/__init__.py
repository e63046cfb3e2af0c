"""The memory files: which lie where, how they are read, written whole, and watched."""
