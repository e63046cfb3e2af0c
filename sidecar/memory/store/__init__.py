"""The memory tables of the state file: the index, derived from the files, and state that no file holds."""
