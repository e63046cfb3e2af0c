"""Other ways in than 1Code's connection: recorded sessions, played again."""
