"""Test results read from a run's commands."""
