"""Checks of the sidecar's environment: disk, permissions, watcher limits, versions."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from sidecar import __version__
from sidecar.core.findings import Finding
from sidecar.operations.state_files import list_state_files
from sidecar.system.git import Git, GitFailed
from sidecar.system.libgit import pygit2
from sidecar.system.process_registry import present
from sidecar.system.watch.tree import SHARE_OF_LIMIT
from sidecar.workspace import Workspace

MIN_FREE_BYTES = 512 * 2**20
"""Free disk space below which the doctor warns."""

OLDEST_GIT = (2, 31)
"""Of 2021. Older versions lack options and formats that we use."""

MIN_WATCHERS = 8
"""Number of inotify instances below which the doctor warns: a process uses two per worktree, and an editor some."""


def disk(folder: Path) -> Iterator[Finding]:
    """Check free disk space, permissions of the state folder, and damaged state files in it."""
    sizes = {file.path: file.bytes for file in list_state_files(folder)}
    free = shutil.disk_usage(next(file for file in (folder, *folder.parents) if file.exists())).free
    if free < max(MIN_FREE_BYTES, 2 * sum(sizes.values())):
        message = f"{free >> 20} MiB are free on the disk of the state folder."
        yield Finding(
            "warning",
            message,
            "Free some disk space. `onecode-sidecar purge --kind caches` removes the caches.",
        )
    if os.name != "nt" and folder.is_dir() and folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        message = "Other users can read the state folder, which contains parts of your code and conversations."
        yield Finding(
            "warning", message, "`--fix` restricts it to you; so does `chmod 700`.", lambda: folder.chmod(0o700)
        )
    damaged = [file for file in list_state_files(folder) if file.kind == "damaged"]
    if damaged:
        message = f"A damaged state file was set aside: {damaged[0].path.name}. Its readable content was recovered."
        remedy = "`onecode-sidecar purge --kind damaged` removes it when you no longer need it."
        yield Finding("warning", message, remedy)


def watchers(workspace: Workspace | None) -> Iterator[Finding]:
    """Check that the system allows a watch for each folder of the project. Without one, refreshes are slower."""
    if sys.platform != "linux":
        return
    allowed, instances = _inotify_limit("max_user_watches"), _inotify_limit("max_user_instances")
    if instances and instances < MIN_WATCHERS:
        message = f"The system limits inotify instances to {instances} (fs.inotify.max_user_instances)."
        yield Finding(
            "warning", message, "Raise the limit to at least 128: `sudo sysctl fs.inotify.max_user_instances=128`."
        )
    needed = _tracked_folder_count(workspace.cwd) if workspace is not None else 0
    if needed * SHARE_OF_LIMIT > allowed:
        message = (
            f"The project has {needed} folders; the system limits watches to {allowed} (fs.inotify.max_user_watches)."
        )
        remedy = f"Raise the limit: `sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * needed)}`."
        yield Finding("warning", message, f"{remedy} Until then each refresh scans all files.")


def versions(folder: Path) -> Iterator[Finding]:
    """Check git's version, and whether sidecars of other versions use the same state folder."""
    try:
        git_version = Git.version()
        if _version_number(git_version) < OLDEST_GIT:
            yield Finding(
                "warning",
                f"The installed git is too old: {git_version}.",
                f"Install version {'.'.join(map(str, OLDEST_GIT))} or newer.",
            )
    except GitFailed:
        remedy = "Install git. Until then, history and unusual repository layouts are not read."
        yield Finding("warning", "The git command is not installed.", remedy)
    others = {str(process.get("version")) for process in present(folder)} - {__version__}
    if others:
        git_version = f"A sidecar of version {', '.join(sorted(others))} uses the same state; this is {__version__}."
        yield Finding("warning", git_version, "Restart 1Code, so that all sidecars have the same version.")


def library_versions() -> dict[str, str]:
    """Return the versions in use, for a bug report."""
    import apsw

    try:
        git = Git.version().removeprefix("git version ")
    except GitFailed:
        git = "none"
    python = ".".join(map(str, sys.version_info[:3]))
    libraries = {"sqlite": apsw.sqlite_lib_version(), "libgit2": str(pygit2().LIBGIT2_VERSION), "git": git}
    return {"sidecar": __version__, "python": python, **libraries, "system": sys.platform}


def _version_number(text: str) -> tuple[int, ...]:
    word = next((part for part in text.split() if part[:1].isdigit()), "0")
    return tuple(int(part) for part in word.split(".")[:2] if part.isdigit())


def _inotify_limit(name: str) -> int:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return 0


def _tracked_folder_count(cwd: Path) -> int:
    """Return the number of folders with files tracked by git, including their parents."""
    try:
        index = pygit2().Repository(str(cwd)).index
    except (pygit2().GitError, KeyError, ValueError, OSError):
        return 0
    folders: set[str] = set()
    for entry in index:
        folder = os.path.dirname(entry.path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    return len(folders)
