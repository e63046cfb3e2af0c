"""Writes a file of ours below the project's `.chati`: whole or not at all, through no link, and left alone by git."""

import os
import stat
from pathlib import Path

from sidecar.core.errors import PolicyDenied, SidecarError, WorkspaceUnavailable
from sidecar.system.whole_files import write_whole

FOLDER = ".chati"

_IGNORE = b"# Kept by onecode-sidecar on this machine only.\n*\n"


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
                write_whole(os.path.join(place, ".gitignore"), _IGNORE)
        write_whole(os.path.join(inner, name), content)
    except OSError as error:
        raise _failed(f"{FOLDER}/{folder}/{name}", error) from error
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


def _failed(path: str, error: OSError) -> SidecarError:
    """Makes the error for a file that cannot be written."""
    why = (error.strerror or type(error).__name__).lower()
    return WorkspaceUnavailable(f"`{path}` cannot be written: {why}.", hint="Check the project's disk and permissions.")
