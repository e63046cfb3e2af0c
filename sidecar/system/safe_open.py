"""Opens regular files only, never a pipe, a device, a link or an endless file in a file's place.

Opening a pipe blocks until someone writes to it, and a device may never end. So files in places that others can write
to are opened here: immediately or not at all, and read up to a limit.
"""

import errno
import os
import stat

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
