"""What runs left for the user to decide on, and its way to the memory branch."""
