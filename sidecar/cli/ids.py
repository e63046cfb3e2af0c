"""Random ids of a process."""

import os


def random_id() -> str:
    """Return a unique id of 32 hexadecimal digits."""
    return os.urandom(16).hex()
