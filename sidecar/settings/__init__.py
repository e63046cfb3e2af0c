"""Settings: one table, five layers, later wins."""
