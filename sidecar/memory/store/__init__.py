"""The memories' tables in the state file: the index, derived from the files, and what no file tells."""
