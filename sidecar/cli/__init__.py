"""The command line: a command is a file, or a folder where it has more than one."""
