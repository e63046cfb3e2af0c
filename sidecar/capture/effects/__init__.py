"""What a run did: read from its messages, its commands, its transcript and the repository."""
