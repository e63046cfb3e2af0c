"""The files of a workspace: their content ids, their kinds by path, and which of them may be shown."""

import contextlib
import re
import threading
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sidecar.codebase.content_ids import MAX_HASHED_BYTES, FileMap, blob_id, blob_sizes, content_identity, read_blobs
from sidecar.codebase.file_exclusions import (
    VendoredFiles,
    VendoredState,
    has_unsafe_name,
    is_generated,
    is_unindexed,
    is_withheld,
    recently_changed,
)
from sidecar.codebase.summary.languages import is_code, language_of
from sidecar.codebase.worktree.git_metadata import index_signature, list_small_index
from sidecar.codebase.worktree.state import (
    MAX_NESTED_DEPTH,
    MAX_NESTED_REPOSITORIES,
    RepositoryState,
    is_outside,
    unchanged_state,
)
from sidecar.core.binary_sections import BinarySection, SectionReader, of_texts
from sidecar.core.digests import digest_bytes
from sidecar.core.lazy_regex import lazy_regex
from sidecar.core.lru_cache import LruCache
from sidecar.core.terms import stem
from sidecar.system.git import Git, GitFailed, find_root
from sidecar.system.safe_open import read_below

MAX_FILES = 200_000

MAX_LISTINGS = 4
"""Number of indexes of a repository's worktrees whose files stay in memory."""

_OPAQUE_SUFFIXES = frozenset(
    (
        "png", "jpg", "jpeg", "gif", "webp", "ico", "icns", "bmp", "tiff", "svgz", "pdf", "zip", "gz", "bz2", "xz",
        "zst", "7z", "rar", "tar", "tgz", "jar", "war", "whl", "exe", "dll", "so", "dylib", "a", "o", "obj", "class",
        "pyc", "pyo", "wasm", "bin", "dat", "db", "sqlite", "sqlite3", "mp3", "mp4", "mov", "avi", "wav", "ogg", "flac",
        "ttf", "otf", "woff", "woff2", "eot", "node", "psd", "ai", "sketch", "fig", "parquet", "npy", "npz", "pkl",
        "pt", "onnx", "snap", "map",
    )
)  # fmt: skip
_REGULAR_MODES, _ONLY_STAGE, _ID_AT = "H 10", " 0", len("H 100644 ")
"""Beginning of git's line for a regular file that is checked out, its end before the path, and where its id begins."""
_SUBMODULE = lazy_regex(r"(?:^|(?<=\0))H 160000 ([0-9a-f]+) 0\t([^\0]+)(?=\0)")
_NO_TEXT = ("absent", "link:", "other:", "nested", "unreadable:", "large:")
"""Prefixes of content hashes without a text to show."""


class Listing(NamedTuple):
    """Paths relative to `cwd` → content id: a git blob id, or one with a prefix.

    `s:` and the blob id of a file in a submodule, which has its own objects; `w:` and a content hash for uncommitted
    content.

    Immutable: the same listing is the same object, which saves a comparison.
    """

    files: FileMap
    """The indexed files."""
    cut_at: int | None
    """Total number of files if the listing is truncated; else None."""
    unindexed: Mapping[str, str] = MappingProxyType({})
    """Files that are shown only if a prompt names them."""
    with_outside: FileMap | None = None
    """For a folder below the repository's top, the files of the whole repository; paths outside begin with `../`."""
    unsafe_names: int = 0
    """Number of files that are left out only for their names."""
    entries: str = ""
    """Identifies the index's entries, which of them are checked out, and the files of submodules."""

    @property
    def searched(self) -> FileMap:
        """The files that a search finds: those of the whole repository."""
        return self.files if self.with_outside is None else self.with_outside

    def content_of(self, path: str) -> str | None:
        """Return a file's content id, indexed or not; None for a file that may not be shown."""
        return self.searched.get(path) or self.unindexed.get(path)


class TrackedFiles(NamedTuple):
    """The tracked files of one index, by what decides whether they are shown. Immutable."""

    digest: str = ""
    """Identifies the index's entries."""
    files: FileMap = FileMap({}, {})
    """The files that are indexed."""
    by_path: frozenset[str] = frozenset()
    """Files that their path alone excludes from the index."""
    unindexed: Mapping[str, str] = MappingProxyType({})
    """Files that are not indexed by default."""
    vendored: VendoredState = VendoredState()
    total: int = 0
    unsafe: frozenset[str] = frozenset()
    """Digests of the names for which alone files are left out: they may be secrets, and are stored."""


def dump_tracked(tracked: TrackedFiles) -> Iterator[BinarySection]:
    """Yield sections from which `load_tracked` restores the tracked files."""
    yield of_texts((tracked.digest, str(tracked.total)))
    for files in (tracked.files, tracked.unindexed):
        yield of_texts(files.keys())
        yield of_texts(files.values())
    yield of_texts(tracked.by_path)
    yield of_texts(tracked.unsafe)
    yield of_texts(tracked.vendored.marked)
    yield of_texts(tracked.vendored.entries)
    for entries in tracked.vendored.entries.values():
        yield of_texts(entries)


def load_tracked(reader: SectionReader) -> TrackedFiles:
    """Restore the tracked files of a dump."""
    digest, total = reader.texts()
    files, unindexed = (dict(zip(reader.texts(), reader.texts(), strict=True)) for _ in range(2))
    by_path, unsafe, marked = (frozenset(reader.texts()) for _ in range(3))
    entries = {folder: frozenset(reader.texts()) for folder in reader.texts()}
    vendored = VendoredState(entries, marked)
    return TrackedFiles(digest, FileMap(files, {}), by_path, unindexed, vendored, int(total), unsafe)


class SharedListings:
    """The last listings of a repository's worktrees, from which others are derived. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: list[TrackedFiles] = []
        self.recently_changed: LruCache[str, frozenset[str]] = LruCache(MAX_LISTINGS)
        """By head, the files that its last commits changed."""

    def latest(self) -> TrackedFiles:
        """Return the files of the index that was listed last; none if none was."""
        with self._lock:
            return self._last[0] if self._last else TrackedFiles()

    def nearest(self, digest: str) -> TrackedFiles | None:
        """Return the files of an index with the same entries, or the latest ones."""
        with self._lock:
            return next((tracked for tracked in self._last if tracked.digest == digest), next(iter(self._last), None))

    def put(self, tracked: TrackedFiles) -> None:
        """Store the files of an index."""
        with self._lock:
            others = (other for other in self._last if other.digest != tracked.digest)
            self._last = [tracked, *others][:MAX_LISTINGS]


class _Index(NamedTuple):
    """Git's listing of an index, and the commits of the submodules in it by path."""

    output: bytes
    submodules: dict[str, str]


class Lister:
    """Lists a workspace's files, those of its submodules included; reads git's index again only after it changed."""

    def __init__(self, shared: SharedListings | None = None, depth: int = 0) -> None:
        """`depth` is the number of repositories that a submodule is inside of."""
        self._shared = shared if shared is not None else SharedListings()
        self._depth = depth
        self._signature: tuple[object, ...] | None = None
        self._index: _Index | None = None
        """Only of a repository with submodules."""
        self._listers: dict[str, Lister] = {}
        """By a submodule's path."""
        self._submodules: dict[str, Listing] = {}
        self._tracked = TrackedFiles()
        self._vendored = VendoredFiles()
        self._ahead: tuple[tuple[object, ...], Future[_Index]] | None = None
        """An index's signature, and its entries."""
        self._listed: tuple[tuple[str, str | None, bool], Listing] | None = None
        self._inside: tuple[dict[str, str], dict[str, str]] = ({}, {})
        """A base of files, and those of them that are below the workspace's folder."""

    def list(self, cwd: Path, state: RepositoryState) -> Listing:
        """Return a state's files that may be shown. Raise GitFailed."""
        signature = index_signature(state.root) if state.kind == "git" else None
        index = self._index
        is_other = signature is None or signature != self._signature
        if is_other:
            index = self._read_entries(cwd, signature) if signature is not None else _Index(b"", {})
        submodules = self._list_submodules(cwd, state, index.submodules) if index is not None else {}
        if is_other or not _are_same(submodules, self._submodules):
            assert index is not None  # it stays while there are submodules
            self._read(cwd, state, index.output + _entries_of(submodules))
            self._index = index if index.submodules else None
            self._signature, self._submodules = signature, submodules
            self._listed = None
        key = (state.changed_hash, state.head if self._tracked.unindexed else None, state.covers_root)
        if self._listed is None or self._listed[0] != key:
            self._listed = (key, self._with_changes(cwd, state))
        return self._listed[1]

    def read_ahead(self, pool: ThreadPoolExecutor, cwd: Path, root: Path) -> bool:
        """Start to read a changed index, for the next listing if it stays as it is; return whether it has changed."""
        signature = index_signature(root)
        has_changed = signature is not None and signature != self._signature
        if signature is not None and has_changed and self._ahead is None:
            self._ahead = (signature, pool.submit(_read_index, cwd))
        return has_changed

    def _read_entries(self, cwd: Path, signature: tuple[object, ...]) -> _Index:
        """Return git's listing of the index, which may have been started before."""
        ahead, self._ahead = self._ahead, None
        # Waiting for what is still queued could block the pool, whose thread this may be.
        if ahead is None or ahead[1].cancel() or ahead[0] != signature:
            return _read_index(cwd)
        return ahead[1].result()

    def _list_submodules(self, cwd: Path, state: RepositoryState, commits: Mapping[str, str]) -> dict[str, Listing]:
        """List the files of the submodules that are checked out and readable."""
        if self._depth == MAX_NESTED_DEPTH:
            return {}
        states = {submodule.path: submodule.state for submodule in state.submodules}
        unreadable = {file.path for file in (*state.changed, *state.outside)} - states.keys()
        listings: dict[str, Listing] = {}
        for path, commit in list(commits.items())[:MAX_NESTED_REPOSITORIES]:
            folder = cwd / path
            if path not in unreadable and find_root(folder) == folder:
                inner = states.get(path) or unchanged_state(folder, "", commit, None)._replace(changed_hash=commit)
                lister = self._listers.setdefault(path, Lister(depth=self._depth + 1))
                with contextlib.suppress(GitFailed):  # the others and the repository itself are listed all the same
                    listings[path] = lister.list(folder, inner)
        return listings

    def _with_changes(self, cwd: Path, state: RepositoryState) -> Listing:
        unindexed = self._tracked.unindexed
        recent = self.read_recently_changed(cwd, state.head) if unindexed and state.head is not None else ()
        changed = {path: unindexed[path] for path in recent if path in unindexed}
        tracked = self._tracked.files.with_overlay(changed) if changed else self._tracked.files
        others = {path: content for path, content in unindexed.items() if path not in changed} if changed else unindexed
        total, unsafe = self._tracked.total, self._tracked.unsafe
        listing = with_changes(tracked, state, total, others, self._vendored, unsafe)
        listing = listing._replace(entries=self._tracked.digest)
        if not state.prefix:
            return listing
        inside = self._below_cwd(listing.files)
        if state.covers_root:
            return listing._replace(files=inside, with_outside=listing.files)
        unindexed = {path: content for path, content in listing.unindexed.items() if not is_outside(path)}
        return listing._replace(files=inside, unindexed=unindexed)

    def _below_cwd(self, files: FileMap) -> FileMap:
        """Return the files that are not outside of the workspace's folder."""
        if self._inside[0] is not files.base:
            inside = {path: content for path, content in files.base.items() if not is_outside(path)}
            self._inside = (files.base, inside)
        overlay = {path: content for path, content in files.overlay.items() if not is_outside(path)}
        return FileMap(self._inside[1], overlay)

    def read_recently_changed(self, cwd: Path, head: str) -> frozenset[str]:
        """Return the files that the last commits changed; a call for the same head meanwhile waits for this one."""
        return self._shared.recently_changed.get_or_create(head, lambda: recently_changed(cwd, head))

    def _read(self, cwd: Path, state: RepositoryState, output: bytes) -> None:
        """Read the index from git's listing of it, as far as its entries are new."""
        digest = digest_bytes(output)
        before = self._tracked
        if before.digest != digest:
            before = self._shared.nearest(digest) or before
        is_known = before.digest == digest
        shown, unsafe = ({}, before.unsafe) if is_known else _shown_files(output, before)
        paths = (*before.files, *before.unindexed) if is_known else shown
        self._vendored.update(cwd, state.prefix, paths or [file.path for file in state.changed])
        if is_known and before.vendored == self._vendored.state:
            self._tracked = before
        else:
            shown = shown or _shown_files(output, before)[0]
            self._tracked = self._divided(before, shown, digest)._replace(unsafe=unsafe)
        if output:
            self._shared.put(self._tracked)

    def _divided(self, before: TrackedFiles, shown: dict[str, str], digest: str) -> TrackedFiles:
        """Divide files that may be shown into those that are indexed and the others."""
        new = filter(is_unindexed, _unknown(shown, before))
        by_path = frozenset((*(shown.keys() & before.by_path), *new))
        others = by_path | self._vendored.among(shown)
        unindexed = {path: id_ for path, id_ in shown.items() if path in others}
        if unindexed:
            shown = {path: id_ for path, id_ in shown.items() if path not in unindexed}
        total = len(shown)
        if total > MAX_FILES:
            shown = _first_files(shown)
        files = before.files.replaced_by(shown)
        return TrackedFiles(digest, files, by_path, unindexed, self._vendored.state, total)


def _are_same(listings: Mapping[str, Listing], others: Mapping[str, Listing]) -> bool:
    return listings.keys() == others.keys() and all(listing is others[path] for path, listing in listings.items())


def _entries_of(submodules: Mapping[str, Listing]) -> bytes:
    """Return the files of submodules as entries of the outer repository's index."""
    entries = (
        f"H 100644 {content if content.startswith(('w:', 's:')) else f's:{content}'} 0\t{path}/{name}\0"
        for path, listing in submodules.items()
        for name, content in (*listing.files.items(), *listing.unindexed.items())
    )
    return "".join(entries).encode("utf-8", "surrogateescape")


def with_changes(
    tracked: FileMap,
    state: RepositoryState,
    total: int,
    unindexed: Mapping[str, str] = MappingProxyType({}),
    vendored: Container[str] = (),
    unsafe: frozenset[str] = frozenset(),
) -> Listing:
    """Overlay a state's changes on the tracked files; ignored, secret and binary files are left out.

    `total` is the number of tracked files; `tracked` may be truncated. An edited file is indexed in any case. `unsafe`
    are the digests of the tracked files that are left out only for their names.
    """
    overlay: dict[str, str | None] = {}
    others: dict[str, str] = {}
    added_unsafe: set[str] = set()
    for changed in (*state.changed, *state.outside):
        path = changed.path
        overlay[path] = None
        if changed.original is not None and "R" in changed.code:
            overlay.setdefault(changed.original, None)
        if changed.content_hash.startswith(_NO_TEXT):
            continue
        if not may_show(path):
            if is_unsafe(path):
                added_unsafe.add(path)
            continue
        is_new = changed.kind == "untracked" or "A" in changed.code
        if is_new and (path in vendored or is_unindexed(path)):
            others[path] = "w:" + changed.content_hash
        else:
            overlay[path] = "w:" + changed.content_hash
    if unindexed:
        others |= {path: content for path, content in unindexed.items() if path not in overlay}
    unsafe_names = len(unsafe.difference(map(_digest_of_name, overlay)) if unsafe else ()) + len(added_unsafe)
    if state.kind == "folder":
        files = {path: content for path, content in overlay.items() if content is not None}
        return _truncated(tracked.replaced_by(files))._replace(unindexed=others, unsafe_names=unsafe_names)
    listing = _truncated(tracked.with_overlay(overlay))._replace(unindexed=others, unsafe_names=unsafe_names)
    return listing if total <= MAX_FILES else listing._replace(cut_at=max(total, listing.cut_at or 0))


def _truncated(files: FileMap) -> Listing:
    if len(files) <= MAX_FILES:
        return Listing(files, None)
    return Listing(FileMap(_first_files(files), {}), len(files))


def _first_files(files: Mapping[str, str]) -> dict[str, str]:
    """Return as many files as are indexed, sorted by path; those outside of the workspace's folder are the last."""
    paths = sorted(files, key=lambda path: (is_outside(path), path))[:MAX_FILES]
    return {path: files[path] for path in sorted(paths)}


def may_show(path: str) -> bool:
    """Whether a file's text may enter a pack: it may be named, and is not binary by its name."""
    return not _is_opaque(path) and may_name(path)


def may_name(path: str) -> bool:
    """Whether a pack may name a file: not secret, not ours, not installed by a tool, and of a safe name."""
    return not is_withheld(path) and not has_unsafe_name(path)


def is_unsafe(path: str) -> bool:
    """Whether a file's text may not enter a pack only because of the characters of its name."""
    return not _is_opaque(path) and not is_withheld(path) and has_unsafe_name(path)


def _is_opaque(path: str) -> bool:
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return bool(dot) and suffix.lower() in _OPAQUE_SUFFIXES


def _read_index(cwd: Path) -> _Index:
    """Return git's listing of the whole index, each entry with its flags and content id, and the submodules in it."""
    output = list_small_index(cwd) or Git(cwd).run("ls-files", "-s", "-t", "-z", "--", ":/")
    matches = _SUBMODULE.finditer(output.decode("utf-8", "surrogateescape")) if b"H 160000 " in output else ()
    return _Index(output, {path: commit for commit, path in map(re.Match.groups, matches)})


def _shown_files(output: bytes, before: TrackedFiles) -> tuple[dict[str, str], frozenset[str]]:
    """Return the regular files that are checked out and may be shown, and digests of those their names exclude.

    Left out are links, submodules, conflicts and sparse paths. The files of an earlier listing are known.
    """
    entries = (entry.partition("\t") for entry in output.decode("utf-8", "surrogateescape").split("\0"))
    regular = {
        path: head[_ID_AT : -len(_ONLY_STAGE)]
        for head, _, path in entries
        if head.startswith(_REGULAR_MODES) and head.endswith(_ONLY_STAGE)
    }
    hidden = {path for path in _unknown(regular, before) if not may_show(path)}
    shown = {path: content for path, content in regular.items() if path not in hidden} if hidden else regular
    return shown, frozenset(map(_digest_of_name, filter(is_unsafe, hidden)))


def _digest_of_name(path: str) -> str:
    return digest_bytes(path.encode("utf-8", "surrogateescape"))


def _unknown(files: Mapping[str, str], before: TrackedFiles) -> AbstractSet[str]:
    """Return the paths that an earlier listing does not have."""
    return files.keys() - before.files.keys() - before.unindexed.keys()


_TEST_PATH = lazy_regex(
    r"(?:^|/)(?:(?:tests?|__tests__|specs?|e2e|test(?:[-_]?(?:helpers?|support|utils?)|data))/|(?:test_|tests\.)[^/]*\Z)"
    r"|[._](?:test|spec)\.[^/]{1,80}\Z|\Atest\."  # below the top, `test` may be a command
)
_TEST_AFFIXES = ("test_", "tests_", "_test", "_tests", "_spec", "-test", "-tests", "-spec")
_CAPITAL_TEST = lazy_regex(r"(?<=[a-z0-9])Tests?$")
_TEST_SOURCE_SET = lazy_regex(r"(?<=[a-z0-9.])Tests?$")
"""Folders such as `jvmTest`, `KilnTests` and `Kiln.Tests`."""

_TEST_SUFFIXES = (".t", ".feature")
_DOCUMENT_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".json", ".yml", ".yaml", ".toml", ".csv")
_DOCUMENT_FOLDERS = frozenset(("doc", "docs", "documentation", "javadoc", "apidocs"))
"""Folders with pages of documentation; elsewhere a page is a part of an application."""

_INFRASTRUCTURE = lazy_regex(
    r"(?:.*/)?(?:k8s|kubernetes|kustomize|helm|charts|ansible|roles|playbooks|argocd)/.*\.ya?ml"
)
"""Descriptions of what runs where, in lowercase: no plain data, but the code of such a repository."""

_SCREEN_DESCRIPTION = lazy_regex(r".*/res/(?:layout|menu|xml|navigation)[\w-]*/[^/]+\.xml|.*\.(?:qml|fxml|uxml|axml)")
"""Descriptions of screens without a language of their own, in lowercase."""

COMMON_STEMS = frozenset(("index", "mod", "__init__", "lib", "main", "types", "utils", "setup", "conftest", "common"))
"""File names so common that two files sharing one are not related."""
TEST_WORDS = frozenset(stem(word) for word in ("test", "spec", "coverage", "e2e", "fixture"))


class FileKind(NamedTuple):
    """The kind of a file, by its path."""

    generated: bool
    test: bool
    document: bool
    unknown_language: bool
    """Whether its language is unknown, as of a license or a recorded output."""


def file_kind(path: str) -> FileKind:
    """Return a file's kind by its path."""
    is_unknown = language_of(path) is None and _SCREEN_DESCRIPTION.fullmatch(path.lower()) is None
    return FileKind(is_generated(path), is_test(path), is_document(path), is_unknown)


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or folder."""
    lowercase = path.lower()
    is_named = lowercase.endswith(_TEST_SUFFIXES) or _TEST_PATH.search(lowercase) is not None
    return is_named or ("Test" in path and _has_capital_test(path))


def _has_capital_test(path: str) -> bool:
    """Whether a folder or a source file is named as tests are in Kotlin, Java, C# and Swift."""
    *folders, name = path.split("/")
    is_in_tests = any(_TEST_SOURCE_SET.search(folder) for folder in folders)
    return is_in_tests or (is_code(path) and _CAPITAL_TEST.search(name.split(".", 1)[0]) is not None)


def is_document(path: str) -> bool:
    """Whether a file is prose or plain data rather than code."""
    lowercase = path.lower()
    if lowercase.endswith((".html", ".htm")):
        return not _DOCUMENT_FOLDERS.isdisjoint(lowercase.split("/")[:-1])
    return lowercase.endswith(_DOCUMENT_SUFFIXES) and _INFRASTRUCTURE.fullmatch(lowercase) is None


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
_MAX_CONVERTED = 8
"""After this many files that differ from the commit, as where git converts line ends, the others are not tried."""

_SHA256_CHARACTERS = 64


class FileContent(NamedTuple):
    """A file's content; `content` is None if it is larger than the limit."""

    path: str
    content_id: str
    size: int
    content: bytes | None


def read_contents(
    cwd: Path, files: Mapping[str, str], limit_bytes: int, *, with_large: bool = False
) -> Iterator[FileContent]:
    """Yield the readable files; a file that changed since it was listed is left out.

    With `with_large`, larger files up to `MAX_HASHED_BYTES` are read too, one at a time.
    Raise GitFailed when git's objects cannot be read.
    """
    committed: dict[str, str] = {}
    submodules: defaultdict[Path, dict[str, str]] = defaultdict(dict)
    for path, content_id in files.items():
        if content_id.startswith("s:"):
            submodules[submodule_root(cwd, path)][path] = content_id
        elif not content_id.startswith("w:"):
            committed[path] = content_id
        elif (content := read_from_worktree(cwd, path, content_identity(content_id))) is not None:
            is_read = with_large or len(content) <= limit_bytes
            yield FileContent(path, content_id, len(content), content if is_read else None)
    for folder, content_ids in ((cwd, committed), *submodules.items()):
        paths = list(content_ids)
        for start in range(0, len(paths), _BATCH_BLOBS):
            part = {path: content_ids[path] for path in paths[start : start + _BATCH_BLOBS]}
            known = _from_worktree(cwd, part, limit_bytes) if with_large and folder == cwd else {}
            yield from _from_objects(folder, part, limit_bytes, known, with_large=with_large)


def submodule_root(cwd: Path, path: str) -> Path:
    """Return the nearest repository between `cwd` and a file below it; `cwd` if there is none."""
    folder = (cwd / path).parent
    while folder != cwd and not (folder / ".git").exists():
        folder = folder.parent
    return folder


def _from_worktree(cwd: Path, files: Mapping[str, str], limit_bytes: int) -> dict[str, bytes]:
    """Return the files that are in the worktree as committed, which takes half as long as reading git's objects."""
    contents: dict[str, bytes] = {}
    checked: set[str] = set()
    for number, (path, content_id) in enumerate(files.items()):
        content = read_from_worktree(cwd, path, content_identity(content_id), limit_bytes, checked)
        if content is not None:
            contents[path] = content
        elif number - len(contents) >= _MAX_CONVERTED:
            break
    return contents


def read_from_worktree(
    cwd: Path, path: str, expected: str, limit_bytes: int = MAX_HASHED_BYTES, checked: set[str] | None = None
) -> bytes | None:
    """Return a worktree file's bytes if they have the expected blob id, else None; `checked` as for `read_below`.

    A file that is only in a cloud is not downloaded.
    """
    folder = cwd
    while is_outside(path):
        folder, path = folder.parent, path[3:]
    content = read_below(str(folder), path, limit_bytes, checked, may_download=False)
    if content is None:
        return None
    actual = blob_id(content, "sha256" if len(expected) == _SHA256_CHARACTERS else "sha1")
    return content if actual == expected else None


def _from_objects(
    cwd: Path, files: Mapping[str, str], limit_bytes: int, known: Mapping[str, bytes], *, with_large: bool
) -> Iterator[FileContent]:
    """Read the files that are not `known`; yield all in their order."""
    sizes = blob_sizes(cwd, sorted({content_identity(id_) for path, id_ in files.items() if path not in known}))
    contents = read_blobs(cwd, [id_ for id_, size in sizes.items() if size <= limit_bytes])
    for path, content_id in files.items():
        if path in known:
            yield FileContent(path, content_id, len(known[path]), known[path])
            continue
        blob = content_identity(content_id)
        size = sizes.get(blob)
        if size is None:
            continue
        is_large = with_large and limit_bytes < size <= MAX_HASHED_BYTES
        content = read_blobs(cwd, [blob]).get(blob) if is_large else contents.get(blob)
        yield FileContent(path, content_id, size, content)
