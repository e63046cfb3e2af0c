"""What a pre-run knows of its repository and its conversation, within its deadline."""
