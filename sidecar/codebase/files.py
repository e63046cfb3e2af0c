"""Files by path, made so that a few changes to a hundred thousand files cost as much as the changes do."""

import re
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.worktree.git_dir import index_signature
from sidecar.codebase.worktree.state import RepositoryState, is_own
from sidecar.core.lazy_regex import regex
from sidecar.core.secrets.secret_paths import is_secret_path
from sidecar.system.git import Git

MAX_LAID, SHARE_LAID = 2_000, 16
"""With more than so many laid over them, or one in so many, the files below are put together anew."""


class Delta(NamedTuple):
    """What differs between two sets of files, each in the order of paths."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    """Of another content id."""
    removed: tuple[str, ...]


class Files(Mapping[str, str]):
    """Paths → content ids, in the order of paths. Never changed once made: the same object is the same files.

    Many files that stay, and a few *laid* over them, of which None takes a file away.
    """

    __slots__ = ("_count", "_whole", "below", "laid")

    def __init__(self, below: dict[str, str], laid: Mapping[str, str | None]) -> None:
        """Takes both, which must not change, and `below` in the order of its paths."""
        self.below = below
        self.laid = laid
        self._whole: dict[str, str] | None = None if laid else below
        self._count = len(below)
        for path, content in laid.items():
            self._count += (content is not None) - (path in below)

    def __getitem__(self, path: str) -> str:
        content = self.laid[path] if path in self.laid else self.below[path]
        if content is None:
            raise KeyError(path)
        return content

    def __contains__(self, path: object) -> bool:
        return self.laid[path] is not None if path in self.laid else path in self.below  # type: ignore[index]  # what is in is a path

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._put_together())

    def keys(self) -> KeysView[str]:
        """Gives the paths in order."""
        return self._put_together().keys()

    def items(self) -> ItemsView[str, str]:
        """Gives paths and content ids in order."""
        return self._put_together().items()

    def values(self) -> ValuesView[str]:
        """Gives the content ids in the order of paths."""
        return self._put_together().values()

    def with_laid(self, laid: Mapping[str, str | None]) -> "Files":
        """Gives these files with others laid over them."""
        return Files(self.below, {**self.laid, **laid})

    def replaced_by(self, files: dict[str, str]) -> "Files":
        """Gives exactly these files, as changes to the present ones where they are few, so that they can be told."""
        ordered = files if _is_sorted(files) else dict(sorted(files.items()))
        below = self.below
        if not below:
            return Files(ordered, {})
        differing = ordered.items() ^ below.items()
        if len(differing) > min(MAX_LAID, len(below) // SHARE_LAID):
            return Files(ordered, {})
        return Files(below, {path: ordered.get(path) for path, _ in differing})

    def changed_since(self, before: Mapping[str, str]) -> Delta:
        """Tells what differs from other files; at the cost of the changes where one comes from the other."""
        if not before:
            return Delta(tuple(sorted(self)), (), ())
        if isinstance(before, Files) and before.below is self.below:
            paths = sorted(self.laid.keys() | before.laid.keys())
        else:
            paths = sorted({path for path, _ in self.items() ^ before.items()})
        added = tuple(path for path in paths if path in self and path not in before)
        removed = tuple(path for path in paths if path in before and path not in self)
        both = (path for path in paths if path in self and path in before)
        return Delta(added, tuple(path for path in both if self[path] != before[path]), removed)

    def _put_together(self) -> dict[str, str]:
        if self._whole is None:
            whole: dict[str, str | None] = {**self.below, **self.laid}
            kept = {path: content for path, content in whole.items() if content is not None}
            appended = any(path not in self.below for path in self.laid)
            self._whole = dict(sorted(kept.items())) if appended else kept
        return self._whole


def delta_between(before: Mapping[str, str], files: Mapping[str, str]) -> Delta:
    """Tells what differs between any two mappings of paths to content ids."""
    return (files if isinstance(files, Files) else Files(dict(files), {})).changed_since(before)


def _is_sorted(files: dict[str, str]) -> bool:
    paths = iter(files)
    before = next(paths, "")
    for path in paths:
        if path < before:
            return False
        before = path
    return True


# Which files a workspace has, each with the id of its content; what may be shown of them and what not.


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


# What kind of file a path names: a test, prose or plain data, something generated. Pure.


_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e"))
_TEST_MARKS = (".test.", ".spec.", "_test.", "_spec.")
_TEST_AFFIXES = ("test_", "tests_", "_test", "_tests", "_spec", "-test", "-tests", "-spec")
_CAPITAL_TEST = regex(r"(?<=[a-z0-9])Tests?$")
_DOCUMENT_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv", ".html")

COMMON_STEMS = frozenset(("index", "mod", "__init__", "lib", "main", "types", "utils", "setup", "conftest", "common"))
"""Names that so many files have that two of them have nothing to do with each other."""


class Kind(NamedTuple):
    """What kind of file a path names."""

    generated: bool
    test: bool
    document: bool
    foreign: bool
    """Of no language we know, as a licence, a lock or a recorded output."""


def kind_of(path: str) -> Kind:
    """Tells a file's kind by its path."""
    return Kind(is_generated(path), is_test(path), is_document(path), language_of(path) is None)


def is_test(path: str) -> bool:
    """Says whether a file is a test by its name or folder."""
    *folders, name = path.lower().split("/")
    return (
        not _TEST_FOLDERS.isdisjoint(folders) or name.startswith("test_") or any(mark in name for mark in _TEST_MARKS)
    )


def is_document(path: str) -> bool:
    """Says whether a file is prose or plain data rather than code."""
    return path.lower().endswith(_DOCUMENT_SUFFIXES)


def is_code(path: str) -> bool:
    """Says whether a file is of a programming language, by its name."""
    language = language_of(path)
    return language is not None and language.grammar is not None


def stem_of(path: str) -> str:
    """Gives what a file and its test share of their names: `test_cart.py`, `Cart.test.ts` and `cart.py` → `cart`."""
    stem = _CAPITAL_TEST.sub("", path.rpartition("/")[2].split(".", 1)[0]).lower()
    for affix in _TEST_AFFIXES:
        shorter = stem.removeprefix(affix) if affix.endswith("_") else stem.removesuffix(affix)
        if shorter and shorter != stem:
            return shorter.strip("-_")
    return stem
