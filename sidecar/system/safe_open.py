"""Opens regular files and nothing else: what stands in a file's place may be a pipe, a device, a link, or endless.

Opening a pipe waits for who writes into it, and a device may never end. So whatever others can put somewhere is opened
here, at once or not at all, and read up to a limit.
"""

import errno
import os
import stat

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def opened(path: str, flags: int = os.O_RDONLY, *, follows: bool = False, mode: int = 0o644) -> int:
    """Opens a regular file and gives its descriptor; `mode` is that of a new one.

    A link in its place is followed only where that is said. Raises OSError, also for what is no regular file.
    """
    if not (follows or _NO_FOLLOW) and os.path.islink(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    try:
        fd = os.open(path, flags | _BINARY | _NO_WAIT | (0 if follows else _NO_FOLLOW), mode)
    except ValueError as error:  # a zero byte in it
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from error
    kind = os.fstat(fd).st_mode
    if stat.S_ISREG(kind):
        return fd
    os.close(fd)
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a regular file", path)


def content_of(path: str, limit_bytes: int, *, follows: bool = True) -> bytes:
    """Reads a regular file whole; raises OSError, with EFBIG for one that is larger."""
    fd = opened(path, follows=follows)
    with os.fdopen(fd, "rb") as file:
        if os.fstat(fd).st_size <= limit_bytes:
            content = file.read(limit_bytes + 1)
            if len(content) <= limit_bytes:
                return content
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


def read_file(path: str, limit_bytes: int) -> bytes | None:
    """Reads a regular file without following a link at its end; None where there is none, or a larger one."""
    try:
        return content_of(path, limit_bytes, follows=False)
    except OSError:
        return None


def read_below(folder: str, path: str, limit_bytes: int) -> bytes | None:
    """Reads a regular file by its path below a resolved folder; None also where a link leads out of it."""
    absolute = os.path.join(folder, path)
    parent = os.path.realpath(os.path.dirname(absolute))
    if parent != folder and not parent.startswith(os.path.join(folder, "")):
        return None
    return read_file(absolute, limit_bytes)
