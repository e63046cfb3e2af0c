"""Effects of time and use on memories: score, tiers, archive."""
