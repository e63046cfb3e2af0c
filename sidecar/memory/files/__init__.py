"""The memory files: layout, parsing, atomic writes, watching."""
