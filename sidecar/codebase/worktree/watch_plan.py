"""What must be watched so that a worktree's state cannot change unnoticed."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.worktree.attributes import Conversion, conversion_of, flags_in_file
from sidecar.codebase.worktree.content_hash import ObjectFormat
from sidecar.codebase.worktree.git_dir import common_dir_of, find_root, git_dir_of
from sidecar.codebase.worktree.git_index import GitIndex, read_index
from sidecar.codebase.worktree.state import SIDECAR_FOLDERS
from sidecar.system.environment import environment
from sidecar.system.git import Git, GitFailed
from sidecar.system.watch import Unwatchable, WatchedFolders

SETTLED_NS = 100_000_000
"""A file changed more recently than this may change again without changing its stat."""

COARSE_SETTLED_NS = 2_500_000_000
"""The same where times have steps of one or two seconds."""

MAX_EXTERNAL_FILES = 100
"""Configuration in more files than this is not followed."""

_BELOW_GIT_DIR = ("refs", "info", "reftable")
_CONFIGURATION = ("config", "config.worktree")
_MUST_NOT_BE_LINKS = (
    "HEAD", "index", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout",
    *_CONFIGURATION, *_BELOW_GIT_DIR,
)  # fmt: skip
_SIDECAR_NAMES = frozenset(name.rstrip("/") for name in SIDECAR_FOLDERS)

FileSignature = tuple[int, int, int, int, int]


class Unsettled(Unwatchable):
    """Unwatchable at this moment, because something is changing."""


class ComparisonRules(NamedTuple):
    """What is needed to compare single files with the index as git does."""

    git_index: GitIndex
    conversion: Conversion
    object_format: ObjectFormat


class WatchPlan(NamedTuple):
    """What to watch of one worktree."""

    folders: WatchedFolders
    root: str
    git_dir: str
    common_dir: str
    folder_identities: tuple[tuple[str, tuple[int, int]], ...]
    """Folders by path, with their device and inode, which must not change: moving a parent folder has no event."""
    external_files: tuple[tuple[str, FileSignature | None], ...]
    """Files outside the watched folders that git reads, with their stat; None for a missing one."""
    rules: ComparisonRules | None
    """None if only git can compare."""


def make_watch_plan(cwd: Path, state_dir: Path, now_ns: int) -> WatchPlan:
    """Determine what to watch without taking any lock; raise Unwatchable."""
    try:
        return _make_watch_plan(cwd, state_dir, now_ns)
    except GitFailed as error:
        raise Unwatchable(error.reason) from error
    except OSError as error:
        raise Unsettled("the repository is being changed") from error


def file_signature(path: str) -> FileSignature | None:
    """Return a file's stat signature, following links; None if nothing is there."""
    try:
        signature = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(signature.st_mode):
        return 0, 0, 0, signature.st_ino, signature.st_mode
    return signature.st_mtime_ns, signature.st_ctime_ns, signature.st_size, signature.st_ino, signature.st_mode


def folder_identity(path: str) -> tuple[int, int] | None:
    """Return a folder's device and inode; None if there is none."""
    try:
        signature = os.stat(path)
    except OSError:
        return None
    # A file that replaces a deleted folder may get its inode.
    return (signature.st_dev, signature.st_ino) if stat.S_ISDIR(signature.st_mode) else None


def _make_watch_plan(cwd: Path, state_dir: Path, now_ns: int) -> WatchPlan:
    root = find_root(cwd)
    git_dir = git_dir_of(root) if root is not None else None
    common = common_dir_of(root) if root is not None else None
    if root is None or git_dir is None or common is None or root.parent == root:
        raise Unwatchable("there is no repository")
    git_dir = git_dir.resolve()
    if root.is_relative_to(git_dir) or root.is_relative_to(common):
        raise Unwatchable("the worktree is inside a git directory")
    git = Git(cwd, root=root)
    _require_standard_layout(git, root, git_dir, common)
    settings = _settings(git)
    external_files = _external_files(git, settings, root, git_dir, common, now_ns)
    if _settings(git) != settings:
        raise Unsettled("the configuration is being changed")
    folders = _folders(Git(root, root=root), root, git_dir, common, state_dir)
    if not folders.covers(cwd.as_posix()):
        raise Unwatchable("the folder is ignored")
    folder_identities = []
    for path in dict.fromkeys((root.as_posix(), cwd.as_posix(), git_dir.as_posix(), common.as_posix())):
        identity_ = folder_identity(path)
        if identity_ is None:
            raise Unwatchable("a folder is missing")
        folder_identities.append((path, identity_))
    return WatchPlan(
        folders,
        root.as_posix(),
        git_dir.as_posix(),
        common.as_posix(),
        tuple(folder_identities),
        external_files,
        None
        if _has_replace_refs(git)
        else _comparison_rules(settings, root, git_dir, common, [path for path, _ in external_files]),
    )


def _has_replace_refs(git: Git) -> bool:
    """Whether replace refs exist, which only git applies."""
    return bool(git.run("for-each-ref", "--count=1", "refs/replace/"))


def _comparison_rules(
    settings: list[tuple[str, str, str]], root: Path, git_dir: Path, common: Path, external_files: list[str]
) -> ComparisonRules | None:
    values = {name: value for _, name, value in settings}
    conversion = conversion_of(values)
    object_format: ObjectFormat = "sha256" if values.get("extensions.objectformat") == "sha256" else "sha1"
    index = read_index(git_dir, object_format) if conversion is not None else None
    if conversion is None or index is None:
        return None
    files = [path for path in external_files if os.path.basename(path) in ("attributes", "gitattributes")]
    files += [str(common / "info" / "attributes"), str(root / _expand_user(values.get("core.attributesfile", "")))]
    flags = conversion.global_flags
    for path in files:
        flags |= flags_in_file(path) if os.path.isfile(path) else 0
    return ComparisonRules(index, conversion._replace(global_flags=flags), object_format)


def _require_standard_layout(git: Git, root: Path, git_dir: Path, common: Path) -> None:
    """Raise Unwatchable if git reads its own files from elsewhere than the watched places."""
    output = git.run("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    top, git_dir_path, common_dir_path = (Path(os.fsdecode(line)) for line in output.removesuffix(b"\n").split(b"\n"))
    if top.resolve() != root or git_dir_path.resolve() != git_dir or (git.cwd / common_dir_path).resolve() != common:
        raise Unwatchable("git uses another worktree or git directory")
    for folder in {git_dir, common}:
        if any((folder / name).is_symlink() for name in _MUST_NOT_BE_LINKS):
            raise Unwatchable("a part of the git directory is a link")


def _folders(git: Git, root: Path, git_dir: Path, common: Path, state_dir: Path) -> WatchedFolders:
    flat_roots = {git_dir.as_posix(), common.as_posix()}
    below = {f"{folder}/{name}" for folder in flat_roots for name in _BELOW_GIT_DIR}
    skipped = {f"{root.as_posix()}/.git", *_ignored(git, root.as_posix())}
    names: frozenset[str] = frozenset()
    if not git.run("ls-files", "-z", "--", *(f":(glob)**/{name}/**" for name in _SIDECAR_NAMES)):
        names = _SIDECAR_NAMES
    if state_dir.is_relative_to(root) and state_dir != root:
        if git.run("ls-files", "-z", "--", f":(literal){state_dir.relative_to(root).as_posix()}"):
            raise Unwatchable("the sidecar's state is part of the repository")
        skipped.add(state_dir.as_posix())
    return WatchedFolders(
        frozenset({root.as_posix(), *flat_roots, *below}), frozenset(flat_roots), frozenset(skipped), names, ".git"
    )


def _ignored(git: Git, prefix: str) -> set[str]:
    """Return the folders that an ignore rule matches and that contain nothing tracked: git never enters them."""
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
    """Return the origin, name and value of each setting."""
    fields = git.run("config", "--list", "--show-origin", "-z").decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return [(origin, *_split_setting(setting)) for origin, setting in pairs]


def _split_setting(setting: str) -> tuple[str, str]:
    name, _, value = setting.partition("\n")
    return name.lower(), value


def _external_files(
    git: Git, settings: list[tuple[str, str, str]], root: Path, git_dir: Path, common: Path, now_ns: int
) -> tuple[tuple[str, FileSignature | None], ...]:
    """Return the files git reads outside the watched folders, with the stat of each; raise Unwatchable."""
    files = _standard_files(git)
    for origin, name, value in settings:
        kind, _, path = origin.partition(":")
        if kind != "file":
            continue
        if value.startswith("%("):
            raise Unwatchable("a path of the configuration depends on how git was built")
        origin_file = root / path  # the repository's own is relative to git's working directory
        files.add(str(origin_file))
        if name in ("core.excludesfile", "core.attributesfile"):
            files.add(str(root / _expand_user(value)))
        elif name.startswith("include") and name.endswith(".path"):
            files.add(str(origin_file.parent / _expand_user(value)))
    files -= {str(folder / name) for folder in (git_dir, common) for name in _CONFIGURATION}  # these are watched
    if len(files) > MAX_EXTERNAL_FILES:
        raise Unwatchable("the configuration is spread over too many files")
    signatures = tuple((path, file_signature(path)) for path in sorted(files))
    if any(signature is not None and not _is_settled(signature, now_ns) for _, signature in signatures):
        raise Unsettled("the configuration is being changed")
    return signatures


def _standard_files(git: Git) -> set[str]:
    """Return the possible places of configuration, ignore rules and attributes, existing or not."""
    variables = environment()
    home = Path(variables.get("HOME") or Path.home())
    xdg = Path(variables.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    programs = Path(git.text("--exec-path"))
    installed = programs.parent.parent if programs.parent.name == "libexec" else programs.parent
    systems = {installed, installed.parent, Path("/"), Path("/usr/local"), Path("/opt/homebrew")}
    files = {home / ".gitconfig", xdg / "config", xdg / "ignore", xdg / "attributes"}
    files |= {system / "etc" / name for system in systems for name in ("gitconfig", "gitattributes")}
    files |= {Path(variables[name]) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM") if variables.get(name)}
    return {str(file) for file in files}


def _expand_user(value: str) -> str:
    return os.path.expanduser(value.removeprefix(":(optional)"))


def _is_settled(signature: FileSignature, now_ns: int) -> bool:
    changed_at_ns = max(signature[:2])
    coarse = changed_at_ns % 1_000_000_000 == 0
    return now_ns - changed_at_ns >= (COARSE_SETTLED_NS if coarse else SETTLED_NS)
