"""Claims the process's standard streams, so that nothing else can write into the protocol.

Imported before anything else: only `os` and `sys` may be imported here.
"""

import os
import sys
from typing import NamedTuple


class Pipe(NamedTuple):
    """The two file descriptors the protocol runs over."""

    read_fd: int
    write_fd: int


def claim() -> Pipe:
    """Moves the protocol to private descriptors and points fd 0 at the null device, fd 1 at stderr.

    Afterwards a `print`, a C library's `printf` or a child process writes to stderr or reads nothing.
    The private descriptors are not inherited by children.
    """
    if sys.platform == "win32":
        import msvcrt

        for fd in (0, 1, 2):
            msvcrt.setmode(fd, os.O_BINARY)
    read_fd, write_fd = os.dup(0), os.dup(1)
    null_fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    os.dup2(2, 1)
    return Pipe(read_fd, write_fd)


def write_all(fd: int, payload: bytes) -> None:
    """Writes every byte; raises OSError when the other side is gone."""
    view = memoryview(payload)
    while view:
        view = view[os.write(fd, view) :]
