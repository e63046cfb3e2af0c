"""A session that is compacted, or followed by a new one: what is kept, and how it goes on."""
