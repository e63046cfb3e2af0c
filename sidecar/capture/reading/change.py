"""A changed file, as what a run did is told by."""

from typing import NamedTuple


class Change(NamedTuple):
    """A file a run changed; lines are against the head commit after the run, or of its commits."""

    path: str
    added: int
    removed: int
