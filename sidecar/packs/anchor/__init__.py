"""The anchor pack: what holds for the whole repository."""
