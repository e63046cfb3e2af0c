"""What has to be watched so that a worktree's state cannot change unseen."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.attributes import Conversion, asked_by, conversion_of
from sidecar.codebase.worktree.content_hash import ObjectFormat
from sidecar.codebase.worktree.git_dir import common_dir_of, find_root, git_dir_of
from sidecar.codebase.worktree.git_index import GitIndex, read_index
from sidecar.codebase.worktree.state import OWN_FOLDERS
from sidecar.system.environment import environment
from sidecar.system.git import Git, GitFailed
from sidecar.system.watch import Folders, Unwatchable

SETTLED_NS = 100_000_000
"""A file changed so shortly before it was looked at may change again without its stat telling."""

COARSE_SETTLED_NS = 2_500_000_000
"""The same where times move in whole seconds, or two."""

MAX_OUTSIDE = 100
"""Configuration that is spread over more files is not followed."""

_BELOW_GIT_DIR = ("refs", "info", "reftable")
_CONFIGURATION = ("config", "config.worktree")
_NEVER_LINKS = (
    "HEAD", "index", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout",
    *_CONFIGURATION, *_BELOW_GIT_DIR,
)  # fmt: skip
_OWN_NAMES = frozenset(name.rstrip("/") for name in OWN_FOLDERS)

Stamp = tuple[int, int, int, int, int]


class Unsettled(Unwatchable):
    """Not at this moment: something is being changed."""


class Comparing(NamedTuple):
    """What it takes to compare single files with the index as git does."""

    tracked: GitIndex
    conversion: Conversion
    object_format: ObjectFormat


class Survey(NamedTuple):
    """What was found out about one worktree."""

    folders: Folders
    root: str
    git_dir: str
    common_dir: str
    identities: tuple[tuple[str, tuple[int, int]], ...]
    """Folders by path, with the device and inode they must keep: a parent that is moved has no event."""
    outside: tuple[tuple[str, Stamp | None], ...]
    """Files outside of the watched folders that git reads, with their stat; None for one that is not there."""
    comparing: Comparing | None
    """None where only git can tell what differs."""


def survey(cwd: Path, state_dir: Path, now_ns: int) -> Survey:
    """Finds out what to watch, without taking any lock; raises Unwatchable."""
    try:
        return _survey(cwd, state_dir, now_ns)
    except GitFailed as error:
        raise Unwatchable(error.reason) from error
    except OSError as error:
        raise Unsettled("the repository is being changed") from error


def stamp(path: str) -> Stamp | None:
    """Identifies what a path leads to; None for nothing."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return 0, 0, 0, found.st_ino, found.st_mode
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode


def identity(path: str) -> tuple[int, int] | None:
    """Identifies a folder; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    # A file in the place of a folder that was deleted may well get its number.
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _survey(cwd: Path, state_dir: Path, now_ns: int) -> Survey:
    root = find_root(cwd)
    git_dir = git_dir_of(root) if root is not None else None
    common = common_dir_of(root) if root is not None else None
    if root is None or git_dir is None or common is None or root.parent == root:
        raise Unwatchable("there is no repository")
    git_dir = git_dir.resolve()
    if root.is_relative_to(git_dir) or root.is_relative_to(common):
        raise Unwatchable("the worktree is inside a git directory")
    git = Git(cwd, root=root)
    _require_plain(git, root, git_dir, common)
    settings = _settings(git)
    outside = _outside(git, settings, root, git_dir, common, now_ns)
    if _settings(git) != settings:
        raise Unsettled("the configuration is being changed")
    folders = _folders(Git(root, root=root), root, git_dir, common, state_dir)
    if not folders.covers(cwd.as_posix()):
        raise Unwatchable("the folder is ignored")
    identities = []
    for path in dict.fromkeys((root.as_posix(), cwd.as_posix(), git_dir.as_posix(), common.as_posix())):
        found = identity(path)
        if found is None:
            raise Unwatchable("a folder is missing")
        identities.append((path, found))
    return Survey(
        folders,
        root.as_posix(),
        git_dir.as_posix(),
        common.as_posix(),
        tuple(identities),
        outside,
        None if _replaces(git) else _comparing(settings, root, git_dir, common, [path for path, _ in outside]),
    )


def _replaces(git: Git) -> bool:
    """Says whether objects are given in place of others, which only git heeds."""
    return bool(git.run("for-each-ref", "--count=1", "refs/replace/"))


def _comparing(
    settings: list[tuple[str, str, str]], root: Path, git_dir: Path, common: Path, outside: list[str]
) -> Comparing | None:
    values = {name: value for _, name, value in settings}
    conversion = conversion_of(values)
    object_format: ObjectFormat = "sha256" if values.get("extensions.objectformat") == "sha256" else "sha1"
    index = read_index(git_dir, object_format) if conversion is not None else None
    if conversion is None or index is None:
        return None
    files = [path for path in outside if os.path.basename(path) in ("attributes", "gitattributes")]
    files += [str(common / "info" / "attributes"), str(root / _expanded(values.get("core.attributesfile", "")))]
    asked = conversion.everywhere
    for path in files:
        asked |= asked_by(path) if os.path.isfile(path) else 0
    return Comparing(index, conversion._replace(everywhere=asked), object_format)


def _require_plain(git: Git, root: Path, git_dir: Path, common: Path) -> None:
    """Raises Unwatchable where git reads its own files from other places than those that will be watched."""
    told = git.run("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    top, own, shared = (Path(os.fsdecode(line)) for line in told.removesuffix(b"\n").split(b"\n"))
    if top.resolve() != root or own.resolve() != git_dir or (git.cwd / shared).resolve() != common:
        raise Unwatchable("git uses another worktree or git directory")
    for folder in {git_dir, common}:
        if any((folder / name).is_symlink() for name in _NEVER_LINKS):
            raise Unwatchable("a part of the git directory is a link")


def _folders(git: Git, root: Path, git_dir: Path, common: Path, state_dir: Path) -> Folders:
    flat = {git_dir.as_posix(), common.as_posix()}
    below = {f"{folder}/{name}" for folder in flat for name in _BELOW_GIT_DIR}
    skipped = {f"{root.as_posix()}/.git", *_ignored(git, root.as_posix())}
    names: frozenset[str] = frozenset()
    if not git.run("ls-files", "-z", "--", *(f":(glob)**/{name}/**" for name in _OWN_NAMES)):
        names = _OWN_NAMES
    if state_dir.is_relative_to(root) and state_dir != root:
        if git.run("ls-files", "-z", "--", f":(literal){state_dir.relative_to(root).as_posix()}"):
            raise Unwatchable("the sidecar's state is part of the repository")
        skipped.add(state_dir.as_posix())
    return Folders(frozenset({root.as_posix(), *flat, *below}), frozenset(flat), frozenset(skipped), names, ".git")


def _ignored(git: Git, prefix: str) -> set[str]:
    """Gives the folders that an ignore rule names and that hold nothing tracked: git never looks into them."""
    output = git.run(
        "status", "--porcelain=v1", "-z", "--ignored=matching", "--untracked-files=all", "--ignore-submodules=all",
        "--no-renames",
    )  # fmt: skip
    return {
        f"{prefix}/{entry[3:-1]}"
        for entry in output.decode("utf-8", "surrogateescape").split("\0")
        if entry.startswith("!! ") and entry.endswith("/")
    }


def _settings(git: Git) -> list[tuple[str, str, str]]:
    """Gives where each setting stands, its name and its value."""
    fields = git.run("config", "--list", "--show-origin", "-z").decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return [(origin, *_named(setting)) for origin, setting in pairs]


def _named(setting: str) -> tuple[str, str]:
    name, _, value = setting.partition("\n")
    return name.lower(), value


def _outside(
    git: Git, settings: list[tuple[str, str, str]], root: Path, git_dir: Path, common: Path, now_ns: int
) -> tuple[tuple[str, Stamp | None], ...]:
    """Gives the files that git reads beside the watched ones, and the stat of each; raises Unwatchable."""
    files = _usual_files(git)
    for origin, name, value in settings:
        kind, _, place = origin.partition(":")
        if kind != "file":
            continue
        if value.startswith("%("):
            raise Unwatchable("a path of the configuration depends on how git was built")
        origin_file = root / place  # the repository's own is told relative to where git stood
        files.add(str(origin_file))
        if name in ("core.excludesfile", "core.attributesfile"):
            files.add(str(root / _expanded(value)))
        elif name.startswith("include") and name.endswith(".path"):
            files.add(str(origin_file.parent / _expanded(value)))
    files -= {str(folder / name) for folder in (git_dir, common) for name in _CONFIGURATION}  # these are watched
    if len(files) > MAX_OUTSIDE:
        raise Unwatchable("the configuration is spread over too many files")
    stamps = tuple((path, stamp(path)) for path in sorted(files))
    if any(found is not None and not _is_settled(found, now_ns) for _, found in stamps):
        raise Unsettled("the configuration is being changed")
    return stamps


def _usual_files(git: Git) -> set[str]:
    """Gives where configuration, ignore rules and attributes may be, whether they are there or not."""
    known = environment()
    home = Path(known.get("HOME") or Path.home())
    xdg = Path(known.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    programs = Path(git.text("--exec-path"))
    installed = programs.parent.parent if programs.parent.name == "libexec" else programs.parent
    systems = {installed, installed.parent, Path("/"), Path("/usr/local"), Path("/opt/homebrew")}
    files = {home / ".gitconfig", xdg / "config", xdg / "ignore", xdg / "attributes"}
    files |= {system / "etc" / name for system in systems for name in ("gitconfig", "gitattributes")}
    files |= {Path(known[name]) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if known.get(name)}
    return {str(file) for file in files}


def _expanded(value: str) -> str:
    return os.path.expanduser(value.removeprefix(":(optional)"))


def _is_settled(found: Stamp, now_ns: int) -> bool:
    changed_at_ns = max(found[:2])
    coarse = changed_at_ns % 1_000_000_000 == 0
    return now_ns - changed_at_ns >= (COARSE_SETTLED_NS if coarse else SETTLED_NS)
