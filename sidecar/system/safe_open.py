"""Open regular files only, never a pipe, a device, a link or an endless file in a file's place.

Opening a pipe blocks until someone writes to it, and a device may never end. So files in places that others can write
to are opened here: immediately or not at all, and read up to a limit.
"""

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import chain
from pathlib import Path, PurePath
from types import ModuleType
from typing import NamedTuple

from sidecar.core.clock import SystemClock

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


_NAME_SURROGATE = 0x20000000
"""Windows: bit of the tag of a link or junction. The files and folders of OneDrive have tags too, without this bit."""
_HAS_DESCRIPTORS = os.open in os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW
_STEP = _FOLDER | getattr(os, "O_PATH", 0)
"""For the folders on the way: with O_PATH they need not be readable."""
_FOLDER_MODE = 0o755
"""Mode of folders in a project: others may read them, but never write, whatever the umask."""


class RealFolder(NamedTuple):
    """An open folder. Calls take `at(name)` and the descriptor, so a link that replaces the folder leads nowhere."""

    path: str
    fd: int | None
    """None on Windows, which opens no folders: there the path was only checked."""

    def at(self, name: str) -> str:
        """Return the path of a file in the folder, to be used with the descriptor."""
        return os.path.join(self.path, name) if self.fd is None else name

    def status(self, name: str) -> os.stat_result:
        """Return a file's status without following a link. Raise OSError."""
        return os.stat(self.at(name), dir_fd=self.fd, follow_symlinks=False)

    def unlink(self, name: str) -> None:
        """Delete a file, on Windows too if it is read-only. Raise OSError."""
        try:
            os.unlink(self.at(name), dir_fd=self.fd)
        except PermissionError:
            if self.fd is not None or self.status(name).st_mode & stat.S_IWRITE:
                raise
            os.chmod(self.at(name), stat.S_IWRITE)
            os.unlink(self.at(name))


def make_private_folder(path: str) -> None:
    """Create a folder and its missing parents for this user alone, whatever the umask. Raise OSError."""
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        make_private_folder(parent)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise


@contextmanager
def open_real_folder(root: str, parts: Sequence[str], *, make: bool = False) -> Generator[RealFolder]:
    """Open a folder below a root, one folder after the other; none may be a link. Create them with `make`.

    Raise OSError: FileNotFoundError for a missing one, NotADirectoryError for a link or a file in its place.
    """
    if not _HAS_DESCRIPTORS:
        path = root
        for part in parts:
            path = os.path.join(path, part)
            if make:
                with suppress(FileExistsError):
                    os.mkdir(path, _FOLDER_MODE)
            if not _is_real_folder(os.lstat(path)):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        yield RealFolder(path, None)
        return
    fd = os.open(root, (_STEP if parts else _FOLDER) & ~_NO_FOLLOW)
    try:
        for number, part in enumerate(parts, 1):
            fd = _step_into(fd, part, _STEP if number < len(parts) else _FOLDER, make=make)
        yield RealFolder(os.path.join(root, *parts), fd)
    finally:
        os.close(fd)


@contextmanager
def open_real_parent(path: str) -> Generator[tuple[RealFolder, str]]:
    """Open the folder of a path whose links were resolved; yield it and the file's name.

    Raise OSError, also if a link is on the way since then.
    """
    parts = PurePath(path).parts
    with open_real_folder(parts[0], parts[1:-1]) as folder:
        yield folder, parts[-1]


def _step_into(fd: int, part: str, flags: int, *, make: bool) -> int:
    """Open a folder in an open one and close that one, unless it fails."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, _FOLDER_MODE, dir_fd=fd)
    try:
        inner = os.open(part, flags, dir_fd=fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), part) from error
        raise
    os.close(fd)
    return inner


def is_link(status: os.stat_result) -> bool:
    """Whether a status read without following links is that of a link or junction."""
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE)


def _is_real_folder(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) and not is_link(status)


def real_path(path: str | os.PathLike[str]) -> Path | None:
    """Return a path without links, spelled as on disk; None if it is invalid or its links form a loop.

    Windows and macOS also find a file under a name in another case, and macOS under one whose accents are composed
    otherwise. Python corrects that on Windows only.
    """
    try:
        real = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):
        return None
    if sys.platform != "darwin":
        return real
    for existing in (real, *real.parents):
        with suppress(OSError, ValueError):
            return Path(spelling_on_disk(str(existing))) / real.relative_to(existing)
    return real


def spelling_on_disk(path: str) -> str:
    """Return the path of an existing file as macOS has it. Raise OSError, also if that leads to another file."""
    if sys.platform == "darwin":
        import fcntl

        fd = os.open(path, os.O_EVTONLY | os.O_SYMLINK | _NO_WAIT)
        try:
            on_disk = os.fsdecode(fcntl.fcntl(fd, fcntl.F_GETPATH, bytes(_MAX_PATH_BYTES)).partition(b"\0")[0])
            if not os.path.samestat(os.lstat(on_disk), os.fstat(fd)):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return on_disk
        finally:
            os.close(fd)
    return path


_MAX_PATH_BYTES = 1_024
"""Size of the buffer into which macOS writes a path (MAXPATHLEN)."""


def spelling_below(folder: str, path: str) -> str:
    """Return a path below a folder as it is spelled on disk; what leads through a link or does not exist stays."""
    if sys.platform not in ("darwin", "win32"):
        return path
    real = real_path(os.path.join(folder, path))
    own = os.path.join(*real.parts[-len(PurePath(path).parts) :]) if real is not None else path
    return own if folded(own) == folded(path) else path


def folded(path: str) -> str:
    """Return what the spellings of a path have in common that a file system may treat as one."""
    import unicodedata  # rarely needed

    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def is_same_file(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one existing file or folder. A link at their end is not followed."""
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except (OSError, ValueError):
        return False


class FolderIdentity(NamedTuple):
    """Identity of a folder. No other has it, not even one that gets the number of this one once it is deleted."""

    device: str
    """Empty on macOS, which numbers devices each time it mounts them."""
    number: str
    """The inode; on Windows the file index."""
    created_ns: int
    """Time of creation in nanoseconds since 1970; 0 if it is unknown."""


def folder_identity(path: str, *, with_creation: bool = True) -> FolderIdentity | None:
    """Return what identifies a folder, also after it was renamed or moved on its disk; None for a link or a file.

    Reading the time of creation is slow for the first folder of a process: 4 to 20 ms.
    """
    try:
        status = os.lstat(path)
        if not _is_real_folder(status):
            return None
        created_ns = _creation_time_ns(path, status) if with_creation else 0
        device = str(status.st_dev) if sys.platform != "darwin" else ""
        return FolderIdentity(device, str(status.st_ino), created_ns)
    except (OSError, ValueError):
        return None


_STATX_BYTES, _CREATION_TIME, _CREATION_MASK = 256, 80, 0x800
"""Size of `struct statx`, the position of the time of creation in it, and the bit that requests and confirms it."""
_CURRENT_FOLDER, _NO_LINKS = -100, 0x100


def _creation_time_ns(path: str, status: os.stat_result) -> int:
    """Return a file's time of creation; 0 if it is unknown. Python 3.11 reads it on macOS and Windows only."""
    if sys.platform == "win32":
        return status.st_ctime_ns
    if sys.platform != "linux":
        return int(getattr(status, "st_birthtime", 0) * 1_000_000_000)
    import ctypes  # slow to import, and rarely needed

    statx = getattr(ctypes.CDLL(None), "statx", None)
    buffer = ctypes.create_string_buffer(_STATX_BYTES)
    if statx is None or statx(_CURRENT_FOLDER, os.fsencode(path), _NO_LINKS, _CREATION_MASK, buffer) != 0:
        return 0
    (mask,) = struct.unpack_from("=I", buffer)
    seconds, nanoseconds = struct.unpack_from("=qI", buffer, _CREATION_TIME)
    return seconds * 1_000_000_000 + nanoseconds if mask & _CREATION_MASK else 0


def open_regular(
    path: str,
    flags: int = os.O_RDONLY,
    *,
    follow_links: bool = False,
    mode: int = 0o644,
    folder_fd: int | None = None,
) -> int:
    """Open a regular file and return its descriptor; `mode` applies to a new file, `folder_fd` to a relative path.

    A link at the path is followed only with `follow_links`. Raise OSError, also if it is not a regular file.
    """
    if not (follow_links or _NO_FOLLOW) and os.path.islink(path):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    try:
        fd = os.open(path, flags | _BINARY | _NO_WAIT | (0 if follow_links else _NO_FOLLOW), mode, dir_fd=folder_fd)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from error
    kind = os.fstat(fd).st_mode
    if stat.S_ISREG(kind):
        return fd
    os.close(fd)
    if stat.S_ISDIR(kind):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "Not a regular file", path)


_IN_CLOUD_ONLY = 0x40000000
"""macOS: a file whose content is only in iCloud or another cloud (SF_DATALESS); reading it waits for its download."""


def is_in_cloud_only(status: os.stat_result) -> bool:
    """Whether a status is that of a file whose content is not on this disk, as far as the system reports it."""
    return sys.platform == "darwin" and bool(getattr(status, "st_flags", 0) & _IN_CLOUD_ONLY)


def read_regular(path: str, limit_bytes: int, *, follow_links: bool = True, may_download: bool = True) -> bytes:
    """Return a regular file's content; raise OSError, with EFBIG for one over the limit.

    Without `may_download`, raise OSError also for one whose content is not on this disk.
    """
    fd = open_regular(path, follow_links=follow_links)
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if not may_download and is_in_cloud_only(status):
            raise OSError(errno.ENODATA, os.strerror(errno.ENODATA), path)
        if status.st_size <= limit_bytes:
            content = file.read(limit_bytes + 1)
            if len(content) <= limit_bytes:
                return content
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


def read_if_regular(path: str, limit_bytes: int, *, may_download: bool = True) -> bytes | None:
    """Return a regular file's content without following a link at its end; None if there is none, or a larger one.

    Without `may_download`, None also for one whose content is not on this disk.
    """
    try:
        return read_regular(path, limit_bytes, follow_links=False, may_download=may_download)
    except OSError:
        return None


def read_head(path: str, size: int) -> bytes:
    """Return the first bytes of a regular file without following a link at its end; none if it cannot be read."""
    try:
        fd = open_regular(path)
    except OSError:
        return b""
    with os.fdopen(fd, "rb") as file:
        return file.read(size)


def read_below(
    folder: str, path: str, limit_bytes: int, checked: set[str] | None = None, *, may_download: bool = True
) -> bytes | None:
    """Return the content of a regular file below a resolved folder; None also if a link leads out of the folder.

    For a batch of files, `checked` collects the folders on the way that were checked, so that each is checked once.
    `may_download` as for `read_if_regular`.
    """
    absolute = os.path.join(folder, path)
    parent = os.path.dirname(absolute)
    if checked is None or parent not in checked:
        try:
            real = os.path.realpath(parent)
        except OSError:  # a folder on the way is replaced at this moment
            return None
        if real != folder and not real.startswith(os.path.join(folder, "")):
            return None
        if checked is not None:
            checked.add(parent)
    return read_if_regular(absolute, limit_bytes, may_download=may_download)


def path_below(folder: str, path: str, paths: ModuleType = os.path) -> str | None:
    """Return a path relative to the folder that it is in, with slashes; None for one elsewhere, also on another drive.

    Both are absolute. `paths` are the rules for paths: those of this system, or `ntpath`.
    """
    try:
        relative: str = paths.relpath(path, folder)
    except ValueError:
        return None
    is_elsewhere = relative == paths.pardir or relative.startswith(paths.pardir + paths.sep)
    return None if is_elsewhere else relative.replace(paths.sep, "/")


def write_all(fd: int, content: bytes) -> None:
    """Write every byte to an open file, pipe or socket. Raise OSError, also if nobody reads the pipe any more."""
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]


MAX_SEARCH_MS = 500.0


def find_pipe_with_reader(
    folder: str,
    names: Sequence[str],
    git_dirs: Sequence[Path],
    is_cancelled: Callable[[], bool],
    note: Callable[[str], None],
    letting_go: AbstractContextManager[object],
    *,
    is_whole_tree: bool,
) -> str | None:
    """Return the relative path of a named pipe that a process waits to read, in git directories or in a folder.

    In the folder, and in all folders below it for `is_whole_tree`, it has one of the names.
    Return None if there is none, if it is cancelled or after MAX_SEARCH_MS. Without a waiting reader a pipe cannot be
    opened for writing at once. That lets the readers go on with an empty file: within `letting_go`, at whose end `note`
    gets the path.
    """
    if not _NO_WAIT:
        return None
    clock = SystemClock()
    ends_at_ms = clock.monotonic_ms() + MAX_SEARCH_MS
    special_files = _special_files_of(git_dirs, with_refs=is_whole_tree)
    for paths in chain(special_files, _named_files(folder, names, is_whole_tree=is_whole_tree)):
        if is_cancelled() or clock.monotonic_ms() > ends_at_ms:
            return None
        for path in paths:
            with suppress(OSError):
                if stat.S_ISFIFO(os.stat(path).st_mode):
                    found = os.path.relpath(path, folder)
                    with letting_go:
                        os.close(os.open(path, os.O_WRONLY | _NO_WAIT))
                        note(found)
                    return found
    return None


def _named_files(folder: str, names: Sequence[str], *, is_whole_tree: bool) -> Iterator[list[str]]:
    """Yield the paths that files of these names have in a folder, then those that exist in the folders below it."""
    yield [os.path.join(folder, name) for name in names]
    if is_whole_tree and names:
        for parent, folders, files in os.walk(folder):
            entries = {*folders, *files}
            yield [os.path.join(parent, name) for name in names if name.partition("/")[0] in entries]


_READ_FOLDERS = ("", "info", "objects/info", "objects/pack")
_REF_FOLDERS = ("refs", "logs", "modules")
"""Folders of a git directory with files that git opens; those of the second kind have many below them."""


_USER_FILES = ("~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore", "~/.config/git/attributes")
"""Files of the user that git opens in every repository."""


def _special_files_of(git_dirs: Iterable[Path], *, with_refs: bool) -> Iterator[list[str]]:
    """Yield, folder by folder, what is neither a file nor a folder in git directories, apart from single objects.

    The user's own files come first, whatever they are.
    """
    yield [os.path.expanduser(name) for name in _USER_FILES]
    for git_dir in git_dirs:
        for name in _READ_FOLDERS:
            yield _special_files_in(os.path.join(git_dir, name))
    for git_dir in git_dirs if with_refs else ():
        for name in _REF_FOLDERS:
            for parent, folders, _ in os.walk(os.path.join(git_dir, name)):
                if os.path.basename(parent) == "objects":
                    folders[:] = [folder for folder in folders if folder in ("info", "pack")]
                yield _special_files_in(parent)


def first_pipe_in(git_dirs: Iterable[Path], *, with_refs: bool) -> str | None:
    """Return the path of the first named pipe in the place of a file of git's; None if there is none."""
    for path in chain.from_iterable(_special_files_of(git_dirs, with_refs=with_refs)):
        with suppress(OSError):
            if stat.S_ISFIFO(os.stat(path).st_mode):
                return path
    return None


def _special_files_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if not (entry.is_file() or entry.is_dir())]
    except OSError:
        return []
