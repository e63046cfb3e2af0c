"""What is secret in a text or by its path, and masking it. Pure."""
