"""The state of a worktree according to git: head, branch, changed files with content hashes."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from sidecar.codebase.content_ids import ContentHashes, ObjectFormat
from sidecar.core.clean_text import readable_name
from sidecar.core.digests import digest_value
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.redact import redact
from sidecar.system.git import (
    DAMAGED,
    NO_WORK_TREE,
    NOT_A_REPOSITORY,
    STATUS,
    Git,
    GitFailed,
    GitTimedOut,
    find_root,
    git_dir_of,
    is_git_dir,
)
from sidecar.system.safe_open import make_private_folder, read_head, read_regular

LIST_SECONDS, MAX_FOLDER_FILES = 10.0, 200_000
"""A folder without git whose files take longer to list, or are more, is not read: mostly it is a home or a disk."""

FOLDER_TOO_LARGE = "the folder is not in a git repository and has too many files"
SMALLER_FOLDER = "Open a repository or a smaller folder as the project."


def list_folder(cwd: Path, empty_git_dir: Path) -> list[str]:
    """List the files below a folder by git's `.gitignore` rules; a repository is one path with a trailing slash.

    `empty_git_dir` is the location of an empty repository for git to run in. Raise GitFailed, and StateUnavailable if
    there are too many files.
    """
    if not (empty_git_dir / "HEAD").exists():
        _create_empty_repository(empty_git_dir)
    listing = ("ls-files", "--others", "--exclude-standard", "-z")
    try:
        output = Git(cwd, empty_git_dir).run(*listing, timeout=LIST_SECONDS)
    except GitTimedOut as error:
        raise StateUnavailable(FOLDER_TOO_LARGE) from error
    if output.count(b"\0") > MAX_FOLDER_FILES:
        raise StateUnavailable(FOLDER_TOO_LARGE)
    return sorted(path for path in output.decode("utf-8", "surrogateescape").split("\0") if path)


def _create_empty_repository(empty_git_dir: Path) -> None:
    """Create the repository beside its location and rename it: two callers may be first at once."""
    import tempfile  # slow to import, and needed once

    make_private_folder(str(empty_git_dir.parent))
    with tempfile.TemporaryDirectory(dir=empty_git_dir.parent, prefix="folder-") as temporary_folder:
        created = os.path.join(temporary_folder, "git")
        Git(empty_git_dir.parent).run("init", "--quiet", "--bare", "--shared=0600", "--template=", created)
        try:
            os.rename(created, empty_git_dir)
        except OSError:
            if not (empty_git_dir / "HEAD").exists():
                raise


WorktreeKind = Literal["git", "folder"]
ChangeKind = Literal["staged", "unstaged", "untracked", "deleted", "renamed", "conflicted"]


class StatusEntry(NamedTuple):
    """One changed path, relative to the repository's root; undecodable bytes are surrogates."""

    path: str
    kind: ChangeKind
    """The most prominent of staged, unstaged, untracked, deleted, renamed and conflicted."""
    code: str
    """git's two letters: index, worktree."""
    index_id: str
    """Modes and blob ids in the index; three of each during a conflict."""
    original: str | None
    is_nested: bool
    """A submodule, or an untracked repository."""


class GitStatus(NamedTuple):
    """git's status of a worktree."""

    head: str | None
    branch: str | None
    entries: tuple[StatusEntry, ...]
    object_format: ObjectFormat


def parse_status(output: bytes) -> GitStatus:
    """Parse `git status --porcelain=v2 -z --branch`; `head` is None before the first commit, `branch` if detached."""
    head = branch = None
    entries: list[StatusEntry] = []
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        if field.startswith("# branch.oid "):
            head = _none_if(field[13:], "(initial)")
        elif field.startswith("# branch.head "):
            branch = _none_if(readable_name(field[14:]), "(detached)")
        elif field[:2] == "1 ":
            _, code, sub, _, mode, _, _, blob, path = field.split(" ", 8)
            entries.append(StatusEntry(path, change_kind(code), code, f"{mode} {blob}", None, sub != "N..."))
        elif field[:2] == "2 ":
            _, code, sub, _, mode, _, _, blob, _, path = field.split(" ", 9)
            entries.append(StatusEntry(path, "renamed", code, f"{mode} {blob}", next(fields), sub != "N..."))
        elif field[:2] == "u ":
            _, code, sub, *stages, path = field.split(" ", 10)
            entries.append(StatusEntry(path, "conflicted", code, " ".join(stages), None, sub != "N..."))
        elif field[:2] == "? ":
            entries.append(StatusEntry(field[2:], "untracked", "??", "", None, field.endswith("/")))
    return GitStatus(head, branch, tuple(sorted(_merge_duplicates(entries))), _object_format(head, entries))


def _merge_duplicates(entries: list[StatusEntry]) -> list[StatusEntry]:
    """Merge git's two entries for a file removed from the index and present on disk into one, untracked."""
    removed = {entry.path: entry for entry in entries if entry.code == "D."}
    on_disk = {entry.path for entry in entries if entry.code == "??" and entry.path in removed}
    if not on_disk:
        return entries
    return [
        entry._replace(code="D?") if entry.code == "??" and entry.path in on_disk else entry
        for entry in entries
        if not (entry.code == "D." and entry.path in on_disk)
    ]


def _object_format(head: str | None, entries: list[StatusEntry]) -> ObjectFormat:
    ids = [head or "", *(entry.index_id.rsplit(" ", 1)[-1] for entry in entries)]
    return "sha256" if any(len(id_) == 64 for id_ in ids) else "sha1"


def change_kind(code: str) -> ChangeKind:
    """Return the kind of change of a tracked file from git's two letters."""
    if "D" in code:
        return "deleted"
    return "staged" if code[1] == "." else "unstaged"


def _none_if(text: str, sentinel: str) -> str | None:
    return None if text == sentinel else text


SIDECAR_FOLDERS = (".chati/", ".spool/")
"""Folders of the sidecar, excluded from state and hash."""

DESKTOP_FILES = (".ds_store", "icon\r", "thumbs.db", "desktop.ini")
"""Names, in lowercase, of the files in which a desktop keeps a folder's view or icon."""

_APPLE_DOUBLE_NAME, _APPLE_DOUBLE_MARK = "._", b"\0\x05\x16\x07"
"""Beginning of the name and of the content of a file in which a Mac stores the attributes of the file beside it, on
disks that have no other place for them.
"""

MAX_NESTED_DEPTH, MAX_NESTED_REPOSITORIES = 3, 50
"""Maximum depth and number of the nested repositories that one scan enters."""

_DELETED_CODES = ("D.", ".D", "MD", "AD", "RD", "CD", "TD")


class ChangedFile(NamedTuple):
    """A file that differs from the head commit; `path` is relative to `cwd`, undecodable bytes are surrogates."""

    path: str
    kind: ChangeKind
    code: str
    content_hash: str
    original: str | None


def former_paths(changed: Iterable[ChangedFile]) -> dict[str, str]:
    """Return the former paths of moved and deleted files, each with the present one; that is empty for a deleted file.

    A deleted file has moved if there is a single new one of its name.
    """
    former: dict[str, str] = {}
    deleted: list[str] = []
    new: dict[str, list[str]] = {}
    for file in changed:
        if file.kind == "renamed" and file.original is not None:
            former[file.original] = file.path
        elif file.content_hash == "absent":
            deleted.append(file.path)
        elif file.kind == "untracked" or file.code.startswith("A"):
            new.setdefault(file.path.rpartition("/")[2], []).append(file.path)
    for path in deleted:
        candidates = new.get(path.rpartition("/")[2], [])
        former[path] = candidates[0] if len(candidates) == 1 else ""
    return former


class RepositoryState(NamedTuple):
    """State of the worktree at one moment, and its proof."""

    kind: WorktreeKind
    """`folder` outside of a repository."""
    root: Path
    prefix: str
    """`cwd` relative to the root, with a trailing slash; empty at the root."""
    head: str | None
    branch: str | None
    changed: tuple[ChangedFile, ...]
    changed_hash: str
    proof: str
    """status: a full `git status`, or the same comparison by file times in a fresh checkout; watch: the same, and every
    file that changed since was reported by a watch and checked again; watch+stat: the same with a watch that may miss
    changes; walk: every file of a folder without git was read.
    """
    submodules: tuple["Submodule", ...] = ()
    """Those that are checked out and differ from what the head commit records."""
    outside: tuple[ChangedFile, ...] = ()
    """The repository's changed files outside of `cwd`; their paths begin with `../`."""
    covers_root: bool = True
    """False if the head commit does not contain `cwd`, as a project in a home folder that git tracks: then only the
    files below `cwd` count.
    """
    index_hash: str = ""
    """Digest of the modes and blobs that are staged."""

    @property
    def all_changed(self) -> tuple[ChangedFile, ...]:
        """The changed files of the whole repository, with those inside submodules.

        A submodule itself is one of them only if its commit moved.
        """
        if not self.submodules:
            return self.changed + self.outside
        submodules = {submodule.path: submodule for submodule in self.submodules}
        return tuple(
            inner
            for file in self.changed + self.outside
            for inner in (submodules[file.path].changed_files(file) if file.path in submodules else (file,))
        )


class Submodule(NamedTuple):
    """A submodule's own state."""

    path: str
    """Relative to `cwd`."""
    state: RepositoryState
    is_moved: bool
    """Whether another commit is checked out than the head commit records."""

    def changed_files(self, entry: ChangedFile) -> Iterator[ChangedFile]:
        """Yield what changed of a submodule with this entry, with paths relative to the outer `cwd`."""
        inside = self.state.all_changed
        if self.is_moved or not inside:
            yield entry._replace(content_hash=f"nested:{self.state.head}")
        for file in inside:
            original = f"{self.path}/{file.original}" if file.original is not None else None
            yield file._replace(path=f"{self.path}/{file.path}", original=original)


def is_outside(path: str) -> bool:
    """Whether a path relative to `cwd` leads out of it."""
    return path.startswith("../")


def path_from_cwd(prefix: str, path: str) -> str:
    """Return a path relative to `cwd`, which is `prefix` in the repository, for one relative to the root."""
    if path.startswith(prefix):
        return path[len(prefix) :]
    folders, parts = prefix.split("/")[:-1], path.split("/")
    common = next((at for at, pair in enumerate(zip(folders, parts, strict=False)) if pair[0] != pair[1]), len(folders))
    return "../" * (len(folders) - common) + "/".join(parts[common:])


def path_from_root(prefix: str, path: str) -> str:
    """Return a path relative to the root for one relative to `cwd`, which is `prefix` in the repository."""
    folders = prefix.split("/")[:-1]
    while is_outside(path):
        folders, path = folders[:-1], path[3:]
    return "/".join((*folders, path))


def prefix_of(cwd: Path, root: Path) -> str:
    """Return a folder relative to the repository's root, with a trailing slash; empty at the root."""
    return "" if cwd == root else cwd.relative_to(root).as_posix() + "/"


def head_contains(git: Git, prefix: str) -> bool:
    """Whether the head commit contains git's folder, which is `prefix` in the repository."""
    return not prefix or bool(git.run("rev-parse", "--verify", "--quiet", "HEAD:./", success_codes=(0, 1, 128)).strip())


class DetailedState(NamedTuple):
    """A state with git's status entry of each changed file of the whole repository; no entries for a folder."""

    state: RepositoryState
    entries: tuple[StatusEntry, ...]
    files: tuple[ChangedFile, ...]
    """The changed file of each entry."""


class StateUnavailable(Exception):
    """The state is unavailable; `reason` is a short phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Scan:
    """Context of one scan: known hashes, location of our own state, number of nested repositories entered."""

    def __init__(self, hashes: ContentHashes, state_dir: Path) -> None:
        self.hashes = hashes
        self.empty_git_dir = state_dir / "folder.git"
        self._state_dir = f"{state_dir.as_posix()}/"
        self._nested = 0

    def may_enter(self, depth: int) -> bool:
        """Whether one more nested repository may be entered."""
        self._nested += 1
        return depth < MAX_NESTED_DEPTH and self._nested <= MAX_NESTED_REPOSITORIES

    def is_sidecar_path(self, folder: Path, path: str) -> bool:
        """Whether a path below a folder belongs to the sidecar: state, memories, loop."""
        return is_sidecar_path(path) or f"{folder.as_posix()}/{path}".startswith(self._state_dir)


def is_sidecar_path(path: str) -> bool:
    """Whether a relative path is in one of the sidecar's folders, at any level."""
    return path.startswith(SIDECAR_FOLDERS) or any(f"/{own}" in path for own in SIDECAR_FOLDERS)


def is_desktop_file(folder: str | Path, path: str) -> bool:
    """Whether a path below a folder is a file in which a desktop keeps a folder's view, icon or attributes."""
    name = path.rpartition("/")[2]
    if name.startswith(_APPLE_DOUBLE_NAME):
        return read_head(os.path.join(folder, path), len(_APPLE_DOUBLE_MARK)) == _APPLE_DOUBLE_MARK
    return name.lower() in DESKTOP_FILES


def unchanged_state(
    root: Path, prefix: str, head: str | None, branch: str | None, *, covers_root: bool = True
) -> RepositoryState:
    """Return the state of a worktree without changed files."""
    return RepositoryState(
        kind="git",
        root=root,
        prefix=prefix,
        head=head,
        branch=branch,
        changed=(),
        changed_hash="",
        proof="status",
        covers_root=covers_root,
    )


def read_state(cwd: Path, scan: Scan, depth: int = 0) -> RepositoryState:
    """Read the state of a worktree, or of a folder without git by git's ignore rules; raise StateUnavailable."""
    return read_detailed_state(cwd, scan, depth).state


def read_detailed_state(cwd: Path, scan: Scan, depth: int = 0) -> DetailedState:
    """Read the state with git's status entry of each changed file; raise StateUnavailable."""
    root = find_root(cwd)
    if root is None and is_git_dir(cwd):
        raise StateUnavailable(NO_WORK_TREE)  # its objects are not user files
    try:
        if root is None:
            return DetailedState(_folder_state(cwd, scan, depth), (), ())
        return _worktree_state(cwd, root, scan, depth)
    except GitFailed as error:
        # There is a `.git` here, and git, limited to this folder, finds no repository in it.
        raise StateUnavailable(DAMAGED if error.reason == NOT_A_REPOSITORY else error.reason) from error


MAX_RECHECKED = 500
"""With more changed files, untracked ones are not checked again while a watch proves them unchanged."""


_OPERATIONS = {
    "rebase-merge": "rebase", "rebase-apply/applying": "patch application (git am)", "rebase-apply": "rebase",
    "MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "BISECT_LOG": "bisect",
}  # fmt: skip
"""Entries of a git directory that exist while an operation waits for the user to continue; the first one counts."""


_MAX_HEAD_NAME = 1_000


def operation_in_progress(state: RepositoryState) -> str:
    """Return the operation that a worktree is in the middle of, a rebase with its branch; empty for none."""
    git_dir = git_dir_of(state.root) if state.kind == "git" else None
    if git_dir is None:
        return ""
    entry = next((entry for entry in _OPERATIONS if os.path.lexists(git_dir / entry)), "")
    name = _OPERATIONS.get(entry, "")
    branch = _rebased_branch(git_dir / entry) if name == "rebase" else ""
    return f"{name} of branch {branch}" if branch else name


def _rebased_branch(folder: Path) -> str:
    """Return the branch that a rebase rewrites; empty if it is of no branch."""
    try:
        name = read_regular(str(folder / "head-name"), _MAX_HEAD_NAME).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
    return name.removeprefix("refs/heads/") if name.startswith("refs/heads/") else ""


MAX_PLACES_OF_WORK = 6


def places_of_work(state: RepositoryState) -> list[tuple[str, str]]:
    """Return the latest stash and the newest other branches, as words, with their commits. Raise StateUnavailable."""
    options = ("--sort=-committerdate", f"--count={MAX_PLACES_OF_WORK}", "--format=%(objectname) %(refname)")
    try:
        text = Git(state.root).text("for-each-ref", *options, "refs/stash", "refs/heads")
    except GitFailed as error:
        raise StateUnavailable(error.reason) from error
    refs = [(name, commit) for commit, _, name in (line.partition(" ") for line in text.splitlines())]
    return [
        ("the latest stash" if name == "refs/stash" else f"branch {name.removeprefix('refs/heads/')}", commit)
        for name, commit in refs
        if name != f"refs/heads/{state.branch}"
    ]


MAX_MERGES = 10
MERGE_HEAD = "MERGE_HEAD"
"""Git's name of the commit that a merge in progress brings in."""


def merged_commits(state: RepositoryState, old: str) -> list[str]:
    """Return the commits that the last merges since an older head brought in, also of one in progress.

    Raise StateUnavailable.
    """
    merged = [MERGE_HEAD] if operation_in_progress(state) == _OPERATIONS[MERGE_HEAD] else []
    if state.head is None or state.head == old:
        return merged
    options = ("--first-parent", "--merges", "--parents", f"--max-count={MAX_MERGES}")
    try:
        text = Git(state.root).text("rev-list", *options, f"{old}..{state.head}", "--")
    except GitFailed as error:
        raise StateUnavailable(error.reason) from error
    return [*merged, *(parent for line in text.splitlines() for parent in line.split()[2:])]


def rechecked(files: Sequence[ChangedFile]) -> Sequence[ChangedFile]:
    """Return the changed files that may change again without events: of very many, those that are not untracked."""
    return files if len(files) <= MAX_RECHECKED else [file for file in files if file.kind != "untracked"]


def is_unchanged(file: ChangedFile, cwd: Path, state: RepositoryState, hashes: ContentHashes) -> bool:
    """Whether a changed file has the same content as in a state; False for a nested repository."""
    if file.content_hash == "absent" or file.content_hash.startswith("nested"):
        return file.content_hash == "absent"
    object_format: ObjectFormat = "sha256" if len(state.head or "") == 64 else "sha1"
    return hashes.of(os.path.join(cwd, file.path), object_format) == file.content_hash


def compose_state(base: RepositoryState, entries: Sequence[StatusEntry], contents: Sequence[str]) -> DetailedState:
    """Return the state of `base`'s head with these sorted entries and the content hash of each."""
    files = [changed_file(base.prefix, entry, content) for entry, content in zip(entries, contents, strict=True)]
    return detailed_state(base, entries, tuple(files))


def changed_file(prefix: str, entry: StatusEntry, content: str) -> ChangedFile:
    """Return the changed file of an entry with a content hash, for a `cwd` that is `prefix` in the repository."""
    original = path_from_cwd(prefix, entry.original) if entry.original is not None else None
    return ChangedFile(path_from_cwd(prefix, entry.path), entry.kind, entry.code, content, original)


def detailed_state(
    base: RepositoryState, entries: Sequence[StatusEntry], files: tuple[ChangedFile, ...]
) -> DetailedState:
    """Return the state of `base`'s head with these sorted entries and the changed file of each."""
    prefix = base.prefix
    changed_hash = digest_value(
        [[_encode_path(file.path), file.code, file.content_hash, _encode_path(file.original or "")] for file in files]
        + [entry.index_id for entry in entries]
    )
    staged = [entry.index_id for entry in entries if entry.code[0] not in ".?"]
    changed, outside = files, tuple[ChangedFile, ...]()
    if prefix:
        changed = tuple(file for file in files if not is_outside(file.path))
        outside = tuple(file for file in files if is_outside(file.path))
    index_hash = digest_value(staged) if staged else ""
    state = base._replace(changed=changed, outside=outside, changed_hash=changed_hash, index_hash=index_hash)
    return DetailedState(state, tuple(entries), files)


def _worktree_state(cwd: Path, root: Path, scan: Scan, depth: int) -> DetailedState:
    prefix, git = prefix_of(cwd, root), Git(cwd, root=root)
    covers_root = head_contains(git, prefix)
    status = parse_status(git.run(*STATUS, *(() if covers_root else ("--", "."))))
    entries = [
        entry
        for entry in status.entries
        if (covers_root or entry.path.startswith(prefix))
        and not scan.is_sidecar_path(root, entry.path)
        and not (entry.code == "??" and is_desktop_file(root, entry.path))
    ]
    contents: list[str] = []
    submodules: list[Submodule] = []
    for entry in entries:
        absolute = os.path.join(root, entry.path)
        if entry.code in _DELETED_CODES:
            contents.append("absent")  # whatever is there now is ignored, or belongs to the target of a link
        elif entry.is_nested:
            content, inner = _nested_state(Path(absolute), scan, depth)
            contents.append(content)
            if inner is not None and entry.kind != "untracked":
                is_moved = entry.code[0] != "." or not entry.index_id.endswith(f" {inner.head}")
                submodules.append(Submodule(path_from_cwd(prefix, entry.path), inner, is_moved))
        else:
            contents.append(scan.hashes.of(absolute, status.object_format) or "absent")
    base = unchanged_state(root, prefix, status.head, masked_branch(status.branch), covers_root=covers_root)._replace(
        submodules=tuple(submodules)
    )
    return compose_state(base, entries, contents)


def masked_branch(branch: str | None) -> str | None:
    """Return a branch's name as it is stored and sent: a secret in it is masked."""
    return redact(branch) if branch is not None else None


def _nested_state(folder: Path, scan: Scan, depth: int) -> tuple[str, RepositoryState | None]:
    """Return what identifies the state of a nested repository, its head and its own changes; and the state."""
    if not scan.may_enter(depth) or find_root(folder) != folder:
        return "nested", None
    try:
        inner = read_state(folder, scan, depth + 1)
    except StateUnavailable as error:
        return f"nested:{error.reason}", None
    return f"nested:{inner.head}:{inner.changed_hash}", inner


def _folder_state(cwd: Path, scan: Scan, depth: int) -> RepositoryState:
    files = tuple(
        ChangedFile(path, "untracked", "??", _folder_content_hash(os.path.join(cwd, path), scan, depth), None)
        for path in list_folder(cwd, scan.empty_git_dir)
        if not (scan.is_sidecar_path(cwd, path) or is_desktop_file(cwd, path))
    )
    changed_hash = digest_value([[_encode_path(file.path), file.content_hash] for file in files])
    return RepositoryState(
        kind="folder",
        root=cwd,
        prefix="",
        head=None,
        branch=None,
        changed=files,
        changed_hash=changed_hash,
        proof="walk",
    )


def _folder_content_hash(absolute: str, scan: Scan, depth: int) -> str:
    if absolute.endswith("/"):
        return _nested_state(Path(absolute), scan, depth)[0]
    return scan.hashes.of(absolute) or "absent"


def _encode_path(path: str) -> str:
    """Return a path that orjson accepts and that stays as distinct as its bytes."""
    return path.encode("utf-8", "surrogateescape").decode("latin-1")


MAX_SUBMODULES, MAX_MODULES_BYTES = 50, 64 * 1024
_SUBMODULE_PATH = lazy_regex(r"(?m)^[ \t]*path[ \t]*=[ \t]*\"?([^\"\n]{1,400}?)\"?[ \t]*$")


def submodule_paths(root: Path) -> list[str]:
    """Return the folders of a worktree's submodules, at most 50, checked out or not."""
    try:
        text = read_regular(str(root / ".gitmodules"), MAX_MODULES_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    paths = _SUBMODULE_PATH.findall(text)[:MAX_SUBMODULES]
    return [path for path in paths if not os.path.isabs(path) and ".." not in path.split("/")]


def empty_submodules(root: Path) -> list[str]:
    """Return the submodules whose folders are empty, as they are in a new worktree."""
    return [path for path in submodule_paths(root) if _is_empty_folder(root / path)]


def _is_empty_folder(folder: Path) -> bool:
    try:
        with os.scandir(folder) as found:
            return next(found, None) is None
    except OSError:
        return False
