"""Opens regular files only, never a pipe, a device, a link or an endless file in a file's place.

Opening a pipe blocks until someone writes to it, and a device may never end. So files in places that others can write
to are opened here: immediately or not at all, and read up to a limit.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from sidecar.core.clock import SystemClock

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def open_regular(path: str, flags: int = os.O_RDONLY, *, follow_links: bool = False, mode: int = 0o644) -> int:
    """Open a regular file and return its descriptor; `mode` applies to a new file.

    A link at the path is followed only with `follow_links`. Raise OSError, also if it is not a regular file.
    """
    if not (follow_links or _NO_FOLLOW) and os.path.islink(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    try:
        fd = os.open(path, flags | _BINARY | _NO_WAIT | (0 if follow_links else _NO_FOLLOW), mode)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from error
    kind = os.fstat(fd).st_mode
    if stat.S_ISREG(kind):
        return fd
    os.close(fd)
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a regular file", path)


def read_regular(path: str, limit_bytes: int, *, follow_links: bool = True) -> bytes:
    """Return a regular file's content; raise OSError, with EFBIG for one over the limit."""
    fd = open_regular(path, follow_links=follow_links)
    with os.fdopen(fd, "rb") as file:
        if os.fstat(fd).st_size <= limit_bytes:
            content = file.read(limit_bytes + 1)
            if len(content) <= limit_bytes:
                return content
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


def read_if_regular(path: str, limit_bytes: int) -> bytes | None:
    """Return a regular file's content without following a link at its end; None if there is none, or a larger one."""
    try:
        return read_regular(path, limit_bytes, follow_links=False)
    except OSError:
        return None


def read_below(folder: str, path: str, limit_bytes: int) -> bytes | None:
    """Return the content of a regular file below a resolved folder; None also if a link leads out of the folder."""
    absolute = os.path.join(folder, path)
    parent = os.path.realpath(os.path.dirname(absolute))
    if parent != folder and not parent.startswith(os.path.join(folder, "")):
        return None
    return read_if_regular(absolute, limit_bytes)


MAX_SEARCH_MS = 500.0


def find_pipe_with_reader(
    folder: str, names: Sequence[str], is_cancelled: Callable[[], bool], *, is_whole_tree: bool
) -> str | None:
    """Return the relative path of a named pipe that a process waits to read, in a folder or in all folders below it.

    Return None if there is none, if it is cancelled or after MAX_SEARCH_MS. Without a waiting reader a pipe cannot be
    opened for writing at once.
    """
    if not _NO_WAIT:
        return None
    clock = SystemClock()
    ends_at_ms = clock.monotonic_ms() + MAX_SEARCH_MS
    basenames = {name.partition("/")[0] for name in names}
    for parent, entries in _folders(folder, basenames, is_whole_tree=is_whole_tree):
        if is_cancelled() or clock.monotonic_ms() > ends_at_ms:
            return None
        for path in (os.path.join(parent, name) for name in names if name.partition("/")[0] in entries):
            with suppress(OSError):
                if stat.S_ISFIFO(os.lstat(path).st_mode):
                    os.close(os.open(path, os.O_WRONLY | _NO_WAIT))
                    return os.path.relpath(path, folder)
    return None


def _folders(folder: str, names: set[str], *, is_whole_tree: bool) -> Iterator[tuple[str, set[str]]]:
    """Yield a folder with the names that may be in it, then each folder below it with its entries."""
    yield folder, names
    if is_whole_tree:
        for parent, folders, files in os.walk(folder):
            yield parent, {*folders, *files} & names
