"""Ranking of memories: linear models over features of each entry and its neighbors."""

from sidecar.memory.ranking.query import split_rarest

__all__ = [
    "split_rarest",
]
