"""Claim the process's standard streams, so that nothing else can write into the protocol.

Imported before everything else, so it may import only `os` and `sys`, which the interpreter has loaded anyway.
"""

import os
import sys


class Pipe:
    """The two file descriptors of the protocol."""

    __slots__ = ("read_fd", "write_fd")

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd


def claim() -> Pipe:
    """Move the protocol to private descriptors; point fd 0 at the null device and fd 1 at stderr.

    After that, a `print`, a C library's `printf` or a child process writes to stderr and reads nothing. Children do not
    inherit the private descriptors.
    """
    if sys.platform == "win32":
        import msvcrt

        for fd in (0, 1, 2):
            msvcrt.setmode(fd, os.O_BINARY)
    _fill_gaps()
    pipe = Pipe(os.dup(0), os.dup(1))
    null_fd = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_fd, 0)
    os.close(null_fd)
    os.dup2(2, 1)
    if sys.platform != "win32":
        for fd in (pipe.read_fd, pipe.write_fd):
            os.set_blocking(fd, True)  # the creator of the pipe may have made it non-blocking
    return pipe


def _fill_gaps() -> None:
    """Open the null device for closed standard descriptors; otherwise the next opened file would take their place."""
    fd = 0
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)
