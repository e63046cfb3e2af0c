"""What the code itself says there is: definitions as entities."""
