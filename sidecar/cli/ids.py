"""Where a process takes its ids from; everything else is handed a function that gives them."""

import os


def random_id() -> str:
    """Gives an id that no other process gives: 32 hexadecimal digits."""
    return os.urandom(16).hex()
