"""Claims the process's standard streams, so that nothing else can write into the protocol.

Imported before anything else: only `os` and `sys` may be imported here, which the interpreter has loaded anyway.
"""

import os
import sys


class Pipe:
    """The two file descriptors the protocol runs over."""

    __slots__ = ("read_fd", "write_fd")

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd


def claim() -> Pipe:
    """Moves the protocol to private descriptors and points fd 0 at the null device, fd 1 at stderr.

    Afterwards a `print`, a C library's `printf` or a child process writes to stderr or reads nothing.
    The private descriptors are not inherited by children.
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
            os.set_blocking(fd, True)  # whoever made the pipe may have left it otherwise
    return pipe


def write_all(fd: int, payload: bytes) -> None:
    """Writes every byte; raises OSError when the other side is gone."""
    view = memoryview(payload)
    while view:
        view = view[os.write(fd, view) :]


def _fill_gaps() -> None:
    """Opens the null device where a standard descriptor is closed, or the next file opened would take its place."""
    fd = 0
    while fd <= 2:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)
