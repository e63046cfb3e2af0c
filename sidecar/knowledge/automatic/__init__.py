"""Syncs that come by themselves: when one is due, and running it behind the runs."""
