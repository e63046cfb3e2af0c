"""Ranking of memories: linear models over features of each entry and its neighbors."""
