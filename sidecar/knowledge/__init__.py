"""Pointers in memory that agree with a knowledge repository: plan what differs, apply it, and take it back."""
