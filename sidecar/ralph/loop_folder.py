"""The folder of a change's loop, `.spool/.state/ralph/<change-id>/`: its files, state, history and the user's context.

git ignores it through its own `.gitignore`. `state.json` is replaced atomically; `history.jsonl` is append-only. The
context that the user adds to a running loop is appended under a lock and read at each iteration. Lock, stop request and
a copy of that context are in the worktree's git directory, which no `git clean` empties.
"""

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from sidecar.core.digests import digest_bytes
from sidecar.core.errors import Busy, InvalidParams, PolicyDenied, StateDegraded, WorkspaceUnavailable
from sidecar.core.lazy_regex import lazy_regex
from sidecar.ralph.model import RalphIteration, RalphState
from sidecar.system import filelock
from sidecar.system.atomic_write import write_atomic, write_resolved
from sidecar.system.environment import user_state_folder
from sidecar.system.git import git_dir_of, is_git_dir
from sidecar.system.safe_open import (
    make_private_folder,
    open_real_folder,
    open_real_parent,
    open_regular,
    read_regular,
    real_path,
    write_all,
)

STATE_PARTS = (".spool", ".state", "ralph")
MAX_ID_CHARACTERS = 100

_ID = lazy_regex(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_ID_CHARACTERS - 1}}}")
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10)))
)  # fmt: skip
"""Reserved file names on Windows, with any suffix."""

_IGNORE_ALL = b"# Kept on this machine only.\n*\n"


@dataclass(frozen=True, slots=True)
class LoopFolder:
    """One change's folder and the files in it."""

    root: Path
    """The top of the git worktree, or the working folder outside git."""
    change: str
    path: Path
    control: Path
    """Folder of lock, stop request and copy of the context of every change of the worktree."""

    @property
    def context(self) -> str:
        """Context added by the user, for all later iterations."""
        return str(self.path / "context.md")

    @property
    def context_copy(self) -> str:
        """Copy of the context, from which a deleted file is restored."""
        return str(self.control / f"{self.change}.context")

    @property
    def state(self) -> str:
        """State of the loop, replaced as a whole."""
        return str(self.path / "state.json")

    @property
    def history(self) -> str:
        """One line per iteration, append-only."""
        return str(self.path / "history.jsonl")

    @property
    def lock(self) -> str:
        """Held by the process that runs the loop; names it and its agent."""
        return str(self.control / f"{self.change}.lock")

    @property
    def stop(self) -> str:
        """Exists after a request to stop the loop."""
        return str(self.control / f"{self.change}.stop")

    @property
    def iterations(self) -> Path:
        """Folder with the prompt and the output of each iteration."""
        return self.path / "iterations"

    def prompt_path(self, number: int) -> Path:
        """Return the path of an iteration's prompt."""
        return self.iterations / f"{number:04}.prompt.md"

    def output_path(self, number: int) -> Path:
        """Return the path of the agent's output, which is capped."""
        return self.iterations / f"{number:04}.output"

    def check_output_path(self, number: int) -> Path:
        """Return the path of the output of the iteration's last check, which is capped."""
        return self.iterations / f"{number:04}.verify"


def validate_change_id(change: str) -> str:
    """Return a valid change id; raise InvalidParams for anything else than one path-safe name."""
    if not _ID.fullmatch(change) or change.endswith(".") or change.split(".", maxsplit=1)[0].lower() in _DEVICES:
        raise InvalidParams(
            "The change id is not a path-safe name.",
            hint=f"Use at most {MAX_ID_CHARACTERS} letters, digits, `.`, `_` and `-`; start with a letter or digit, and"
            " do not end with `.`. Device names of Windows, such as `con`, cannot be used.",
        )
    return change


def loop_folder(cwd: Path, change: str) -> LoopFolder:
    """Return a change's folder for a loop that works in `cwd`; create nothing.

    Raise InvalidParams for an invalid id, WorkspaceUnavailable if `cwd` does not exist, and PolicyDenied if a link
    leads out of the project.
    """
    validate_change_id(change)
    if not cwd.is_dir():
        raise WorkspaceUnavailable("The working folder does not exist.", hint=f"Create {cwd}, or name another folder.")
    root = worktree_top(cwd)
    folder = LoopFolder(root, change, root.joinpath(*STATE_PARTS, change), _control_folder(root))
    try:
        is_real = Path(os.path.realpath(folder.iterations)) == folder.iterations
    except OSError:  # it is replaced at this moment
        is_real = False
    if not is_real:
        raise PolicyDenied(
            "The loop's folder is a link out of the project.", hint=f"Remove the link below {root / STATE_PARTS[0]}."
        )
    return folder


def worktree_top(cwd: Path) -> Path:
    """Return the top of the git worktree that contains a folder, else the folder."""
    here = real_path(cwd) or cwd
    return next((folder for folder in (here, *here.parents) if os.path.lexists(folder / ".git")), here)


def _control_folder(root: Path) -> Path:
    git_dir = git_dir_of(root)
    if git_dir is not None and is_git_dir(git_dir):
        return git_dir.resolve() / "onecode-ralph"
    return Path(os.path.realpath(user_state_folder())) / "ralph" / digest_bytes(os.fsencode(root))[:32]


def create_folder(folder: LoopFolder) -> None:
    """Create a change's folder if it does not exist or was removed; raise WorkspaceUnavailable if that fails."""
    state = folder.root.joinpath(*STATE_PARTS[:2])
    ignore = str(state / ".gitignore")
    try:
        make_private_folder(str(folder.control))
        folder.root.joinpath(STATE_PARTS[0]).mkdir(mode=0o755, exist_ok=True)
        make_private_folder(str(folder.iterations))
        if not os.path.lexists(ignore):
            write_resolved(ignore, _IGNORE_ALL, durable=False)
    except OSError as error:
        raise WorkspaceUnavailable(
            f"The loop's folder cannot be created: {error.strerror or type(error).__name__}.",
            hint=f"Check the permissions of {folder.path}.",
        ) from error


def delete_file(path: str) -> None:
    """Delete a file if it exists."""
    with suppress(OSError), open_real_parent(path) as (folder, name):
        folder.unlink(name)


MAX_STORED_ITERATIONS = 100
"""Number of iterations whose files are retained; older ones remain in the history."""
MAX_STORED_BYTES = 64 * 2**20
"""Maximum total size of these files; the oldest are deleted first."""
MAX_STORED_PROMPT_BYTES = 512 * 1024

_NUMBERED = lazy_regex(r"(\d{4,})\.(?:prompt\.md|output|verify|cmd)")


def write_prompt(path: Path, prompt: str) -> None:
    """Write a complete prompt, which a harness may read from the file. Raise StateDegraded."""
    try:
        write_resolved(str(path), prompt.encode("utf-8", "replace"), durable=False, is_private=True)
    except OSError as error:
        raise StateDegraded(
            f"The prompt cannot be written: {error.strerror or type(error).__name__}.",
            hint=f"Check the permissions of {path}.",
        ) from error


def prune_files(folder: LoopFolder, last: int) -> None:
    """Shorten the prompt of the iteration that just ended, and delete the files of old iterations."""
    with suppress(OSError):
        _shorten(folder.prompt_path(last))
    with suppress(OSError):
        total = 0
        for number, size, path in sorted(_iteration_files(folder), reverse=True):
            total += size
            if number <= last - MAX_STORED_ITERATIONS or (total > MAX_STORED_BYTES and number != last):
                delete_file(path)


def _iteration_files(folder: LoopFolder) -> Iterator[tuple[int, int, str]]:
    """Yield number, size and path of each file of an iteration."""
    with os.scandir(folder.iterations) as entries:
        for entry in entries:
            if (match := _NUMBERED.fullmatch(entry.name)) is not None:
                yield int(match[1]), entry.stat(follow_symlinks=False).st_size, entry.path


def delete_iteration_files(folder: LoopFolder) -> None:
    """Delete the files of all iterations; raise StateDegraded."""
    try:
        with open_real_folder(str(folder.path), [folder.iterations.name]) as iterations:
            names = os.listdir(iterations.path if iterations.fd is None else iterations.fd)
            for name in filter(_NUMBERED.fullmatch, names):
                iterations.unlink(name)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateDegraded(f"The iterations' files cannot be deleted: {error.strerror}.") from error


def _shorten(path: Path) -> None:
    size = path.stat().st_size
    if size <= MAX_STORED_PROMPT_BYTES:
        return
    half = MAX_STORED_PROMPT_BYTES // 2
    with os.fdopen(open_regular(str(path)), "rb") as stream:
        head = stream.read(half)
        stream.seek(size - half)
        tail = stream.read()
    cut = f"\n\n[… {size - 2 * half} bytes omitted …]\n\n".encode()
    write_resolved(str(path), head + cut + tail, durable=False, is_private=True)


MAX_HISTORY_BYTES = 256 * 2**20
"""Enough for tens of thousands of iterations; a larger file was not written by the loop."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND


class LoopHistory(NamedTuple):
    """The iterations of a change."""

    iterations: list[RalphIteration]
    damaged: int
    """Number of unreadable lines."""

    @property
    def last_number(self) -> int:
        """The highest iteration number; 0 without iterations."""
        return max((iteration.number for iteration in self.iterations), default=0)


def append_iteration(folder: LoopFolder, iteration: RalphIteration) -> None:
    """Append an iteration and sync it to disk. Raise StateDegraded.

    Only the holder of the lock calls this. A line torn by a crash stays, as a line of its own.
    """
    line = iteration.model_dump_json(by_alias=True).encode() + b"\n"
    create_folder(folder)
    try:
        with open_real_parent(folder.history) as (place, name):
            fd = open_regular(place.at(name), _FLAGS, mode=0o600, folder_fd=place.fd)
        try:
            size = os.fstat(fd).st_size
            if size and _last_byte(fd, size) != b"\n":
                line = b"\n" + line
            write_all(fd, line)
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise StateDegraded(
            f"The loop's history cannot be written: {error.strerror or type(error).__name__}.",
            hint=_write_hint(folder.history),
        ) from error


def read_history(folder: LoopFolder) -> LoopHistory:
    """Read the history; empty if it does not exist or cannot be read. A line torn by a crash is skipped and counted."""
    try:
        lines = read_regular(folder.history, MAX_HISTORY_BYTES, follow_links=False).split(b"\n")
    except OSError:
        return LoopHistory([], 0)
    iterations: list[RalphIteration] = []
    damaged = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            iterations.append(RalphIteration.model_validate_json(line, by_alias=True, by_name=False))
        except ValidationError:
            damaged += 1
    return LoopHistory(iterations, damaged)


def _last_byte(fd: int, size: int) -> bytes:
    os.lseek(fd, size - 1, os.SEEK_SET)
    return os.read(fd, 1)


MAX_STATE_BYTES = 4 * 2**20


def write_state(folder: LoopFolder, state: RalphState) -> None:
    """Write the state of the loop; raise StateDegraded, WorkspaceUnavailable."""
    create_folder(folder)
    try:
        write_resolved(folder.state, state.model_dump_json(by_alias=True, indent=2).encode() + b"\n", is_private=True)
    except OSError as error:
        raise StateDegraded(
            f"The loop's state cannot be written: {error.strerror or type(error).__name__}.",
            hint=_write_hint(folder.state),
        ) from error


def _write_hint(path: str) -> str:
    return f"Remove the folder {path}." if os.path.isdir(path) else f"Check the permissions of {path}."


def read_state(folder: LoopFolder) -> RalphState | None:
    """Return the last state of the loop; None if unknown."""
    try:
        content = read_regular(folder.state, MAX_STATE_BYTES, follow_links=False)
        return RalphState.model_validate_json(content, by_alias=True, by_name=False)
    except (OSError, ValidationError):
        return None


def file_size(path: str) -> int:
    """Return a file's size in bytes; 0 if there is no regular file."""
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


WAIT_SECONDS = 60.0
"""Hundreds of processes may append at once; each write takes a moment."""

_RETRY: dict[str, object] = {"retryAfterMs": 1_000}

MAX_CONTEXT_BYTES = 4 * 2**20


class UserContext(NamedTuple):
    """The content of the file."""

    text: str
    problem: str
    """Reason why the file could not be read, in a sentence; empty otherwise."""


def add_user_context(folder: LoopFolder, text: str) -> int:
    """Append a text on lines of its own and return the new file size in bytes.

    Raise InvalidParams for an empty text or one that does not fit, WorkspaceUnavailable if the file cannot be written.
    """
    added = text.replace("\r\n", "\n").strip("\n")
    if not added.strip():
        raise InvalidParams("The context is empty, so nothing was added.")
    create_folder(folder)
    with _open_locked(folder) as fd:
        size = os.fstat(fd).st_size
        lacks_line_end = size > 0 and _last_byte(fd, size) != b"\n"
        line = ("\n" if lacks_line_end else "").encode() + added.encode("utf-8", "replace") + b"\n"
        if size + len(line) > MAX_CONTEXT_BYTES:
            raise InvalidParams(
                f"The context would be larger than {MAX_CONTEXT_BYTES} bytes, so nothing was added.",
                hint=f"It has {size} bytes; `ralph/clearContext` empties it.",
            )
        write_all(fd, line)
        os.fsync(fd)
        _copy_user_context(folder)
        return os.fstat(fd).st_size


def clear_user_context(folder: LoopFolder) -> int:
    """Empty the file and return its former size in bytes; raise WorkspaceUnavailable."""
    if not os.path.lexists(folder.context):
        size = file_size(folder.context_copy)
        delete_file(folder.context_copy)
        return size
    with _open_locked(folder) as fd:
        size = os.fstat(fd).st_size
        delete_file(folder.context_copy)
        os.ftruncate(fd, 0)
        os.fsync(fd)
        return size


def user_context_size(folder: LoopFolder) -> int:
    """Return the size of the context in bytes, also while only its copy exists."""
    return file_size(folder.context if os.path.lexists(folder.context) else folder.context_copy)


def preserve_user_context(folder: LoopFolder) -> str:
    """Copy the file, or restore a deleted one from its copy; return a sentence if it was restored."""
    if os.path.lexists(folder.context):
        _copy_user_context(folder)
        return ""
    if not file_size(folder.context_copy):
        return ""
    create_folder(folder)
    with _open_locked(folder):
        return "The file of the added context had been deleted, perhaps by `git clean`; it was restored."


def read_user_context(folder: LoopFolder) -> UserContext:
    """Read the file; a missing, torn or unreadable one does not stop the loop."""
    try:
        content = read_regular(folder.context, MAX_CONTEXT_BYTES, follow_links=False)
        return UserContext(content.decode("utf-8", "replace").strip(), "")
    except FileNotFoundError:
        return UserContext(_read_copy(folder).decode("utf-8", "replace").strip(), "")
    except OSError as error:
        return UserContext("", f"The added context cannot be read: {error.strerror or type(error).__name__}.")


def _read_copy(folder: LoopFolder) -> bytes:
    with suppress(OSError):
        return read_regular(folder.context_copy, MAX_CONTEXT_BYTES, follow_links=False)
    return b""


def _copy_user_context(folder: LoopFolder) -> None:
    """Copy the file if it differs from its copy; the file itself counts, so errors are ignored."""
    with suppress(OSError):
        content = read_regular(folder.context, MAX_CONTEXT_BYTES, follow_links=False)
        if content != _read_copy(folder):
            make_private_folder(str(folder.control))
            write_atomic(folder.context_copy, content, durable=False, is_private=True)


@contextmanager
def _open_locked(folder: LoopFolder) -> Generator[int]:
    """Open and lock the file; restore a deleted one from its copy first."""
    is_missing = not os.path.lexists(folder.context)
    try:
        fd = _open_and_lock(folder.context)
        try:
            if is_missing and not os.fstat(fd).st_size:
                write_all(fd, _read_copy(folder))
            yield fd
        finally:
            filelock.release(fd)
            os.close(fd)
    except OSError as error:
        raise WorkspaceUnavailable(
            f"The context file cannot be written: {error.strerror or type(error).__name__}."
        ) from error


def _open_and_lock(path: str) -> int:
    """Open and lock the file; open it again if an editor replaced it meanwhile."""
    while True:
        with open_real_parent(path) as (folder, name):
            fd = open_regular(folder.at(name), _FLAGS, mode=0o600, folder_fd=folder.fd)
        try:
            is_locked = filelock.acquire(fd, WAIT_SECONDS)
            if is_locked and _is_in_place(fd, path):
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)
        if not is_locked:
            raise Busy("Other processes are adding context; nothing was added.", hint="Try again.", data=_RETRY)


def _is_in_place(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False
