"""The files of a workspace: their content ids, their kinds by path, and which of them may be shown."""

import re
from collections.abc import Container, ItemsView, Iterator, KeysView, Mapping, ValuesView
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sidecar.codebase.summary.languages import language_of
from sidecar.codebase.unindexed_files import VendoredFiles, is_unindexed, recently_changed
from sidecar.codebase.worktree.content_hash import MAX_HASHED_BYTES, blob_id, content_identity
from sidecar.codebase.worktree.git_files import index_signature
from sidecar.codebase.worktree.state import RepositoryState, is_sidecar_path
from sidecar.core.lazy_regex import lazy_regex
from sidecar.system.git import Git, GitFailed
from sidecar.system.safe_open import read_below

MAX_OVERLAY, OVERLAY_SHARE = 2_000, 16
"""With more overlaid files than this number, or this share, the base is rebuilt."""


class FileDelta(NamedTuple):
    """The differences between two sets of files, each sorted by path."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    """Files with another content id."""
    removed: tuple[str, ...]


class FileMap(Mapping[str, str]):
    """Immutable map of path → content id, sorted by path; the same object means the same files.

    A large base that several maps share, and a small overlay, in which None removes a file. So a few changes to a
    hundred thousand files cost only as much as the changes.
    """

    __slots__ = ("_count", "_whole", "base", "overlay")

    def __init__(self, base: dict[str, str], overlay: Mapping[str, str | None]) -> None:
        """Neither map may be modified later; `base` is sorted by path."""
        self.base = base
        self.overlay = overlay
        self._whole: dict[str, str] | None = None if overlay else base
        self._count = len(base)
        for path, content in overlay.items():
            self._count += (content is not None) - (path in base)

    def __getitem__(self, path: str) -> str:
        content = self.overlay[path] if path in self.overlay else self.base[path]
        if content is None:
            raise KeyError(path)
        return content

    def __contains__(self, path: object) -> bool:
        return self.overlay[path] is not None if path in self.overlay else path in self.base  # type: ignore[index]  # what is in is a path

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self._merged())

    def keys(self) -> KeysView[str]:
        """Return the paths in order."""
        return self._merged().keys()

    def items(self) -> ItemsView[str, str]:
        """Return paths and content ids in the order of paths."""
        return self._merged().items()

    def values(self) -> ValuesView[str]:
        """Return the content ids in the order of paths."""
        return self._merged().values()

    def with_overlay(self, overlay: Mapping[str, str | None]) -> "FileMap":
        """Return a copy with more files overlaid."""
        return FileMap(self.base, {**self.overlay, **overlay})

    def replaced_by(self, files: dict[str, str]) -> "FileMap":
        """Return exactly these files, as an overlay on the present base if few changed, which is cheap to compare."""
        ordered = files if _is_sorted(files) else dict(sorted(files.items()))
        base = self.base
        if not base:
            return FileMap(ordered, {})
        differing = ordered.items() ^ base.items()
        if len(differing) > min(MAX_OVERLAY, len(base) // OVERLAY_SHARE):
            return FileMap(ordered, {})
        return FileMap(base, {path: ordered.get(path) for path, _ in differing})

    def changed_since(self, before: Mapping[str, str]) -> FileDelta:
        """Return the differences to other files; it costs only the changes if both share a base."""
        if not before:
            return FileDelta(tuple(sorted(self)), (), ())
        if isinstance(before, FileMap) and before.base is self.base:
            paths = sorted(self.overlay.keys() | before.overlay.keys())
        else:
            paths = sorted({path for path, _ in self.items() ^ before.items()})
        added = tuple(path for path in paths if path in self and path not in before)
        removed = tuple(path for path in paths if path in before and path not in self)
        both = (path for path in paths if path in self and path in before)
        return FileDelta(added, tuple(path for path in both if self[path] != before[path]), removed)

    def _merged(self) -> dict[str, str]:
        if self._whole is None:
            whole: dict[str, str | None] = {**self.base, **self.overlay}
            present = {path: content for path, content in whole.items() if content is not None}
            appended = any(path not in self.base for path in self.overlay)
            self._whole = dict(sorted(present.items())) if appended else present
        return self._whole


def delta_between(before: Mapping[str, str], files: Mapping[str, str]) -> FileDelta:
    """Return the differences between two mappings of path → content id."""
    return (files if isinstance(files, FileMap) else FileMap(dict(files), {})).changed_since(before)


def _is_sorted(files: dict[str, str]) -> bool:
    paths = iter(files)
    before = next(paths, "")
    for path in paths:
        if path < before:
            return False
        before = path
    return True


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
_GENERATED_MARKS = ("_pb2.py", ".pb.go", ".g.dart", ".generated.", "-lock.json")
_INSTALLED_FOLDERS = frozenset(("node_modules", "bower_components", "site-packages", "__pycache__", ".venv", ".git"))
"""Folders that only a tool writes to, whose names nobody uses for own code."""

_REGULAR_FILE = lazy_regex(r"(?:^|(?<=\0))H 10[0-7]{4} ([0-9a-f]+) 0\t([^\0]+)(?=\0)")
_NO_TEXT = ("absent", "link:", "other:", "nested", "unreadable:", "large:")
"""Prefixes of content hashes without a text to show."""


class Listing(NamedTuple):
    """Paths relative to `cwd` → content id: a git blob id, or `w:` and a content hash for uncommitted content.

    Immutable: the same listing is the same object, which saves a comparison.
    """

    files: FileMap
    """The indexed files."""
    cut_at: int | None
    """Total number of files if the listing is truncated; else None."""
    unindexed: Mapping[str, str] = MappingProxyType({})
    """Files that are shown only if a prompt names them."""

    def content_of(self, path: str) -> str | None:
        """Return a file's content id, indexed or not; None for a file that may not be shown."""
        return self.files.get(path) or self.unindexed.get(path)


class Lister:
    """Lists a workspace's files; reads git's index again only after it changed."""

    def __init__(self) -> None:
        self._signature: tuple[object, ...] | None = None
        self._hidden: frozenset[str] = frozenset()
        self._tracked = FileMap({}, {})
        self._unindexed: dict[str, str] = {}
        """Tracked files that are not indexed by default."""
        self._by_path: frozenset[str] = frozenset()
        """Those of them that their path alone decides."""
        self._vendored = VendoredFiles()
        self._recent: tuple[str | None, frozenset[str]] = (None, frozenset())
        """A head, and the files that its last commits changed."""
        self._total = 0
        self._listed: tuple[tuple[str, str | None], Listing] | None = None

    def list(self, cwd: Path, state: RepositoryState) -> Listing:
        """Return a state's files that may be shown. Raise GitFailed."""
        signature = index_signature(state.root) if state.kind == "git" else None
        if signature is None or signature != self._signature:
            self._read(cwd, state, _read_index(cwd) if signature is not None else {})
            self._signature = signature
            self._listed = None
        key = (state.changed_hash, state.head if self._unindexed else None)
        if self._listed is None or self._listed[0] != key:
            self._listed = (key, self._with_changes(cwd, state))
        return self._listed[1]

    def _with_changes(self, cwd: Path, state: RepositoryState) -> Listing:
        unindexed = self._unindexed
        if unindexed and state.head is not None and self._recent[0] != state.head:
            self._recent = (state.head, recently_changed(cwd, state.head))
        changed = {path: unindexed[path] for path in self._recent[1] if path in unindexed}
        tracked = self._tracked.with_overlay(changed) if changed else self._tracked
        others = {path: content for path, content in unindexed.items() if path not in changed} if changed else unindexed
        return with_changes(tracked, state, self._total, others, self._vendored)

    def _read(self, cwd: Path, state: RepositoryState, tracked: dict[str, str]) -> None:
        before, hidden, by_path, unindexed = self._tracked, self._hidden, self._by_path, self._unindexed
        new = [path for path in tracked if path not in before and path not in unindexed]
        self._hidden = frozenset(path for path in new if path in hidden or not may_show(path))
        shown = {path: content for path, content in tracked.items() if path not in self._hidden}
        self._vendored.update(cwd, state.prefix, shown or [file.path for file in state.changed])
        self._by_path = frozenset(
            path for path in shown if path in by_path or (path not in before and is_unindexed(path))
        )
        if self._by_path or self._vendored:
            self._unindexed = {
                path: id_ for path, id_ in shown.items() if path in self._by_path or path in self._vendored
            }
            shown = {path: id_ for path, id_ in shown.items() if path not in self._unindexed}
        else:
            self._unindexed = {}
        self._total = len(shown)
        if len(shown) > MAX_FILES:
            shown = dict(sorted(shown.items())[:MAX_FILES])
        self._tracked = self._tracked.replaced_by(shown)


def with_changes(
    tracked: FileMap,
    state: RepositoryState,
    total: int,
    unindexed: Mapping[str, str] = MappingProxyType({}),
    vendored: Container[str] = (),
) -> Listing:
    """Overlay a state's changes on the tracked files; ignored, secret and binary files are left out.

    `total` is the number of tracked files; `tracked` may be truncated. An edited file is indexed in any case.
    """
    overlay: dict[str, str | None] = {}
    others: dict[str, str] = {}
    for changed in state.changed:
        path = changed.path
        overlay[path] = None
        if changed.original is not None and "R" in changed.code:
            overlay.setdefault(changed.original, None)
        if changed.content_hash.startswith(_NO_TEXT) or not may_show(path):
            continue
        is_new = changed.kind == "untracked" or "A" in changed.code
        if is_new and (path in vendored or is_unindexed(path)):
            others[path] = "w:" + changed.content_hash
        else:
            overlay[path] = "w:" + changed.content_hash
    if unindexed:
        others |= {path: content for path, content in unindexed.items() if path not in overlay}
    if state.kind == "folder":
        files = {path: content for path, content in overlay.items() if content is not None}
        return _truncated(tracked.replaced_by(files))._replace(unindexed=others)
    listing = _truncated(tracked.with_overlay(overlay))._replace(unindexed=others)
    return listing if total <= MAX_FILES else listing._replace(cut_at=max(total, listing.cut_at or 0))


def _truncated(files: FileMap) -> Listing:
    if len(files) <= MAX_FILES:
        return Listing(files, None)
    return Listing(FileMap(dict(sorted(files.items())[:MAX_FILES]), {}), len(files))


def may_show(path: str) -> bool:
    """Whether a file may enter a pack: not secret, not binary by name, not ours, not installed by a tool."""
    *folders, name = path.split("/")
    _, dot, suffix = name.rpartition(".")
    return not (
        (dot and suffix.lower() in _OPAQUE_SUFFIXES)
        or not _INSTALLED_FOLDERS.isdisjoint(folders)
        or is_secret_path(path)
        or is_sidecar_path(path)
        or not (path.isascii() or path.isprintable() or _is_decodable(path))
    )


def is_generated(path: str) -> bool:
    """Whether a file is generated by a program, as lock files, bundles and recorded chats are."""
    name = path.rsplit("/", 1)[-1].lower()
    return name in _GENERATED_NAMES or any(mark in name for mark in _GENERATED_MARKS) or is_unindexed(path)


def _is_decodable(path: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _read_index(cwd: Path) -> dict[str, str]:
    """Return the regular files that are checked out: no links, submodules, conflicts or sparse paths."""
    output = Git(cwd).run("ls-files", "-s", "-t", "-z", "--", ".")
    matches = _REGULAR_FILE.finditer(output.decode("utf-8", "surrogateescape"))
    return {path: id_ for id_, path in map(re.Match.groups, matches)}


_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e"))
_TEST_MARKS = (".test.", ".spec.", "_test.", "_spec.")
_TEST_AFFIXES = ("test_", "tests_", "_test", "_tests", "_spec", "-test", "-tests", "-spec")
_CAPITAL_TEST = lazy_regex(r"(?<=[a-z0-9])Tests?$")
_TEST_SOURCE_SET = lazy_regex(r"(?<=[a-z0-9.])Tests?$")
"""Folders such as `jvmTest`, `KilnTests` and `Kiln.Tests`."""

_TEST_SUFFIXES = (".t", ".feature")
_DOCUMENT_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv", ".html")

COMMON_STEMS = frozenset(("index", "mod", "__init__", "lib", "main", "types", "utils", "setup", "conftest", "common"))
"""File names so common that two files sharing one are not related."""


class FileKind(NamedTuple):
    """The kind of a file, by its path."""

    generated: bool
    test: bool
    document: bool
    unknown_language: bool
    """Whether its language is unknown, as of a license or a recorded output."""


def file_kind(path: str) -> FileKind:
    """Return a file's kind by its path."""
    return FileKind(is_generated(path), is_test(path), is_document(path), language_of(path) is None)


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or folder."""
    *folders, name = path.lower().split("/")
    if not _TEST_FOLDERS.isdisjoint(folders) or name.startswith("test_") or name.endswith(_TEST_SUFFIXES):
        return True
    return any(mark in name for mark in _TEST_MARKS) or ("Test" in path and _has_capital_test(path))


def _has_capital_test(path: str) -> bool:
    """Whether a folder or a source file is named as tests are in Kotlin, Java, C# and Swift."""
    *folders, name = path.split("/")
    is_in_tests = any(_TEST_SOURCE_SET.search(folder) for folder in folders)
    return is_in_tests or (is_code(path) and _CAPITAL_TEST.search(name.split(".", 1)[0]) is not None)


def is_document(path: str) -> bool:
    """Whether a file is prose or plain data rather than code."""
    return path.lower().endswith(_DOCUMENT_SUFFIXES)


def is_code(path: str) -> bool:
    """Whether a file is in a programming language, by its name."""
    language = language_of(path)
    return language is not None and language.grammar is not None


def is_own_code(path: str) -> bool:
    """Whether a file is code written here: neither a test nor generated."""
    return is_code(path) and not is_test(path) and not is_generated(path)


def stem_of(path: str) -> str:
    """Return the name that a file and its test share: `test_cart.py`, `Cart.test.ts` and `cart.py` → `cart`."""
    stem = _CAPITAL_TEST.sub("", path.rpartition("/")[2].split(".", 1)[0]).lower()
    for affix in _TEST_AFFIXES:
        shorter = stem.removeprefix(affix) if affix.endswith("_") else stem.removesuffix(affix)
        if shorter and shorter != stem:
            return shorter.strip("-_")
    return stem


_BATCH_BLOBS = 256
_SHA256_CHARACTERS = 64


class FileContent(NamedTuple):
    """A file's content; `content` is None if it is larger than the limit."""

    path: str
    content_id: str
    size: int
    content: bytes | None
    lines: int = 0
    """Number of lines of a larger text, if they were counted."""


def read_contents(
    cwd: Path, files: Mapping[str, str], limit_bytes: int, *, count_lines: bool = False
) -> Iterator[FileContent]:
    """Yield the readable files; a file that changed since it was listed is left out.

    With `count_lines`, texts over the limit are read for the number of their lines, each up to `MAX_HASHED_BYTES`.
    Raise GitFailed when git's objects cannot be read.
    """
    committed: dict[str, str] = {}
    for path, content_id in files.items():
        if not content_id.startswith("w:"):
            committed[path] = content_id
        elif (content := read_from_worktree(cwd, path, content_identity(content_id))) is not None:
            is_large = len(content) > limit_bytes
            lines = _count_lines(content) if is_large and count_lines else 0
            yield FileContent(path, content_id, len(content), None if is_large else content, lines)
    paths = list(committed)
    for start in range(0, len(paths), _BATCH_BLOBS):
        part = paths[start : start + _BATCH_BLOBS]
        yield from _from_objects(cwd, {path: committed[path] for path in part}, limit_bytes, count_lines=count_lines)


def read_from_worktree(cwd: Path, path: str, expected: str) -> bytes | None:
    """Return a worktree file's bytes if they have the expected blob id; else None, as after a line-end conversion."""
    content = read_below(str(cwd), path, MAX_HASHED_BYTES)
    if content is None:
        return None
    actual = blob_id(content, "sha256" if len(expected) == _SHA256_CHARACTERS else "sha1")
    return content if actual == expected else None


def _from_objects(cwd: Path, files: Mapping[str, str], limit_bytes: int, *, count_lines: bool) -> Iterator[FileContent]:
    sizes = _sizes(cwd, sorted(set(files.values())))
    contents = _blobs(cwd, [id_ for id_, size in sizes.items() if size <= limit_bytes])
    for path, content_id in files.items():
        size = sizes.get(content_id)
        if size is None:
            continue
        is_counted = count_lines and limit_bytes < size <= MAX_HASHED_BYTES
        lines = _count_lines(_blobs(cwd, [content_id]).get(content_id, b"")) if is_counted else 0
        yield FileContent(path, content_id, size, contents.get(content_id), lines)


def _count_lines(content: bytes) -> int:
    """Count the lines of a text; 0 for binary content."""
    if b"\0" in content[:8192]:
        return 0
    return content.count(b"\n") + (not content.endswith(b"\n"))


def _sizes(cwd: Path, ids: list[str]) -> dict[str, int]:
    """Return the sizes of blobs, which are read before contents so that a huge file is never loaded."""
    output = Git(cwd).run("cat-file", "--batch-check", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    fields = (line.split(" ") for line in output.decode().splitlines())
    return {parts[0]: int(parts[2]) for parts in fields if len(parts) == 3 and parts[1] == "blob"}


def _blobs(cwd: Path, ids: list[str]) -> dict[str, bytes]:
    if not ids:
        return {}
    output = Git(cwd).run("cat-file", "--batch", stdin="".join(f"{id_}\n" for id_ in ids).encode())
    contents: dict[str, bytes] = {}
    position = 0
    for object_id in ids:
        end = output.find(b"\n", position)
        if end < 0:
            raise GitFailed("git returned fewer objects than requested")
        header = output[position:end].split(b" ")
        position = end + 1
        if len(header) == 3 and header[1] == b"blob":
            size = int(header[2])
            contents[object_id] = output[position : position + size]
            position += size + 1
    return contents


_SECRET_NAMES = lazy_regex(
    r"""(?ix) (?:
      \.env(?:rc|[._-].+)? | .+\.env
      | .*\.(?:pem|key|p8|p12|pfx|jks|keystore|kdbx|asc|gpg|ppk|ovpn|tfstate|tfstate\.backup|tfvars|secrets?)
      | id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)? | [._]netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd
      | \.git-credentials | (?:.*[._-])?credentials(?:\.(?:json|ya?ml|toml|ini|csv|txt))?
      | (?:.*[._-])?secrets?\.(?:json|ya?ml|toml|ini|env|txt|properties) | client_secret.*\.json
      | service[-_]?account.*\.json | \.dockercfg | kubeconfig | \.s3cfg | \.boto | \.vault[-_](?:token|pass(?:word)?)
    )"""
)
_HARMLESS_NAMES = lazy_regex(
    r"(?i)\.env[._-](?:example|sample|template|dist|defaults?)|(?:example|sample|template)\.env"
)

_SECRET_FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"))


def is_secret_path(path: str) -> bool:
    """Whether a file is secret by its name or folder."""
    *folders, name = path.split("/")
    if any(folder.lower() in _SECRET_FOLDERS for folder in folders):
        return True
    return bool(_SECRET_NAMES.fullmatch(name)) and not _HARMLESS_NAMES.fullmatch(name)
