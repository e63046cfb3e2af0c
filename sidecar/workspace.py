"""A workspace: the git worktree an agent works in, and its project, also after that was moved."""

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from sidecar.core.digests import short_id
from sidecar.core.errors import SidecarError, WorkspaceUnavailable
from sidecar.core.lru_cache import LruCache
from sidecar.storage.database import Database
from sidecar.storage.purgeable_rows import FOLDERS, USERS_TABLES, has_rows, move_project
from sidecar.system.git import find_root, git_dir_of, is_git_dir, main_worktree
from sidecar.system.log import Log
from sidecar.system.safe_open import FolderIdentity, folded, folder_identity, is_same_file, real_path

if TYPE_CHECKING:
    from sidecar.slice_states import WorkspaceSlices

MAX_WORKSPACES = 32

IF_MOVED = "If it was moved, name its new path; what is stored for a git repository follows it."
"""Hint for a project whose folder does not exist."""


class Workspace:
    """One `cwd` with its `projectPath`, and what slices hold in memory for it."""

    slices: "WorkspaceSlices"
    """The slices' state that lives as long as the workspace is in use."""

    def __init__(self, cwd: Path, project: Path) -> None:
        self.cwd = cwd
        self.project = project
        self.key = _path_id(cwd)
        self.project_key = project_key(project)

    def require(self) -> None:
        """Raise WorkspaceUnavailable unless `cwd` is a folder this user can read."""
        try:
            os.scandir(self.cwd).close()
        except FileNotFoundError as error:
            raise WorkspaceUnavailable(
                "The workspace's folder does not exist.", hint="If it was moved, name its new path."
            ) from error
        except NotADirectoryError as error:
            raise WorkspaceUnavailable("The workspace is not a folder.", hint="Name a folder.") from error
        except PermissionError as error:
            raise WorkspaceUnavailable(
                "The workspace's folder is not readable.", hint="Give this user the permission to read it."
            ) from error
        except OSError as error:
            raise WorkspaceUnavailable("The workspace's folder cannot be read.") from error

    def require_project(self, hint: str = IF_MOVED) -> None:
        """Raise WorkspaceUnavailable unless the project's folder exists."""
        if not self.project.is_dir():
            raise WorkspaceUnavailable("The project's folder does not exist.", hint=hint)


_Identity = tuple[int, int, int]
"""Device, inode, and of a file its time of modification in nanoseconds."""


class Workspaces:
    """The workspaces in use; the least recently used one is dropped first (files on disk stay)."""

    def __init__(
        self, create_slices: "Callable[[Workspace], WorkspaceSlices]", project_folders: "ProjectFolders"
    ) -> None:
        self._create_slices = create_slices
        self._project_folders = project_folders
        self._replaced: set[Path] = set()
        """Paths at which another folder appeared, or whose project was moved, since they were last used."""

        self._open: LruCache[tuple[str, str], Workspace] = LruCache(MAX_WORKSPACES)
        self._main_worktrees: LruCache[tuple[Path, _Identity], Path] = LruCache(4 * MAX_WORKSPACES)
        """By folder and the identity of its `.git`."""

        self._folders: LruCache[str, tuple[_Identity, Path]] = LruCache(4 * MAX_WORKSPACES)
        """Resolved paths, and the identity of their folder."""

    def get(self, cwd: str, project_path: str | None) -> Workspace:
        """Return the workspace of two paths; without a project, that of the repository's main worktree.

        So the chats in linked worktrees of a repository share one project. Before a project's first use, what is stored
        for its former path is moved. Raise WorkspaceUnavailable for a relative path, Busy or StateDegraded if that
        fails.
        """
        folder = self._resolved(cwd)
        if project_path is None:
            project = self._main_worktree(folder)
        else:
            project = folder if project_path == cwd else self._resolved(project_path)
        key = (os.path.normcase(folder), os.path.normcase(project))
        workspace = self._open.get(key)
        if workspace is not None and not self._replaced:
            return workspace
        return self._first_use(key, folder, project)

    def of_project(self, key: str) -> list[Workspace]:
        """Return the workspaces in use of a project."""
        return [workspace for _, workspace in self._open.items() if workspace.project_key == key]

    def in_folder(self, cwd: str) -> list[Workspace]:
        """Return the workspaces in use at a folder, for any project; at least one.

        Raise WorkspaceUnavailable for a relative path.
        """
        folder = os.path.normcase(self._resolved(cwd))
        workspaces = [workspace for (own, _), workspace in self._open.items() if own == folder]
        return workspaces or [self.get(cwd, None)]

    def _first_use(self, key: tuple[str, str], folder: Path, project: Path) -> Workspace:
        """Return a workspace that is new, or may be that of another folder than before."""
        if project in self._replaced or self._open.get(key) is None:
            self._replaced.update(self._project_folders.prepare(project))
            self._replaced.discard(project)
        return self._open.get_or_create(key, lambda: self._create(folder, project))

    def _create(self, folder: Path, project: Path) -> Workspace:
        workspace = Workspace(folder, project)
        workspace.slices = self._create_slices(workspace)
        return workspace

    def _main_worktree(self, folder: Path) -> Path:
        """Return the main worktree of a folder's repository; it is read again only for another folder of that path."""
        identity = _identity(folder / ".git")
        if identity is None:
            return folder
        return self._main_worktrees.get_or_create((folder, identity), lambda: main_worktree(folder))

    def _resolved(self, path: str) -> Path:
        """Resolve a path's links; a repeated path is resolved again only if it leads to another folder.

        On macOS also if that folder was renamed to another spelling of its name, under which it is found as before.
        """
        identity = _identity(path)
        if identity is None:
            return _resolved(path)
        cached = self._folders.get(path)
        is_current = cached is not None and cached[0] == identity and _identity(cached[1]) == identity
        if cached is not None and is_current and (sys.platform != "darwin" or real_path(cached[1]) == cached[1]):
            return cached[1]
        folder = _resolved(path)
        if cached is not None:
            self._replaced.add(folder)
        self._folders.put(path, (identity, folder), 1)
        return folder


def _identity(path: str | Path) -> _Identity | None:
    """Return the device and inode of a folder, and of a file also its time: git rewrites a `.git` file in place."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns


class ProjectFolder(NamedTuple):
    """The folder in which a project was last used."""

    project: str
    """The project's key."""
    path: Path
    project_below: str | None
    """The project's path in its repository; None if nothing proves that a folder elsewhere is the same one."""
    identity: FolderIdentity
    """That of the git directory; without one, that of the folder itself, which proves nothing."""

    def is_vacant(self) -> bool:
        """Whether the path no longer holds a project: what is there now is not used under its key."""
        top = self.path
        if self.project_below is not None:
            top = Path(*top.parts[: len(top.parts) - len(Path(self.project_below).parts)])
        real = real_path(top)
        if real is not None and os.path.normcase(real) != os.path.normcase(top):
            return True  # a link or another spelling leads to another path, which has a key of its own
        try:
            if not is_git_dir(top):
                os.lstat(top / ".git" if self.project_below is not None else top)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def was_moved_to(self, other: "ProjectFolder") -> bool:
        """Whether another path has the same git directory, and this path no longer holds a project.

        A copy or a clone has another one; so has a repository that got the number of a deleted one: it was created at
        another time. A folder whose path is only spelled otherwise now needs no such proof.
        """
        if self.identity != other.identity:
            return False
        if folded(str(self.path)) == folded(str(other.path)) and is_same_file(self.path, other.path):
            return True
        is_same = self.project_below == other.project_below and other.identity.created_ns != 0
        return is_same and self.project_below is not None and self.is_vacant()


_FOLDER_COLUMNS = "project, path, project_below, device, number, created_ns"


class ProjectFolders:
    """The folders of projects in the state file, by which a moved project is recognized. Nothing is written into it."""

    def __init__(self, database: Database, log: Log) -> None:
        self._database = database
        self._log = log

    def prepare(self, project: Path) -> list[Path]:
        """Move what is stored for former paths of a project to its key, and record its folder; return these paths.

        Raise Busy or StateDegraded if the rows cannot be moved.
        """
        current = _project_folder(project, with_creation=False)
        if current is None:
            return []
        own, others = self._recorded(current)
        complete = _project_folder(project) if others else None
        moved = [other for other in others if complete is not None and other.was_moved_to(complete)]
        if complete is not None and moved:
            if own is not None and own.identity != complete.identity:
                return []  # the rows of another folder, which may come back, are stored for this path
            self._move(moved, complete)
        else:
            self._database.write_behind.schedule(partial(self._record, project, own))
        return [folder.path for folder in moved]

    def possible_former(self, project: Path) -> list[ProjectFolder]:
        """Return recorded folders with rows that a user misses if the project was there before; none proves that.

        Their path is vacant, and they have its name or the number of its folder; or they are the same repository, and
        their path holds another project now.
        """
        current = _project_folder(project)
        if current is None:
            return []
        with self._database.read() as tx:
            rows: Any = list(
                tx.execute(f"SELECT {_FOLDER_COLUMNS} FROM {FOLDERS} WHERE project != ?", (current.project,))
            )
            folders = [folder for row in rows if _may_be(folder := _from_row(row), current)]
            return [folder for folder in folders if has_rows(tx, folder.project, USERS_TABLES)]

    def _recorded(self, current: ProjectFolder) -> tuple[ProjectFolder | None, list[ProjectFolder]]:
        """Return a project's recorded folder, and others that the same number stands for."""
        with suppress(SidecarError, apsw.Error), self._database.read() as tx:
            rows: Any = tx.execute(
                f"SELECT {_FOLDER_COLUMNS} FROM {FOLDERS} WHERE project = ? OR device = ? AND number = ?",
                (current.project, current.identity.device, current.identity.number),
            )
            folders = [_from_row(row) for row in rows]
            own = next((folder for folder in folders if folder.project == current.project), None)
            return own, [folder for folder in folders if folder is not own]
        return None, []

    def _move(self, moved: Sequence[ProjectFolder], current: ProjectFolder) -> None:
        with self._database.write() as tx:
            for former in moved:
                is_unchanged = "project = ? AND device = ? AND number = ? AND created_ns = ?"
                if not tx.execute(
                    f"SELECT 1 FROM {FOLDERS} WHERE {is_unchanged}", (former.project, *former.identity)
                ).get:
                    continue  # another process has moved it, or recorded another folder at that path
                move_project(tx, former.project, current.project)
                tx.execute(
                    "UPDATE OR IGNORE continuity_session_files SET root = ? WHERE project = ? AND root = ?",
                    (os.fsencode(current.path), current.project, os.fsencode(former.path)),
                )
            _put(tx, current)
        self._log.info("project.moved", former=[folder.project for folder in moved], project=current.project)

    def _record(self, project: Path, own: ProjectFolder | None) -> None:
        current = _project_folder(project)
        if current is None or current == own:
            return
        with suppress(SidecarError, apsw.Error), self._database.write(durable=False, keep_generation=True) as tx:
            _put(tx, current)  # if that fails, the next process does it


def _project_folder(path: Path, *, with_creation: bool = True) -> ProjectFolder | None:
    """Return a project's folder as it is now; None if there is none, or a name on its path has a secret."""
    # Imported here, because the handshake needs no patterns.
    from sidecar.core.redact import redact

    if redact(os.fspath(path)) != os.fspath(path):
        return None
    try:
        git_dir = _contained_git_dir(path)
    except OSError:  # the path is too long, or a folder on the way must not be read
        git_dir = None
    folder = git_dir.path if git_dir is not None else path
    identity = folder_identity(os.fspath(folder), with_creation=with_creation)
    if identity is None:
        return None
    return ProjectFolder(project_key(path), path, git_dir.project_below if git_dir is not None else None, identity)


def _from_row(row: Any) -> ProjectFolder:
    project, path, project_below, device, number, created_ns = row
    below = None if project_below is None else os.fsdecode(bytes(project_below))
    return ProjectFolder(project, Path(os.fsdecode(bytes(path))), below, FolderIdentity(device, number, created_ns))


def _put(tx: apsw.Connection, folder: ProjectFolder) -> None:
    below = None if folder.project_below is None else os.fsencode(folder.project_below)
    row = (folder.project, os.fsencode(folder.path), below, *folder.identity)
    tx.execute(f"INSERT OR REPLACE INTO {FOLDERS} ({_FOLDER_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", row)


def _may_be(former: ProjectFolder, current: ProjectFolder) -> bool:
    is_same_part = former.project_below == current.project_below
    if not former.is_vacant():
        is_same = is_same_part and former.identity == current.identity and former.identity.created_ns != 0
        return is_same and not is_same_file(former.path, current.path)  # which a mount has at two paths
    is_same_number = is_same_part and former.identity[1:] == current.identity[1:]
    return is_same_number or former.path.name == current.path.name


def project_key(project: Path) -> str:
    """Return the key of a project's settings, artifacts and metrics."""
    return _path_id(project)


def _path_id(path: Path) -> str:
    """Return a folder's id, also for a path that is not UTF-8."""
    return short_id(os.fsencode(os.path.normcase(path)).decode("latin-1"), 16)


def without_prefix(path: str) -> str:
    """Return a path of Windows without the prefix for long paths, so that a folder has one path."""
    plain = path.removeprefix("\\\\?\\")
    return plain if plain == path or not plain.startswith("UNC\\") else "\\\\" + plain.removeprefix("UNC\\")


def _resolved(path: str) -> Path:
    path = without_prefix(path)
    if not os.path.isabs(path):
        raise WorkspaceUnavailable("A workspace's path must be absolute.", hint="Send an absolute path.")
    folder = real_path(path)
    if folder is None:
        raise WorkspaceUnavailable("The workspace's path cannot be resolved.")
    return folder


class _GitDirOfProject(NamedTuple):
    """A git directory, and the path of a project below the folder that it is in; of a bare repository, itself."""

    path: Path
    project_below: str


def _contained_git_dir(project: Path) -> _GitDirOfProject | None:
    """Return the git directory at or above a project, if it lies in its repository's folder.

    Neither a link nor a file that names a folder elsewhere counts: they can lead to somebody else's repository. A
    project's path is free of links.
    """
    root = find_root(project)
    if root != project and is_git_dir(project):
        return _GitDirOfProject(project, "")
    git_dir = git_dir_of(root) if root is not None else None
    resolved = real_path(git_dir) if git_dir is not None else None
    if root is None or resolved is None or resolved.parent != root:
        return None
    return _GitDirOfProject(resolved, project.relative_to(root).as_posix())
