"""What time and use make of memories: score, tiers, archive."""
