"""One sync at a time per project, across processes; the system frees a dead owner's lock."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sidecar.core.errors import Busy, StateDegraded
from sidecar.system import filelock


@contextmanager
def one_at_a_time(state_dir: Path, project: str) -> Iterator[None]:
    """Holds a project's lock; raises Busy while another sync holds it."""
    path = os.path.join(state_dir, f"knowledge-{project}.lock")
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        raise StateDegraded("The knowledge sync's lock cannot be made.", hint="Check the state folder.") from error
    with filelock.holding(fd, 0) as is_held:
        if not is_held:
            raise Busy("A knowledge sync of this project is under way.", data={"retryAfterMs": 1_000})
        yield
