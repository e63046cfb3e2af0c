"""Looks at what the sidecar stands on: disk, permissions, the watchers' limits, versions."""

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from sidecar import __version__
from sidecar.core.findings import Finding
from sidecar.operations.state_files import files_of
from sidecar.system.git import Git, GitFailed
from sidecar.system.libgit import pygit2
from sidecar.system.process_registry import present
from sidecar.system.watch.tree import SHARE_OF_LIMIT
from sidecar.workspace import Workspace

LITTLE_BYTES = 512 * 2**20
"""Below it a disk fills before anybody looks."""

OLDEST_GIT = (2, 31)
"""Of 2021; older ones know neither all options nor all formats that are used."""

FEW_WATCHERS = 8
"""A process holds two for each worktree, and an editor some."""


def disk(folder: Path) -> Iterator[Finding]:
    """Looks at the room on the disk of a state folder, who may read it, and what was set aside in it."""
    sizes = {one.path: one.bytes for one in files_of(folder)}
    free = shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
    if free < max(LITTLE_BYTES, 2 * sum(sizes.values())):
        told = f"{free >> 20} MiB are free on the disk with the state folder."
        yield Finding(
            "warning", told, "Free some disk space; `onecode-sidecar purge --kind caches` gives back what caches take."
        )
    if os.name != "nt" and folder.is_dir() and folder.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        told = "Others may look into the state folder, which holds parts of your code and conversations."
        yield Finding("warning", told, "`--fix` keeps it to you, and so does `chmod 700`.", lambda: folder.chmod(0o700))
    damaged = [one for one in files_of(folder) if one.kind == "damaged"]
    if damaged:
        told = f"A damaged state file was set aside: {damaged[0].path.name}; what could be read of it was carried over."
        remedy = "`onecode-sidecar purge --kind damaged` removes it once you miss nothing."
        yield Finding("warning", told, remedy)


def watchers(workspace: Workspace | None) -> Iterator[Finding]:
    """Looks whether the system lets us watch as many folders as the project has; without it looks cost more."""
    if sys.platform != "linux":
        return
    allowed, instances = _limit("max_user_watches"), _limit("max_user_instances")
    if instances and instances < FEW_WATCHERS:
        told = f"The system allows {instances} watchers (fs.inotify.max_user_instances)."
        yield Finding("warning", told, "Allow 128 or more: `sudo sysctl fs.inotify.max_user_instances=128`.")
    needed = _folders(workspace.cwd) if workspace is not None else 0
    if needed * SHARE_OF_LIMIT > allowed:
        told = (
            f"The project has {needed} folders, and the system allows {allowed} watches (fs.inotify.max_user_watches)."
        )
        remedy = f"Allow more: `sudo sysctl fs.inotify.max_user_watches={max(524_288, 4 * needed)}`."
        yield Finding("warning", told, f"{remedy} Until then each look goes through all files.")


def versions(folder: Path) -> Iterator[Finding]:
    """Looks at git, and whether sidecars of other versions work on the same state folder."""
    try:
        told = Git.version()
        if _number(told) < OLDEST_GIT:
            yield Finding("warning", f"This is {told}.", f"Install {'.'.join(map(str, OLDEST_GIT))} or newer.")
    except GitFailed:
        remedy = "Install git; until then what is no plain repository, and its history, is not read."
        yield Finding("warning", "There is no git command.", remedy)
    others = {str(one.get("version")) for one in present(folder)} - {__version__}
    if others:
        told = f"A sidecar of version {', '.join(sorted(others))} works on the same state; this is {__version__}."
        yield Finding("warning", told, "Restart 1Code, so that all are of one version.")


def told_versions() -> dict[str, str]:
    """Names what is in use, for a report of a fault."""
    import apsw

    try:
        git = Git.version().removeprefix("git version ")
    except GitFailed:
        git = "none"
    python = ".".join(map(str, sys.version_info[:3]))
    libraries = {"sqlite": apsw.sqlite_lib_version(), "libgit2": str(pygit2().LIBGIT2_VERSION), "git": git}
    return {"sidecar": __version__, "python": python, **libraries, "system": sys.platform}


def _number(told: str) -> tuple[int, ...]:
    word = next((part for part in told.split() if part[:1].isdigit()), "0")
    return tuple(int(part) for part in word.split(".")[:2] if part.isdigit())


def _limit(name: str) -> int:
    try:
        return int(Path("/proc/sys/fs/inotify", name).read_text())
    except (OSError, ValueError):
        return 0


def _folders(cwd: Path) -> int:
    """Folders that git keeps files of, those above them too."""
    try:
        index = pygit2().Repository(str(cwd)).index
    except (pygit2().GitError, KeyError, ValueError, OSError):
        return 0
    found: set[str] = set()
    for entry in index:
        folder = os.path.dirname(entry.path)
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return len(found)
