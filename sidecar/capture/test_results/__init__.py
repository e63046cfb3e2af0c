"""What a run's tests said."""
