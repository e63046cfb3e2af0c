"""The Anchor Pack: what holds for the whole repository, and where that is read from."""
