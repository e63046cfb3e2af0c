"""What an iteration came to, and whether, when and how the loop goes on. Pure."""
