"""Writes a file of ours below the project's `.chati`: whole or not at all, through no link, and left alone by git."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from sidecar.core.errors import PolicyDenied, SidecarError, WorkspaceUnavailable

FOLDER = ".chati"

_IGNORE = b"# Kept by onecode-sidecar on this machine only.\n*\n"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def write_own(project: Path, folder: str, name: str, content: bytes) -> str:
    """Writes `.chati/<folder>/<name>` and gives its path below the project.

    A folder that is made for it ignores itself in git. Raises PolicyDenied where a link or a file stands in the way,
    WorkspaceUnavailable where it cannot be written.
    """
    outer = os.path.join(project, FOLDER)
    inner = os.path.join(outer, folder)
    try:
        for place in (outer, inner):
            if _make(place):
                _replace(os.path.join(place, ".gitignore"), _IGNORE)
        _replace(os.path.join(inner, name), content)
    except OSError as error:
        raise failed(f"{FOLDER}/{folder}/{name}", error) from error
    return f"{FOLDER}/{folder}/{name}"


def _make(place: str) -> bool:
    """Makes a folder and says so; False where it is there."""
    try:
        os.mkdir(place)
    except FileExistsError:
        found = os.lstat(place)
        is_junction = bool(getattr(found, "st_file_attributes", 0) & 0x400)
        if not stat.S_ISDIR(found.st_mode) or is_junction:
            name = os.path.basename(place)
            raise PolicyDenied(f"`{name}` is no real folder, so nothing is written below it.") from None
        return False
    return True


def _replace(path: str, content: bytes) -> None:
    """Writes beside the file, syncs and moves: a reader sees the old file or the new one."""
    replace_file(path, content, 0o644)


def replace_file(path: str, content: bytes, mode: int) -> None:
    """The same for a file with its mode; raises OSError."""
    unfinished = f"{path}.{os.getpid()}.new"
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_FOLLOW | _BINARY, mode)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(fd)
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def failed(path: str, error: OSError) -> SidecarError:
    """Makes the error for a file that cannot be written."""
    why = (error.strerror or type(error).__name__).lower()
    return WorkspaceUnavailable(f"`{path}` cannot be written: {why}.", hint="Check the project's disk and permissions.")
