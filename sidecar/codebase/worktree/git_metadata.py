"""Git's own files, read directly: the repository's location, the attributes that convert content, and the index.

Also the blob ids of a commit's files, which libgit2 reads if it is loaded, and git otherwise.
"""

import hashlib
import os
import stat
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from sidecar.codebase.content_ids import ObjectFormat, blob_id
from sidecar.codebase.worktree.state import RepositoryState, path_from_cwd, path_from_root
from sidecar.core.clean_text import readable_name
from sidecar.core.digests import digest_bytes
from sidecar.system.git import (
    HEADS,
    SYMBOLIC,
    Git,
    common_dir_of,
    first_line_of,
    git_dir_of,
    lookup_name,
    open_repository,
    pygit2,
)
from sidecar.system.safe_open import open_regular, read_regular

MAX_PACKED_REFS_BYTES = MAX_SHALLOW_BYTES = 16 * 2**20


def head_of(root: Path) -> str | None:
    """Return the commit that is checked out, read without git; None where it is stored in another way."""
    git_dir, common = git_dir_of(root), common_dir_of(root)
    if git_dir is None or common is None:
        return None
    head = first_line_of(git_dir / "HEAD")
    if not head.startswith(SYMBOLIC):
        return head or None
    name = head.removeprefix(SYMBOLIC)
    loose = first_line_of(common / name)
    if loose:
        return loose
    try:
        packed = read_regular(str(common / "packed-refs"), MAX_PACKED_REFS_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    lines = (line.partition(" ") for line in packed.splitlines())
    return next((id_ for id_, _, ref in lines if ref == name), None)


def branch_of(root: Path) -> str | None:
    """Return the branch that is checked out as git reports it; empty if detached, None where it is stored otherwise."""
    git_dir = git_dir_of(root)
    head = first_line_of(git_dir / "HEAD") if git_dir is not None else ""
    if not head.startswith(SYMBOLIC):
        return "" if head else None
    name = head.removeprefix(SYMBOLIC)
    if not name.startswith(HEADS):
        return None
    return readable_name(name.removeprefix(HEADS))


def may_have_replace_refs(common: Path) -> bool:
    """Whether there may be replace refs, where refs are stored in files; False is certain."""
    if any(names for _, _, names in os.walk(common / "refs" / "replace")):
        return True
    try:
        return b" refs/replace/" in read_regular(str(common / "packed-refs"), MAX_PACKED_REFS_BYTES)
    except FileNotFoundError:
        return False
    except OSError:
        return True


def shallow_boundary(root: Path) -> str:
    """Return what identifies where a shallow clone's history is cut off; empty where it is whole."""
    common = common_dir_of(root)
    try:
        return digest_bytes(read_regular(str(common / "shallow"), MAX_SHALLOW_BYTES)) if common is not None else ""
    except OSError:
        return ""


def index_signature(root: Path) -> tuple[object, ...] | None:
    """Return the index's stat and final checksum, which identify its content; None if there is none."""
    git_dir = git_dir_of(root)
    if git_dir is None:
        return None
    try:
        with os.fdopen(open_regular(str(git_dir / "index"), follow_links=True), "rb") as file:
            file_stat = os.fstat(file.fileno())
            file.seek(max(0, file_stat.st_size - 20))
            checksum = file.read(20)
    except OSError:
        return None
    return file_stat.st_mtime_ns, file_stat.st_ctime_ns, file_stat.st_size, file_stat.st_ino, checksum


FILTERS, LINES, DIFFS = 1, 2, 4
"""Flags: an attribute that runs programs or re-encodes; one about line endings, which only affects content with CR LF;
one about how diffs are shown.
"""

ANYTHING = FILTERS | LINES | DIFFS

_ATTRIBUTE_WORDS = {
    FILTERS: (b"filter", b"ident", b"working-tree-encoding"),
    LINES: (b"text", b"eol", b"crlf"),
    DIFFS: (b"diff", b"binary"),
}
MAX_ATTRIBUTES_BYTES = 2**20

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_STANDARD_VALUES: dict[str, tuple[str, ...]] = {
    "core.trustctime": _TRUE,
    "core.checkstat": ("default",),
    "core.symlinks": _TRUE,
    "core.sparsecheckout": _FALSE,
    "attr.tree": (),
}
"""Settings that change what git compares; any other value leaves every comparison to git."""


class Conversion(NamedTuple):
    """Conversions that this repository's settings make git apply before it compares contents."""

    compares_mode: bool
    ignores_case: bool
    composes_names: bool
    """Whether git on macOS composes names on disk of letters and accents; those that are not ASCII may differ."""
    global_flags: int
    """Flags that settings and attribute files outside the worktree may set."""


def conversion_of(settings: dict[str, str]) -> Conversion | None:
    """Evaluate settings (lower-case name → last value); return None if comparing is best left to git."""
    for name, allowed in _STANDARD_VALUES.items():
        if name in settings and settings[name].lower() not in allowed:
            return None
    compares_mode = _boolean(settings.get("core.filemode", "true"))
    ignores_case = _boolean(settings.get("core.ignorecase", "false"))
    composes_names = _boolean(settings.get("core.precomposeunicode", "false"))
    if compares_mode is None or ignores_case is None or composes_names is None:
        return None
    lines = LINES if settings.get("core.autocrlf", "false").lower() not in _FALSE else 0
    return Conversion(compares_mode, ignores_case, composes_names, lines)


def flags_in_file(path: str) -> int:
    """Return the flags an attribute file may set; all of them if it is unreadable."""
    try:
        content = read_regular(path, MAX_ATTRIBUTES_BYTES, follow_links=False)
    except FileNotFoundError:
        return 0
    except OSError:
        return ANYTHING
    return sum(kind for kind, words in _ATTRIBUTE_WORDS.items() if any(word in content for word in words))


def _boolean(value: str) -> bool | None:
    lowered = value.lower()
    return True if lowered in _TRUE else False if lowered in _FALSE else None


MAX_INDEX_BYTES = 512 * 2**20
"""Larger ones, with millions of files, are left to git."""

_HEADER = struct.Struct(">4sII")
_EXTENSION = struct.Struct(">4sI")
_NUMBERS = struct.Struct(">10I")
"""Fields before the id: ctime and mtime (two numbers each), device, inode, mode, user, group, size."""

_STAGE, _EXTENDED, _ASSUME_VALID = 0x3000, 0x4000, 0x8000
_SKIP_WORKTREE, _INTENT_TO_ADD = 0x4000, 0x2000
_UNPLAIN = (_STAGE | _EXTENDED | _ASSUME_VALID) >> 8
_SUBMODULE_MODE, _LINK_BIT = 0o160000, 0o020000
_TYPE = 0o170000
_TYPE_AND_EXECUTABLE = _TYPE | 0o100
_COARSE_SECONDS = 3
"""A file time without a fraction of a second may be one of whole or even seconds."""

_CHUNK_ENTRIES = 64
"""Number of entries compressed together."""

_ID_BYTES: dict[ObjectFormat, int] = {"sha1": 20, "sha256": 32}
_EMPTY_BLOBS = {_ID_BYTES[format_]: bytes.fromhex(blob_id(b"", format_)) for format_ in _ID_BYTES}


class IndexEntry(NamedTuple):
    """One entry of the index; `path` is relative to the root."""

    path: str
    mode: int
    id: str
    size: int
    """Size of the file when git last checked it, in bytes, modulo 2**32; 0 also if unknown."""
    mtime: tuple[int, int]
    """Seconds and nanoseconds; the latter are 0 if git does not store them."""
    is_plain: bool
    """False in a conflict, and if git was told not to check the file."""

    def matches_stat(self, file_stat: os.stat_result) -> bool:
        """Whether a file has the size and time it had when git last checked it."""
        seconds, nanoseconds = divmod(file_stat.st_mtime_ns, 1_000_000_000)
        same_time = self.mtime in ((seconds & 0xFFFFFFFF, nanoseconds), (seconds & 0xFFFFFFFF, 0))
        return same_time and self.size in (0, file_stat.st_size & 0xFFFFFFFF)


class IndexUnreadable(Exception):
    """Only git can read this kind of index."""


class GitIndex:
    """The entries of one index file at one moment."""

    def __init__(self, content: bytes, object_format: ObjectFormat) -> None:
        """Locate the start of each entry; raise IndexUnreadable."""
        self._id_bytes = _ID_BYTES[object_format]
        self._flags_at = _NUMBERS.size + self._id_bytes
        self._starts = array("I")
        try:
            magic, version, count = _HEADER.unpack_from(content)
            if magic != b"DIRC" or version not in (2, 3):
                raise IndexUnreadable("version")
            self._require_plain_extensions(content, self._find_starts(content, count))
        except (struct.error, ValueError) as error:
            raise IndexUnreadable("damaged") from error
        self._first_paths = [self._path(content, start) for start in self._starts[:-1:_CHUNK_ENTRIES]]
        self._content: bytes | None = content
        self._chunks: list[bytes] = []
        """The content in compressed parts, once it is stored for long."""
        self._last_chunk = (-1, b"")
        """The last decompressed chunk, with its number."""

    def compressed(self) -> "GitIndex":
        """Store the entries in compressed chunks, in 40% of the memory, and return this index."""
        content = self._content
        if content is not None:
            firsts = self._starts[:-1:_CHUNK_ENTRIES]
            ends = (*firsts[1:], self._starts[-1])
            self._chunks = [zlib.compress(content[start:end], 1) for start, end in zip(firsts, ends, strict=False)]
            self._content = None
        return self

    def __len__(self) -> int:
        return len(self._starts) - 1

    def find(self, path: str) -> IndexEntry | None:
        """Return the entry of a path; in a conflict one of its entries."""
        target = path.encode("utf-8", "surrogateescape")
        number = self._first_at_or_after(target)
        return self._entry(number) if number < len(self) and self._path(*self._locate(number)) == target else None

    def contains(self, parts: Sequence[bytes]) -> bool:
        """Whether any of these parts of paths occurs in the entries; False is certain, True is not."""
        chunks = (self._content,) if self._content is not None else map(zlib.decompress, self._chunks)
        return any(part in chunk for chunk in chunks for part in parts)

    def below(self, folder: str) -> Iterator[IndexEntry]:
        """Yield the entries in a folder and its subfolders."""
        prefix = f"{folder}/".encode("utf-8", "surrogateescape")
        number = self._first_at_or_after(prefix)
        while number < len(self) and self._path(*self._locate(number)).startswith(prefix):
            yield self._entry(number)
            number += 1

    def listed(self) -> bytes | None:
        """Return the entries as `git ls-files -s -t -z` lists them at the root; None if it would mark one."""
        entries = [self._entry(number) for number in range(len(self))]
        if not all(entry.is_plain for entry in entries):
            return None
        lines = (f"H {entry.mode:06o} {entry.id} 0\t{entry.path}\0" for entry in entries)
        return "".join(lines).encode("utf-8", "surrogateescape")

    def uncertain_paths(self, root: str, written_ns: int) -> list[str]:
        """Return the paths whose files are not proven by their stat to be as git last saw them.

        `written_ns` is the time of the index: a file with the same time or a later one may have changed without a trace
        in its stat. Git compares whole seconds there, and so reads most files of a fresh checkout again. Raise
        IndexUnreadable if only git can compare an entry.
        """
        content = self._content
        assert content is not None, "compressed indexes are not compared"
        lstat, unpack, find = os.lstat, _NUMBERS.unpack_from, content.index
        top, flags_from, coarse_limit = os.fsencode(root) + b"/", self._flags_at, written_ns // 10**9 - _COARSE_SECONDS
        empty = _EMPTY_BLOBS[self._id_bytes]
        folders = {b""}
        uncertain: list[bytes] = []
        for start in self._starts[:-1]:
            flags_at = start + flags_from
            if content[flags_at] & _UNPLAIN:
                raise IndexUnreadable("an entry is not plain")
            path = content[flags_at + 2 : find(b"\0", flags_at + 2)]
            ctime, ctime_ns, mtime, mtime_ns, _, inode, mode, user, group, size = unpack(content, start)
            if mode == _SUBMODULE_MODE:
                raise IndexUnreadable("there are submodules")
            folder = path.rpartition(b"/")[0]
            try:
                if folder not in folders:
                    _require_folders(top, folder, folders)
                file_stat = lstat(top + path)
            except OSError:
                uncertain.append(path)
                continue
            changed_ns = mtime * 1_000_000_000 + mtime_ns
            if (
                file_stat.st_mtime_ns != changed_ns
                or changed_ns >= written_ns
                or (not mtime_ns and mtime >= coarse_limit)
                or file_stat.st_ctime_ns != ctime * 1_000_000_000 + ctime_ns
                or file_stat.st_size & 0xFFFFFFFF != size
                or file_stat.st_ino & 0xFFFFFFFF != inode
                or file_stat.st_uid & 0xFFFFFFFF != user
                or file_stat.st_gid & 0xFFFFFFFF != group
                or (mode ^ file_stat.st_mode) & (_TYPE if mode & _LINK_BIT else _TYPE_AND_EXECUTABLE)
                or (not size and content[start + _NUMBERS.size : flags_at] != empty)
            ):
                uncertain.append(path)
        return [path.decode("utf-8", "surrogateescape") for path in uncertain]

    def _find_starts(self, content: bytes, count: int) -> int:
        """Locate the start of each entry; return the end of the last one."""
        path_at, starts = self._flags_at + 2, self._starts
        offset = _HEADER.size
        for _ in range(count):
            starts.append(offset)
            path_from = offset + path_at
            if content[path_from - 2] & 0x40:
                if content[path_from] << 8 & _INTENT_TO_ADD:
                    raise IndexUnreadable("files are only intended to be added")
                path_from += 2
            # Each entry is padded with one to eight zeros, to a multiple of eight bytes.
            offset += (content.index(b"\0", path_from) - offset + 8) & ~7
        starts.append(offset)
        return offset

    def _require_plain_extensions(self, content: bytes, offset: int) -> None:
        end = len(content) - self._id_bytes
        while offset < end:
            name, size = _EXTENSION.unpack_from(content, offset)
            if not name[:1].isupper():  # a mandatory one: `link` of a split index, `sdir`
                raise IndexUnreadable("extension")
            offset += _EXTENSION.size + size
        if offset != end:
            raise IndexUnreadable("damaged")

    def _first_at_or_after(self, target: bytes) -> int:
        """Return the number of the first entry whose path is not less than the target."""
        chunk = max(0, bisect_left(self._first_paths, target) - 1)
        numbers = range(chunk * _CHUNK_ENTRIES, min((chunk + 1) * _CHUNK_ENTRIES, len(self)))
        return numbers.start + bisect_left(numbers, target, key=lambda number: self._path(*self._locate(number)))

    def _locate(self, number: int) -> tuple[bytes, int]:
        """Return an entry's chunk and its offset there."""
        if self._content is not None:
            return self._content, self._starts[number]
        chunk_number = number // _CHUNK_ENTRIES
        number_of_last, chunk = self._last_chunk
        if number_of_last != chunk_number:
            chunk = zlib.decompress(self._chunks[chunk_number])
            self._last_chunk = chunk_number, chunk
        return chunk, self._starts[number] - self._starts[chunk_number * _CHUNK_ENTRIES]

    def _flags(self, chunk: bytes, start: int) -> int:
        return chunk[start + self._flags_at] << 8 | chunk[start + self._flags_at + 1]

    def _path(self, chunk: bytes, start: int) -> bytes:
        path_from = start + self._flags_at + (4 if self._flags(chunk, start) & _EXTENDED else 2)
        return chunk[path_from : chunk.index(b"\0", path_from)]

    def _entry(self, number: int) -> IndexEntry:
        chunk, start = self._locate(number)
        flags = self._flags(chunk, start)
        _, _, seconds, nanoseconds, _, _, mode, _, _, size = _NUMBERS.unpack_from(chunk, start)
        id_ = chunk[start + _NUMBERS.size : start + self._flags_at].hex()
        extended = chunk[start + self._flags_at + 2] << 8 if flags & _EXTENDED else 0
        is_plain = not (flags & (_STAGE | _ASSUME_VALID) or extended & _SKIP_WORKTREE)
        path = self._path(chunk, start).decode("utf-8", "surrogateescape")
        return IndexEntry(path, mode, id_, size, (seconds, nanoseconds), is_plain)


def read_index(git_dir: Path, object_format: ObjectFormat) -> GitIndex | None:
    """Read a worktree's index; return None if there is none, or if only git can read it.

    Versions 2 and 3 of gitformat-index(5) are read, without the extensions that store entries elsewhere (split and
    sparse indexes). Entries are sorted by the bytes of their paths.
    """
    try:
        return GitIndex(read_regular(str(git_dir / "index"), MAX_INDEX_BYTES), object_format).compressed()
    except (OSError, IndexUnreadable):
        return None


SMALL_INDEX_BYTES = 8 * 1024
"""An index of at most this size, of some 80 files, is read sooner than a process of git starts."""

_CHECKSUM_BYTES = 20


def has_small_index(root: Path) -> bool:
    """Whether a worktree has a small index."""
    git_dir = git_dir_of(root)
    try:
        return git_dir is not None and os.stat(git_dir / "index").st_size <= SMALL_INDEX_BYTES
    except OSError:
        return False


def list_small_index(root: Path) -> bytes | None:
    """Return a small index as `git ls-files -s -t -z` lists it in a worktree's root; None if only git can list it.

    The checksum at its end proves that it is whole, and that its ids are SHA-1.
    """
    git_dir = git_dir_of(root)
    try:
        content = read_regular(str(git_dir / "index"), SMALL_INDEX_BYTES) if git_dir is not None else b""
        checksum = hashlib.sha1(content[:-_CHECKSUM_BYTES], usedforsecurity=False).digest()
        return GitIndex(content, "sha1").listed() if content[-_CHECKSUM_BYTES:] == checksum else None
    except (OSError, IndexUnreadable):
        return None


def _require_folders(top: bytes, folder: bytes, known: set[bytes]) -> None:
    """Add a folder and those above it to the known ones; raise OSError if one is missing, or is a link."""
    missing = folder
    while missing not in known:
        if not stat.S_ISDIR(os.lstat(top + missing).st_mode):
            raise NotADirectoryError
        missing = missing.rpartition(b"/")[0]
    while folder not in known:
        known.add(folder)
        folder = folder.rpartition(b"/")[0]


def is_libgit_loaded() -> bool:
    """Whether pygit2 is imported; the import takes longer than one git command."""
    return "pygit2" in sys.modules


_REGULAR = ("100644", "100755")
_NAMES_OF_A_COMMAND, _SHA1_CHARACTERS = 200, 40


def blob_ids(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str]:
    """Return the blob ids of those paths, relative to `cwd`, that are regular files in a commit.

    Raise GitFailed.
    """
    if is_libgit_loaded() and len(commit) == _SHA1_CHARACTERS:
        blobs = _blob_ids_by_libgit(state, commit, paths)
        if blobs is not None:
            return blobs
    names = [f":(literal){path_from_root(state.prefix, path)}" for path in paths]
    blobs = {}
    for start in range(0, len(names), _NAMES_OF_A_COMMAND):
        part = names[start : start + _NAMES_OF_A_COMMAND]
        output = Git(state.root).run("ls-tree", "-z", "--full-tree", commit, "--", *part)
        for entry in output.decode("utf-8", "surrogateescape").split("\0"):
            meta, _, path = entry.partition("\t")
            mode, _, blob = meta.replace(" blob ", " ").partition(" ")
            if mode in _REGULAR:
                blobs[path_from_cwd(state.prefix, path)] = blob
    return blobs


def _blob_ids_by_libgit(state: RepositoryState, commit: str, paths: Sequence[str]) -> dict[str, str] | None:
    library = pygit2()
    try:
        tree = open_repository(str(state.root), with_refs=False)[commit].peel(library.Tree)
    except (library.GitError, KeyError, ValueError, OSError):
        return None
    blobs = {}
    for path in paths:
        try:
            entry = tree[lookup_name(path_from_root(state.prefix, path))]
        except KeyError:
            continue
        if f"{int(entry.filemode):o}" in _REGULAR:
            blobs[path] = str(entry.id)
    return blobs
