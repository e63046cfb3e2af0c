"""What speaks with a coding agent: how each is called, runs, is listened to, and what its words mean."""
