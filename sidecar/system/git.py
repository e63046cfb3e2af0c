"""The git command with a clean environment (no prompts, no locks, no console window), and libgit2.

`pygit2()` is the only import of that library.
"""

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from sidecar.core.clock import SystemClock
from sidecar.system.environment import NO_WINDOW, child_environment, temporary_variables, which
from sidecar.system.safe_open import find_pipe_with_reader, first_pipe_in, read_regular, real_path

NOT_A_REPOSITORY = "not a git repository"
DAMAGED = "the repository is damaged"
NO_WORK_TREE = "the folder is not in a work tree"
DAMAGED_INDEX = "the index is damaged"
DAMAGED_CONFIG = "the repository's configuration is damaged"
UNKNOWN_REVISION = "unknown revision"
UNKNOWN_FORMAT = "this git does not know the repository's format"
FOREIGN_OWNER = "the repository belongs to another user"
NO_PERMISSION = "no permission"
GIT_MISSING = "git is not installed"
XCODE_LICENSE = "the licence of Xcode was not accepted"

INSTALL_GIT = "Run `xcode-select --install`." if sys.platform == "darwin" else "Install git."
"""Remedy for a missing git."""

_CONFIG = (
    "--no-pager",
    "-c", "core.fsmonitor=false",  # never start the repository's daemon or hook
    "-c", "log.showSignature=false",  # would start gpg and mix its output with the commits
    "-c", "i18n.logOutputEncoding=UTF-8",
    "-c", "diff.suppressBlankEmpty=false",  # content lines keep their leading mark
    "-c", "diff.renameLimit=1000",
    "-c", "status.renameLimit=1000",
)  # fmt: skip

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",  # the same for older versions of git: nothing is fetched
    "LC_ALL": "C",
}

_PRESERVED_VARIABLES = ("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH")
"""The user's own settings of how git runs; the configuration's (`GIT_CONFIG_…`) are preserved too."""

_REASONS: Sequence[tuple[bytes, str]] = (
    (b"dubious ownership", FOREIGN_OWNER),
    (b"invalid gitfile format", DAMAGED),
    (b"filesystem boundary", NOT_A_REPOSITORY),
    (b"not a git repository", NOT_A_REPOSITORY),
    (b"must be run in a work tree", NO_WORK_TREE),
    (b"repository extension", UNKNOWN_FORMAT),
    (b"Expected git repo version", UNKNOWN_FORMAT),
    (b"unknown revision", UNKNOWN_REVISION),
    (b"bad object", UNKNOWN_REVISION),
    (b"bad revision", UNKNOWN_REVISION),
    (b"Invalid revision range", UNKNOWN_REVISION),
    (b"Permission denied", NO_PERMISSION),
    (b"index file", DAMAGED_INDEX),
    (b"index signature", DAMAGED_INDEX),
    (b"unable to read", DAMAGED),
    (b"bad tree object", DAMAGED),
    (b"is corrupt", DAMAGED),
    (b"bad config", DAMAGED_CONFIG),
    (b"xcodebuild -license", XCODE_LICENSE),
    (b"xcrun: error", GIT_MISSING),
    (b"No developer tools were found", GIT_MISSING),
)

STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--find-renames",
    "--ignore-submodules=none",
)  # fmt: skip
"""Arguments of the status that a worktree's state is read from."""

DEFAULT_TIMEOUT_SECONDS, _SELECT_SECONDS = 20.0, 5.0
_MAX_OUTPUT_BYTES = 4_096

_GIT_FILES = (".gitignore", ".gitattributes", ".gitmodules", ".git/info/exclude", ".git/info/attributes")
"""Files of the worktree that git opens without a check; it waits forever for a named pipe in their place."""

_GIT_FILE_ENDS = tuple(name.removeprefix(".git/") for name in _GIT_FILES)

_READERS = frozenset(("status", "ls-files", "check-ignore", "add", "diff"))
"""Commands that open those of the worktree."""

_OTHERS = frozenset(("log", "rev-list", "rev-parse", "config"))
"""Commands that open none of them."""

_ROOT_CHECK_SECONDS, _TREE_CHECK_SECONDS = 0.05, 0.2
"""Waits before the root, then all folders are searched for such pipes."""

_MAX_PIPE_BYTES = 16 * 1024
"""Size that every pipe takes at once."""

ANY_PROTOCOL = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
"""Value for `variables` if the command runs the user's own programs, such as hooks: git's default protocols."""


class GitFailed(Exception):
    """The command failed; `reason` is a short phrase, never its output, which `output` has for the user to see."""

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.output = output


class GitMissing(GitFailed):
    """git is not installed on this machine."""

    def __init__(self) -> None:
        super().__init__(GIT_MISSING)


class GitTimedOut(GitFailed):
    """The command was ended because it took too long."""

    def __init__(self) -> None:
        super().__init__("git timed out")


_Key = tuple[Path, Path | None, tuple[str, ...]]


class _OutputFiles(NamedTuple):
    """Descriptors of the two files, without a name, that a command writes to.

    A pipe ends only when all programs that inherited it have ended, such as one that a hook of the repository started
    and left running, and a command stops after the 64 KiB that it takes unless somebody reads. And beside two busy
    threads 2 MB of output take a seventh longer through a pipe (217 ms instead of 188).
    """

    output: int
    errors: int

    @classmethod
    def create(cls) -> "_OutputFiles":
        """Create the files; raise OSError."""
        output = _create_output_file()
        try:
            return cls(output, _create_output_file())
        except OSError:
            os.close(output)
            raise

    def close(self) -> None:
        """Delete the files."""
        for descriptor in self:
            os.close(descriptor)


class _Command(NamedTuple):
    process: "subprocess.Popen[bytes]"
    arguments: Sequence[str]
    started_ms: float
    """Monotonic time."""
    files: _OutputFiles | None
    """Files that the command writes to; None on Windows, where it writes to pipes."""

    @property
    def may_open_git_files(self) -> bool:
        """Whether it could open files of the worktree that could be named pipes."""
        return _OTHERS.isdisjoint(self.arguments[:1])

    @property
    def opens_git_files(self) -> bool:
        """Whether it opens files of the worktree that could be named pipes."""
        return not _READERS.isdisjoint(self.arguments)

    @contextmanager
    def closing(self) -> Generator[None]:
        """Wait for the command at the end, and close its files."""
        try:
            with self.process:
                yield
        finally:
            if self.files is not None:
                self.files.close()

    def communicate(self, stdin: bytes | None, timeout: float) -> tuple[bytes, bytes]:
        """Return both outputs of the command, which has ended; raise TimeoutExpired."""
        if stdin is not None and len(stdin) > _MAX_PIPE_BYTES:
            pipe, self.process.stdin = self.process.stdin, None
            threading.Thread(target=_write_input, args=(pipe, stdin), daemon=True).start()
            stdin = None  # after a timeout, `Popen.communicate` would not write the rest
        output, error_output = self.process.communicate(stdin, timeout=timeout)
        if self.files is not None:
            return _content_of(self.files.output), _content_of(self.files.errors)
        return output, error_output


def _write_input(pipe: IO[bytes], stdin: bytes) -> None:
    with suppress(OSError), pipe:  # the command may not read all of it
        pipe.write(stdin)


_started: dict[_Key, _Command] = {}
"""Commands that run before their output is needed, by folder, root and arguments."""

_found_pipes: dict[str, tuple[float, str]] = {}
"""The pipe last found in each folder, with the monotonic time. Finding one ends the wait of every command."""

_letting_go = threading.Lock()
"""Held while a pipe's readers are let go on and until that is noted."""


class Git:
    """Run git in one folder, or on a pair of git directory and worktree.

    `root` is the highest folder in which git looks for a repository. `variables` are added to its environment.
    """

    def __init__(
        self,
        cwd: Path,
        git_dir: Path | None = None,
        root: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.cwd = cwd
        self._variables = variables or {}
        self._location_arguments = () if git_dir is None else (f"--git-dir={git_dir}", f"--work-tree={cwd}")
        self._root = root

    def run(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        success_codes: tuple[int, ...] = (0,),
    ) -> bytes:
        """Return the command's output; raise GitFailed, or GitMissing if git is not installed.

        `success_codes` lists the exit codes that mean success.
        """
        started = _started.pop(self._key(arguments), None) if _started else None
        command = started or self._start(arguments, has_input=stdin is not None)
        process = command.process
        with command.closing():
            try:
                output, error_output = self._communicate(command, stdin, timeout)
            except GitFailed:
                process.kill()
                raise
        if process.returncode not in success_codes:
            shown = (error_output + output)[-_MAX_OUTPUT_BYTES:].decode("utf-8", "replace")
            raise GitFailed(_reason(error_output), shown)
        return output

    def start(self, *arguments: str) -> None:
        """Start a command; the next `run` of it, without input, returns its output. Raise GitFailed."""
        _started[self._key(arguments)] = self._start(arguments, has_input=False)

    def _key(self, arguments: tuple[str, ...]) -> _Key:
        return self.cwd, self._root, (*self._location_arguments, *arguments)

    @contextmanager
    def running(self, *arguments: str, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> Generator[Callable[[], bytes]]:
        """Run a command beside the block; the value returns its output. Raise GitFailed like `run`."""
        command = self._start(arguments, has_input=False)
        process = command.process

        def output() -> bytes:
            text, error_output = self._communicate(command, None, timeout)
            if process.returncode != 0:
                raise GitFailed(_reason(error_output))
            return text

        with command.closing():
            try:
                yield output
            finally:
                if process.poll() is None:
                    process.kill()

    def _communicate(self, command: _Command, stdin: bytes | None, timeout: float) -> tuple[bytes, bytes]:
        """Return both outputs; raise GitFailed at the timeout, and early if git waits for a named pipe."""
        folder = os.fspath(self._root or self.cwd)
        outputs = self._outputs(command, folder, stdin, timeout)
        with _letting_go:
            found_ms, pipe = _found_pipes.get(folder, (0.0, ""))
        is_opened = command.opens_git_files or not pipe.endswith(_GIT_FILE_ENDS)
        if pipe and is_opened and found_ms >= command.started_ms:  # it was let go on by another's search
            raise GitFailed(pipe_reason(pipe))
        return outputs

    def _outputs(self, command: _Command, folder: str, stdin: bytes | None, timeout: float) -> tuple[bytes, bytes]:
        def note(pipe: str) -> None:
            _found_pipes[folder] = SystemClock().monotonic_ms(), pipe

        for wait, is_whole_tree in ((_ROOT_CHECK_SECONDS, False), (_TREE_CHECK_SECONDS, True)):
            if wait >= timeout:
                break
            try:
                return command.communicate(stdin, wait)
            except subprocess.TimeoutExpired as error:
                stdin = None  # `communicate` has it
                names = _GIT_FILES if command.may_open_git_files else ()
                pipe = find_pipe_with_reader(
                    folder, names, git_dirs_of(Path(folder)), lambda: command.process.poll() is not None,
                    note, _letting_go, is_whole_tree=is_whole_tree,
                )  # fmt: skip
                if pipe is not None:
                    raise GitFailed(pipe_reason(pipe)) from error
        try:
            return command.communicate(stdin, timeout)
        except subprocess.TimeoutExpired as error:
            raise GitTimedOut from error

    def _start(self, arguments: Sequence[str], *, has_input: bool) -> _Command:
        program = _program()
        started_ms, files = SystemClock().monotonic_ms(), None
        try:
            files = None if sys.platform == "win32" else _OutputFiles.create()
            process = subprocess.Popen(
                [program, *_CONFIG, *self._location_arguments, *arguments],
                cwd=self.cwd,
                env={**_child_environment(self._root), **self._variables},
                stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
                stdout=subprocess.PIPE if files is None else files.output,
                stderr=subprocess.PIPE if files is None else files.errors,
                creationflags=NO_WINDOW,
            )
        except OSError as error:
            if files is not None:
                files.close()
            if isinstance(error, FileNotFoundError | NotADirectoryError) and not self.cwd.exists():
                raise GitFailed("the folder does not exist") from error
            if isinstance(error, FileNotFoundError):
                raise GitMissing from error
            raise GitFailed(f"git could not be started ({type(error).__name__})") from error
        return _Command(process, arguments, started_ms, files)

    def text(self, *arguments: str) -> str:
        """Return the command's output as text without the final line break."""
        return self.run(*arguments).decode("utf-8", "replace").rstrip("\n")

    @staticmethod
    def version() -> str:
        """Return `git version …`; raise GitMissing."""
        return Git(Path(os.path.dirname(sys.executable) or os.sep)).text("version")  # the current folder may be gone


_HAS_APPLE_SHIM, _APPLE_SHIM = sys.platform == "darwin", "/usr/bin/git"
_XCODE_SELECT, _COMMAND_LINE_TOOLS = "/usr/bin/xcode-select", "/Library/Developer/CommandLineTools"


def _program() -> str:
    """Return the program to start; raise GitMissing.

    Windows would prefer a `git.exe` in the current folder. Each start of Apple's `/usr/bin/git` without the developer
    tools opens a dialog that offers to install them.
    """
    if sys.platform == "win32":
        program = which("git", extensions=".exe")
        if program is None:
            raise GitMissing
        return program
    if not _HAS_APPLE_SHIM:
        return "git"
    programs = (os.path.join(folder, "git") for folder in os.get_exec_path())
    if next((program for program in programs if os.access(program, os.X_OK)), None) != _APPLE_SHIM:
        return "git"
    for folder in (_developer_folder(), _COMMAND_LINE_TOOLS):
        program = f"{folder}/usr/bin/git"
        if folder and os.access(program, os.X_OK):
            return program
    raise GitMissing


@cache
def _developer_folder() -> str:
    """Return the folder of Apple's developer tools in use; empty if there are none. It opens no dialog."""
    try:
        command = (_XCODE_SELECT, "--print-path")
        return os.fsdecode(subprocess.check_output(command, stderr=subprocess.DEVNULL, timeout=_SELECT_SECONDS).strip())
    except (OSError, subprocess.SubprocessError):
        return ""


def end_started() -> None:
    """End the started commands whose output nobody read."""
    while _started:
        with suppress(KeyError):  # another thread reads it
            command = _started.popitem()[1]
            with command.closing():
                command.process.kill()


def _create_output_file() -> int:
    """Return the descriptor of a new file, in memory where the system has that; raise OSError."""
    if sys.platform == "linux":
        with suppress(OSError):  # the system does not allow it
            return os.memfd_create("git-output", os.MFD_CLOEXEC)
    from tempfile import mkstemp  # not needed where the files are in memory

    descriptor, path = mkstemp()
    os.unlink(path)
    return descriptor


def _content_of(descriptor: int) -> bytes:
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return b"".join(iter(partial(os.read, descriptor, size), b""))


def _child_environment(root: Path | None) -> dict[str, str]:
    """Return the user's environment without variables that would point git at another repository."""
    variables = {
        name: value
        for name, value in child_environment().items()
        if not name.startswith("GIT_") or name in _PRESERVED_VARIABLES or name.startswith("GIT_CONFIG_")
    }
    if root is not None and os.pathsep not in str(root):
        variables["GIT_CEILING_DIRECTORIES"] = str(root.parent)
    return {**variables, **_ENVIRONMENT}


def pipe_reason(pipe: str) -> str:
    """Return why nothing is read, with the pipe's path."""
    return f"{pipe if pipe.isprintable() else 'a file'} is a named pipe"


def _reason(stderr: bytes) -> str:
    return next((reason for pattern, reason in _REASONS if pattern in stderr), "git failed")


@cache
def pygit2() -> Any:
    """Import pygit2 on first use.

    pygit2 loads the system's certificates at import and fails without any. Only `fetch` needs them and sets them
    itself, so an empty folder replaces them here, which also saves reading a few hundred certificates.
    """
    empty = {
        "SSL_CERT_FILE": sys.prefix,
        "SSL_CERT_DIR": sys.prefix,
    }  # a folder is not a certificate file and contains no certificate
    with temporary_variables(empty):
        import pygit2 as library

    return library


def lookup_name(name: str) -> str:
    """Return the one string of a path or a reference's name, to look it up in a tree or among the references.

    pygit2 1.21 never releases the string that it is given there: a new one for each lookup would stay in memory.
    """
    return sys.intern(name)


def require_no_pipe(folder: str, *, with_refs: bool = True) -> None:
    """Raise OSError if a named pipe is in the place of a file of git's, in the repository at or above a folder.

    libgit2 opens these files without a check. It would wait for ever, and all threads of the process with it.
    """
    pipe = first_pipe_in(git_dirs_of(Path(folder)), with_refs=with_refs)
    if pipe is not None:
        raise OSError(errno.EINVAL, pipe_reason(os.path.relpath(pipe, folder)))


def open_repository(folder: str, *, with_refs: bool = True) -> Any:
    """Open a repository with libgit2. Raise the library's errors, and OSError for a named pipe among git's files.

    `with_refs` is False if only its configuration, its index and its objects are read.
    """
    require_no_pipe(folder, with_refs=with_refs)
    return pygit2().Repository(folder)


MAX_POINTER_BYTES = 64 * 1024
"""Maximum size of a file that contains one path."""

_GITDIR = "gitdir: "
HEADS, SYMBOLIC = "refs/heads/", "ref: "
"""Beginnings of a branch's full name, and of a file that names another ref instead of a commit."""


def first_line_of(path: Path) -> str:
    """Return the first line of a small file of git's, without its line end; empty if it cannot be read."""
    try:
        text = read_regular(str(path), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    return text.partition("\n")[0].strip()


def find_root(cwd: Path) -> Path | None:
    """Return the nearest folder at or above `cwd` that git treats as a worktree's root.

    Like git, skip a folder `.git` that contains no repository; a file `.git` always counts.
    """
    for folder in (cwd, *cwd.parents):
        dot_git = folder / ".git"
        if dot_git.is_file() or (dot_git.is_dir() and is_git_dir(dot_git)):
            return folder
    return None


def git_dir_of(root: Path) -> Path | None:
    """Return the git directory of a worktree: `.git` itself, or the target of the file `.git`."""
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        text = read_regular(str(dot_git), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    return root / text.removeprefix(_GITDIR).rstrip("\r\n") if text.startswith(_GITDIR) else None


def common_dir_of(root: Path) -> Path | None:
    """Return the git directory that all worktrees of a repository share, without symbolic links."""
    git_dir = git_dir_of(root)
    return None if git_dir is None else real_path(git_dir / first_line_of(git_dir / "commondir"))


def git_dirs_of(folder: Path) -> list[Path]:
    """Return the git directories of the repository at or above a folder: its own, and the one worktrees share."""
    for root in (folder, *folder.parents):
        git_dir = git_dir_of(root) or (root if is_git_dir(root) else None)
        if git_dir is not None:
            return list(dict.fromkeys((git_dir, git_dir / first_line_of(git_dir / "commondir"))))
    return []


def main_worktree(folder: Path) -> Path:
    """Return the folder that all worktrees of a linked worktree's repository share; otherwise the folder itself.

    That is the main worktree. A bare repository has none: there it is the folder whose `.git` leads to the repository
    beside its worktrees, else the repository itself. The repository must know the worktree, as git requires: a file
    `.git` alone could point to any repository.
    """
    try:
        git_dir, common = git_dir_of(folder), common_dir_of(folder)
        if git_dir is None or common is None or real_path(git_dir) == common:
            return folder
        shared = _folder_of_worktrees(common)
        if shared is None:
            return folder
        known = read_regular(str(git_dir / "gitdir"), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape").strip()
        is_known = os.path.samefile(git_dir / known, folder / ".git")
    except OSError:
        return folder
    return shared if is_known else folder


def _folder_of_worktrees(common: Path) -> Path | None:
    """Return the folder that the worktrees of a git directory share; None if it is only known to git's configuration.

    That is so for a submodule, and for a git directory elsewhere than its main worktree.
    """
    git_dir_beside = git_dir_of(common.parent)
    if git_dir_beside is not None and real_path(git_dir_beside) == common:
        return common.parent
    return common if _is_bare(common) else None


def _is_bare(git_dir: Path) -> bool:
    """Whether the configuration of a git directory declares it as bare, read without git."""
    is_bare = False
    for name in ("config", "config.worktree"):
        try:
            text = read_regular(str(git_dir / name), MAX_POINTER_BYTES).decode("utf-8", "surrogateescape")
        except OSError:
            continue
        section = ""
        for line in text.lower().splitlines():
            key, has_value, value = (part.strip() for part in line.partition("="))
            if key.startswith("["):
                section = key
            elif section == "[core]" and key == "bare":
                is_bare = not has_value or value in ("true", "yes", "on", "1")
    return is_bare


def is_git_dir(git_dir: Path) -> bool:
    """Whether git treats a folder as a git directory; a bare repository is one."""
    if not os.path.lexists(git_dir / "HEAD"):
        return False
    return (git_dir / "commondir").is_file() or ((git_dir / "objects").is_dir() and (git_dir / "refs").is_dir())
