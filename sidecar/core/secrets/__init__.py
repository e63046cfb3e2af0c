"""Detection and masking of secrets in texts and paths. Pure."""
