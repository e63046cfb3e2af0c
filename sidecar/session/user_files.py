"""The files with the block: read and written below one root, whole or not at all, with their mode.

A link is followed as long as it stays below the root (CLAUDE.md is often a link to AGENTS.md); one that leads out,
or into a git directory, is refused. A file its user has made read-only is left alone, but for an exit that is forced.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, SidecarError, TooLarge, WorkspaceUnavailable
from sidecar.core.ides import Place
from sidecar.system.atomic_write import write_whole
from sidecar.system.safe_open import content_of

MAX_BYTES = 4 * 2**20

_IGNORE = "# Kept by onecode-sidecar: the session lock of this machine.\n/.gitignore\n/{name}\n"


class Kept(NamedTuple):
    """A file as it was read; `content` is None where there is none."""

    path: str
    """Where it is, with links followed."""
    content: bytes | None
    mode: int


def read(root: Path, place: Place) -> Kept:
    """Reads a file below the root; raises PolicyDenied, TooLarge or WorkspaceUnavailable where that may not be."""
    path = _inside(root, place.file)
    try:
        return Kept(path, content_of(path, MAX_BYTES), stat.S_IMODE(os.stat(path).st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return Kept(path, None, 0o644)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR):
            raise PolicyDenied(f"`{place.file}` is no file.", hint="Move away what stands in its place.") from error
        if error.errno == errno.EFBIG:
            raise TooLarge(f"`{place.file}` is over 4 MiB.", data={"limitBytes": MAX_BYTES}) from error
        raise _failed(place, "read", error) from error


def write(place: Place, before: Kept, content: bytes, *, even_read_only: bool = False) -> int:
    """Writes a file anew and gives how many folders and files were made; raises Conflict if it changed meanwhile."""
    if content == before.content:
        return 0
    is_guarded = before.content is not None and not before.mode & stat.S_IWUSR
    if is_guarded and not even_read_only:
        raise PolicyDenied(f"`{place.file}` is read-only.", hint="Make it writable; an exit with `force` needs not.")
    try:
        if _content(before.path) != before.content:
            raise Conflict(f"`{place.file}` was changed meanwhile.", hint="Try again.")
        made = _make_folders(os.path.dirname(before.path)) + int(before.content is None)
        if place.is_own:
            _ignore(before.path)
        with _writable(before) if is_guarded else nullcontext():
            write_whole(before.path, content)
    except OSError as error:
        raise _failed(place, "written", error) from error
    return made


@contextmanager
def _writable(kept: Kept) -> Iterator[None]:
    """Makes a read-only file writable meanwhile: Windows replaces no other."""
    os.chmod(kept.path, kept.mode | stat.S_IWUSR)
    try:
        yield
    finally:
        os.chmod(kept.path, kept.mode)


def remove(place: Place, before: Kept, made: int) -> None:
    """Removes a file that we made, with the folders made for it if they are empty."""
    try:
        os.unlink(before.path)
        folder = os.path.dirname(before.path)
        if place.is_own:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, ".gitignore"))
        for _ in range(made - 1):
            with suppress(OSError):  # somebody else keeps something there
                os.rmdir(folder)
            folder = os.path.dirname(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failed(place, "removed", error) from error


def _inside(root: Path, file: str) -> str:
    top = os.path.realpath(root)
    path = os.path.realpath(os.path.join(top, *file.split("/")))
    below = os.path.relpath(path, top) if os.path.splitdrive(path)[0] == os.path.splitdrive(top)[0] else ".."
    parts = below.split(os.sep)
    if parts[0] == ".." or ".git" in [part.casefold() for part in parts]:
        raise PolicyDenied(f"`{file}` is a link out of the project.", hint="Replace it by a file, or link inside.")
    return path


def _content(path: str) -> bytes | None:
    try:
        return content_of(path, MAX_BYTES)
    except FileNotFoundError:
        return None


def _make_folders(folder: str) -> int:
    if os.path.isdir(folder):
        return 0
    made = _make_folders(os.path.dirname(folder))
    os.mkdir(folder)
    return made + 1


def _ignore(path: str) -> None:
    """Lets git leave the file alone, and itself; a `.gitignore` that is there is somebody's own."""
    folder, name = os.path.split(path)
    target = os.path.join(folder, ".gitignore")
    if not os.path.lexists(target):
        write_whole(target, _IGNORE.format(name=name).encode(), durable=False)


def _failed(place: Place, verb: str, error: OSError) -> SidecarError:
    why = (error.strerror or type(error).__name__).lower()
    if isinstance(error, PermissionError):
        return PolicyDenied(f"`{place.file}` may not be {verb}: {why}.", hint="Check its permissions.")
    return WorkspaceUnavailable(f"`{place.file}` cannot be {verb}: {why}.", hint="Check the project's disk.")
