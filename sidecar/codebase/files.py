"""Which files a workspace has, each with the id of its content; what may be shown of them and what not."""

import os
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.state import OWN_FOLDERS, RepositoryState
from sidecar.core.redact import is_secret_path
from sidecar.system.git import Git

MAX_FILES = 60_000

_OPAQUE_SUFFIXES = frozenset(
    (
        ".png .jpg .jpeg .gif .webp .ico .icns .bmp .tiff .svgz .pdf .zip .gz .bz2 .xz .zst .7z .rar .tar .jar .war .whl .exe .dll .so"
        " .dylib .a .o .obj .class .pyc .wasm .bin .dat .db .sqlite .mp3 .mp4 .mov .avi .wav .ogg .flac .ttf .otf .woff .woff2"
        " .eot .node .psd .ai .sketch .fig .parquet .npy .npz .pkl .pt .onnx .snap .map"
    ).split()
)
_GENERATED_NAMES = frozenset(
    (
        "package-lock.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock poetry.lock pipfile.lock uv.lock cargo.lock gemfile.lock composer.lock"
        " go.sum packages.lock.json requirements.lock flake.lock npm-shrinkwrap.json"
    ).split()
)
_GENERATED_MARKS = (".min.js", ".min.css", ".bundle.js", "_pb2.py", ".pb.go", ".g.dart", ".generated.", "-lock.json")
_VENDORED_FOLDERS = frozenset(("node_modules", "vendor", "third_party", "dist", ".git"))


class Listing(NamedTuple):
    """Paths relative to `cwd` → content id: a git blob id, or `w:` and a content hash for what is not committed."""

    files: dict[str, str]
    cut_at: int | None
    """How many files there were when the listing had to be cut; None when it is whole."""


def list_files(cwd: Path, state: RepositoryState, tracked: dict[str, str]) -> Listing:
    """Lays the changes of a state over the tracked files; ignored, secret and opaque files are not in it."""
    files = dict(tracked)
    for changed in state.changed:
        files.pop(changed.path, None)
        if changed.original is not None and changed.code[:1] == "R":
            files.pop(changed.original, None)
        if not changed.content_hash.startswith(("absent", "link:", "other:", "nested", "unreadable:", "large:")):
            files[changed.path] = "w:" + changed.content_hash
    shown = {path: content for path, content in files.items() if may_show(path)}
    if len(shown) <= MAX_FILES:
        return Listing(shown, None)
    return Listing(dict(sorted(shown.items())[:MAX_FILES]), len(shown))


class TrackedFiles:
    """What git's index lists, read again only when the index file changed."""

    def __init__(self) -> None:
        self._signature: tuple[object, ...] | None = None
        self._files: dict[str, str] = {}

    def of(self, cwd: Path, state: RepositoryState) -> dict[str, str]:
        """Gives path → blob id of the regular files at and below `cwd`; raises GitFailed."""
        if state.kind != "git":
            return {}
        signature = _index_signature(state.root)
        if signature is None or signature != self._signature:
            self._files = _read_index(cwd)
            self._signature = signature
        return self._files


def may_show(path: str) -> bool:
    """Says whether a file may enter a pack: not a secret, not binary by name, not our own, not vendored."""
    parts = path.split("/")
    return not (
        is_secret_path(path)
        or path.startswith(OWN_FOLDERS)
        or os.path.splitext(path)[1].lower() in _OPAQUE_SUFFIXES
        or any(part in _VENDORED_FOLDERS for part in parts[:-1])
        or any("\ud800" <= char <= "\udfff" for char in path)
    )


def is_generated(path: str) -> bool:
    """Says whether a file is written by a program: lock files, bundles, generated code."""
    name = path.rsplit("/", 1)[-1].lower()
    return name in _GENERATED_NAMES or any(mark in name for mark in _GENERATED_MARKS)


def git_dir_of(root: Path) -> Path | None:
    """Gives the git directory of a worktree: `.git` itself, or what the file `.git` points at."""
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        text = dot_git.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    if not text.startswith("gitdir: "):
        return None
    return root / text.removeprefix("gitdir: ").rstrip("\r\n")


def _index_signature(root: Path) -> tuple[object, ...] | None:
    """Identifies the index's content: its stat and the checksum at its end."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        with open(git_dir / "index", "rb") as file:
            found = os.fstat(file.fileno())
            file.seek(max(0, found.st_size - 20))
            checksum = file.read(20)
    except OSError:
        return None
    if not any(checksum):
        return None  # written with index.skipHash: nothing to tell two contents apart by
    return found.st_mtime_ns, found.st_size, found.st_ino, checksum


def _read_index(cwd: Path) -> dict[str, str]:
    output = Git(cwd).run("ls-files", "-s", "-t", "-z", "--", ".")
    files: dict[str, str] = {}
    for line in output.decode("utf-8", "surrogateescape").split("\0"):
        if line[:4] != "H 10":
            continue  # only regular files that are checked out: no links, submodules, conflicts, sparse paths
        fields, _, path = line.partition("\t")
        _, _, blob_id, stage = fields.split(" ")
        if stage == "0":
            files[path] = blob_id
    return files
