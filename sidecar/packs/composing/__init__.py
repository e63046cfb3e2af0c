"""From what is known to what is sent: items, what fits, what the session has already, blocks."""
