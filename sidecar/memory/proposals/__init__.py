"""Rules that memories suggest, and those that hold by the user's word."""
