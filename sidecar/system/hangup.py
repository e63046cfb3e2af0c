"""Notices that the other side of a stream has gone, also while nobody reads or writes it."""

import select
import sys
import threading
from collections.abc import Callable


def watch_streams(
    read_fd: int, write_fd: int, *, on_read_end: Callable[[], None], on_write_end: Callable[[], None]
) -> threading.Thread | None:
    """Calls back, from one thread of its own, when nobody can write to `read_fd` or read from `write_fd` any more.

    What was written to `read_fd` before may still wait to be read. Gives None where the platform cannot tell.
    """
    if sys.platform == "win32":
        return None
    callbacks = {read_fd: on_read_end, write_fd: on_write_end}
    poller = select.poll()
    # No events asked for: an end, which is what is left, is always told.
    poller.register(read_fd, getattr(select, "POLLRDHUP", 0))
    poller.register(write_fd, 0)

    def watch() -> None:
        while callbacks:
            for fd, event in poller.poll():
                poller.unregister(fd)
                callback = callbacks.pop(fd)
                if not event & select.POLLNVAL:  # what macOS says of a terminal, which it cannot watch
                    callback()

    thread = threading.Thread(target=watch, name="stream-watch", daemon=True)
    thread.start()
    return thread
