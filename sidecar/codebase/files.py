"""Which files a workspace has, each with the id of its content; what may be shown of them and what not."""

import re
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.filemap import Files
from sidecar.codebase.worktree.gitdir import index_signature
from sidecar.codebase.worktree.state import RepositoryState, is_own
from sidecar.core.regex import regex
from sidecar.core.secrets.paths import is_secret_path
from sidecar.system.git import Git

MAX_FILES = 200_000

_OPAQUE_SUFFIXES = frozenset(
    (
        "png", "jpg", "jpeg", "gif", "webp", "ico", "icns", "bmp", "tiff", "svgz", "pdf", "zip", "gz", "bz2", "xz",
        "zst", "7z", "rar", "tar", "tgz", "jar", "war", "whl", "exe", "dll", "so", "dylib", "a", "o", "obj", "class",
        "pyc", "pyo", "wasm", "bin", "dat", "db", "sqlite", "sqlite3", "mp3", "mp4", "mov", "avi", "wav", "ogg", "flac",
        "ttf", "otf", "woff", "woff2", "eot", "node", "psd", "ai", "sketch", "fig", "parquet", "npy", "npz", "pkl",
        "pt", "onnx", "snap", "map",
    )
)  # fmt: skip
_GENERATED_NAMES = frozenset(
    (
        "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock", "poetry.lock", "pipfile.lock",
        "uv.lock", "cargo.lock", "gemfile.lock", "composer.lock", "go.sum", "packages.lock.json", "requirements.lock",
        "flake.lock", "npm-shrinkwrap.json",
    )
)  # fmt: skip
_GENERATED_MARKS = (".min.js", ".min.css", ".bundle.js", "_pb2.py", ".pb.go", ".g.dart", ".generated.", "-lock.json")
_VENDORED_FOLDERS = frozenset(
    (
        "node_modules", "bower_components", "vendor", "third_party", "dist", "site-packages", "__pycache__", ".venv",
        ".git",
    )
)  # fmt: skip
_REGULAR = regex(r"(?:^|(?<=\0))H 10[0-7]{4} ([0-9a-f]+) 0\t([^\0]+)(?=\0)")
_NO_TEXT = ("absent", "link:", "other:", "nested", "unreadable:", "large:")
"""How the hashes begin of what has no text to show."""


class Listing(NamedTuple):
    """Paths relative to `cwd` → content id: a git blob id, or `w:` and a content hash for what is not committed.

    Never changed once made: the same listing is the same object, which saves looking through it again.
    """

    files: Files
    cut_at: int | None
    """How many files there were when the listing had to be cut; None when it is whole."""


class Lister:
    """Lists a workspace's files, anew only when git's index or the changed files are others than before."""

    def __init__(self) -> None:
        self._signature: tuple[object, ...] | None = None
        self._hidden: frozenset[str] = frozenset()
        self._tracked = Files({}, {})
        self._total = 0
        self._listed: tuple[str, Listing] | None = None

    def list(self, cwd: Path, state: RepositoryState) -> Listing:
        """Gives the files of a state that may be shown; raises GitFailed."""
        signature = index_signature(state.root) if state.kind == "git" else None
        if signature is None or signature != self._signature:
            self._read(_read_index(cwd) if signature is not None else {})
            self._signature = signature
            self._listed = None
        if self._listed is None or self._listed[0] != state.changed_hash:
            self._listed = (state.changed_hash, with_changes(self._tracked, state, self._total))
        return self._listed[1]

    def _read(self, tracked: dict[str, str]) -> None:
        before, hidden = self._tracked, self._hidden
        self._hidden = frozenset(
            path for path in tracked if path not in before and (path in hidden or not may_show(path))
        )
        shown = {path: content for path, content in tracked.items() if path not in self._hidden}
        self._total = len(shown)
        if len(shown) > MAX_FILES:
            shown = dict(sorted(shown.items())[:MAX_FILES])
        self._tracked = self._tracked.replaced_by(shown)


def with_changes(tracked: Files, state: RepositoryState, total: int) -> Listing:
    """Lays the changes of a state over tracked files that may be shown; ignored, secret and opaque ones stay out.

    `total` is how many tracked files there are, of which `tracked` may be the first ones only.
    """
    laid: dict[str, str | None] = {}
    for changed in state.changed:
        laid[changed.path] = None
        if changed.original is not None and "R" in changed.code:
            laid.setdefault(changed.original, None)
        if not changed.content_hash.startswith(_NO_TEXT) and may_show(changed.path):
            laid[changed.path] = "w:" + changed.content_hash
    if state.kind == "folder":
        return _cut(tracked.replaced_by({path: content for path, content in laid.items() if content is not None}))
    listing = _cut(tracked.with_laid(laid))
    return listing if total <= MAX_FILES else Listing(listing.files, max(total, listing.cut_at or 0))


def _cut(files: Files) -> Listing:
    if len(files) <= MAX_FILES:
        return Listing(files, None)
    return Listing(Files(dict(sorted(files.items())[:MAX_FILES]), {}), len(files))


def may_show(path: str) -> bool:
    """Says whether a file may enter a pack: not a secret, not binary by name, not our own, not vendored."""
    *folders, name = path.split("/")
    _, dot, suffix = name.rpartition(".")
    return not (
        (dot and suffix.lower() in _OPAQUE_SUFFIXES)
        or not _VENDORED_FOLDERS.isdisjoint(folders)
        or is_secret_path(path)
        or is_own(path)
        or not (path.isascii() or path.isprintable() or _is_text(path))
    )


def is_generated(path: str) -> bool:
    """Says whether a file is written by a program: lock files, bundles, generated code."""
    name = path.rsplit("/", 1)[-1].lower()
    return name in _GENERATED_NAMES or any(mark in name for mark in _GENERATED_MARKS)


def _is_text(path: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _read_index(cwd: Path) -> dict[str, str]:
    """Reads the regular files that are checked out: no links, submodules, conflicts, sparse paths."""
    output = Git(cwd).run("ls-files", "-s", "-t", "-z", "--", ".")
    found = _REGULAR.finditer(output.decode("utf-8", "surrogateescape"))
    return {path: id_ for id_, path in map(re.Match.groups, found)}
