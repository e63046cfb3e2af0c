"""Files of the user below one root: read, written atomically, and removed, preserving their mode.

A link is followed while it stays below the root (CLAUDE.md is often a link to AGENTS.md); a link that leads out, or
into a git directory, is refused. A read-only file is not changed, except by a forced exit.
"""

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from sidecar.core.errors import Conflict, PolicyDenied, SidecarError, TooLarge, WorkspaceUnavailable
from sidecar.core.ide_rules_files import RulesFile
from sidecar.system.atomic_write import remove_abandoned_once, write_resolved
from sidecar.system.safe_open import open_real_parent, read_regular

MAX_BYTES = 4 * 2**20

_GITIGNORE = "# Managed by onecode-sidecar: the session lock of this machine.\n/.gitignore\n/{name}\n"


class FileSnapshot(NamedTuple):
    """A file as read; `content` is None when it does not exist."""

    path: str
    """The path with links resolved."""
    content: bytes | None
    mode: int


def read(root: Path, rules_file: RulesFile) -> FileSnapshot:
    """Read a file below the root. Raise PolicyDenied, TooLarge or WorkspaceUnavailable."""
    path = _resolve_inside(root, rules_file.file)
    if rules_file.is_own_folder:
        remove_abandoned_once(os.path.dirname(path))
    try:
        return FileSnapshot(path, read_regular(path, MAX_BYTES), stat.S_IMODE(os.stat(path).st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return FileSnapshot(path, None, 0o644)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR):
            raise PolicyDenied(f"`{rules_file.file}` is not a file.", hint="Move away what is in its place.") from error
        if error.errno == errno.EFBIG:
            raise TooLarge(f"`{rules_file.file}` is over 4 MiB.", data={"limitBytes": MAX_BYTES}) from error
        raise _file_error(rules_file, "read", error) from error


def write(rules_file: RulesFile, before: FileSnapshot, content: bytes, *, overwrite_read_only: bool = False) -> int:
    """Write a file and return the number of created folders and files. Raise Conflict if it changed meanwhile."""
    if content == before.content:
        return 0
    is_read_only = before.content is not None and not before.mode & stat.S_IWUSR
    if is_read_only and not overwrite_read_only:
        raise PolicyDenied(f"`{rules_file.file}` is read-only.", hint="Make it writable, or exit with `force`.")
    try:
        if _read_content(before.path) != before.content:
            raise Conflict(f"`{rules_file.file}` changed in the meantime.", hint="Try again.")
        created_count = _create_folders(os.path.dirname(before.path)) + int(before.content is None)
        if rules_file.is_own_folder:
            _write_gitignore(before.path)
        with _writable(before) if is_read_only else nullcontext():
            write_resolved(before.path, content)
    except OSError as error:
        raise _file_error(rules_file, "written", error) from error
    return created_count


@contextmanager
def _writable(snapshot: FileSnapshot) -> Generator[None]:
    """Make a read-only file writable for the time of the write: Windows replaces no read-only file."""
    os.chmod(snapshot.path, snapshot.mode | stat.S_IWUSR)
    try:
        yield
    finally:
        os.chmod(snapshot.path, snapshot.mode)


def remove(rules_file: RulesFile, before: FileSnapshot, created_count: int) -> None:
    """Remove a file that we created, with its folders if they are empty."""
    try:
        folder = os.path.dirname(before.path)
        with open_real_parent(before.path) as (parent, name):
            parent.unlink(name)
            if rules_file.is_own_folder:
                with suppress(FileNotFoundError):
                    parent.unlink(".gitignore")
        for _ in range(created_count - 1):
            with suppress(OSError):  # not empty
                os.rmdir(folder)
            folder = os.path.dirname(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _file_error(rules_file, "removed", error) from error


def _resolve_inside(root: Path, file: str) -> str:
    top = os.path.realpath(root)
    try:
        path = os.path.realpath(os.path.join(top, *file.split("/")))
    except OSError:  # a folder on the way is replaced at this moment
        path = os.path.dirname(top)
    below = os.path.relpath(path, top) if os.path.splitdrive(path)[0] == os.path.splitdrive(top)[0] else ".."
    parts = below.split(os.sep)
    if parts[0] == ".." or ".git" in [part.casefold() for part in parts]:
        raise PolicyDenied(
            f"`{file}` is a link that leads out of the project.",
            hint="Replace it with a file, or with a link inside the project.",
        )
    return path


def _read_content(path: str) -> bytes | None:
    try:
        return read_regular(path, MAX_BYTES)
    except FileNotFoundError:
        return None


def _create_folders(folder: str) -> int:
    if os.path.isdir(folder):
        return 0
    created_count = _create_folders(os.path.dirname(folder))
    os.mkdir(folder, 0o755)
    return created_count + 1


def _write_gitignore(path: str) -> None:
    """Make git ignore the file and its `.gitignore`; an existing `.gitignore` is not changed."""
    folder, name = os.path.split(path)
    target = os.path.join(folder, ".gitignore")
    if not os.path.lexists(target):
        write_resolved(target, _GITIGNORE.format(name=name).encode(), durable=False)


def _file_error(rules_file: RulesFile, verb: str, error: OSError) -> SidecarError:
    why = (error.strerror or type(error).__name__).lower()
    if isinstance(error, PermissionError):
        return PolicyDenied(f"`{rules_file.file}` may not be {verb}: {why}.", hint="Check its permissions.")
    return WorkspaceUnavailable(f"`{rules_file.file}` cannot be {verb}: {why}.", hint="Check the project's disk.")
