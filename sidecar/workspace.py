"""A workspace: the git worktree an agent works in, and its project."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.core.digests import short_id
from sidecar.core.errors import WorkspaceUnavailable
from sidecar.core.lru_cache import LruCache
from sidecar.system.git import main_worktree

if TYPE_CHECKING:
    from sidecar.slice_states import WorkspaceSlices

MAX_WORKSPACES = 32


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

    def require_project(self, hint: str = "If it was moved, name its new path.") -> None:
        """Raise WorkspaceUnavailable unless the project's folder exists."""
        if not self.project.is_dir():
            raise WorkspaceUnavailable("The project's folder does not exist.", hint=hint)


class Workspaces:
    """The workspaces in use; the least recently used one is dropped first (files on disk stay)."""

    def __init__(self, create_slices: "Callable[[Workspace], WorkspaceSlices]") -> None:
        self._create_slices = create_slices
        self._open: LruCache[tuple[str, str], Workspace] = LruCache(MAX_WORKSPACES)
        self._main_worktrees: LruCache[tuple[Path, tuple[int, int]], Path] = LruCache(4 * MAX_WORKSPACES)
        """By folder and the identity of its `.git`."""

        self._folders: LruCache[str, tuple[tuple[int, int], Path]] = LruCache(4 * MAX_WORKSPACES)
        """Resolved paths, and the identity of their folder (device and inode)."""

    def get(self, cwd: str, project_path: str | None) -> Workspace:
        """Return the workspace of two paths; without a project, that of the repository's main worktree.

        So the chats in linked worktrees of a repository share one project. Raise WorkspaceUnavailable for a relative
        path.
        """
        folder = self._resolved(cwd)
        if project_path is None:
            project = self._main_worktree(folder)
        else:
            project = folder if project_path == cwd else self._resolved(project_path)
        key = (os.path.normcase(folder), os.path.normcase(project))
        return self._open.get_or_create(key, lambda: self._create(folder, project))

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
        """Resolve a path's links; a repeated path is resolved again only if it leads to another folder."""
        identity = _identity(path)
        if identity is None:
            return _resolved(path)
        cached = self._folders.get(path)
        if cached is not None and cached[0] == identity and _identity(cached[1]) == identity:
            return cached[1]
        folder = _resolved(path)
        self._folders.put(path, (identity, folder), 1)
        return folder


def _identity(path: str | Path) -> tuple[int, int] | None:
    """Return a folder's device and inode; None if there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def project_key(project: Path) -> str:
    """Return the key of a project's settings, artifacts and metrics."""
    return _path_id(project)


def _path_id(path: Path) -> str:
    """Return a folder's id, also for a path that is not UTF-8."""
    return short_id(os.fsencode(os.path.normcase(path)).decode("latin-1"), 16)


def _resolved(path: str) -> Path:
    if not os.path.isabs(path):
        raise WorkspaceUnavailable("A workspace's path must be absolute.", hint="Send an absolute path.")
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise WorkspaceUnavailable("The workspace's path cannot be resolved.") from error
