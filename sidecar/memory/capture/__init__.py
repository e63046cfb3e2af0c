"""What sessions leave for remembering: read for what is worth it, kept as short entries, counted either way."""
