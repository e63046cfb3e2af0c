"""Stored summaries, search results and indexes: two caches in the state file, an index in a file of the state folder.

A new process maps the stored index and need not fill one from the file cache. The file is derived: one that is damaged,
of another version or of another machine counts as absent.
"""

import mmap
import os
import shutil
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import blake3
import orjson

from sidecar import __version__
from sidecar.call import Process
from sidecar.codebase.content_ids import content_identity
from sidecar.codebase.files import TrackedFiles, dump_tracked, load_tracked
from sidecar.codebase.search.head_histories import StoredHistory, dump_histories, load_histories
from sidecar.codebase.search.index import SharedIndex
from sidecar.codebase.search.shared_documents import SharedDocuments
from sidecar.codebase.summary.model import Summary, from_json, to_json
from sidecar.codebase.summary.summarize import SUMMARY_VERSION
from sidecar.core.binary_sections import SectionReader, section_bytes
from sidecar.core.digests import short_id
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.storage.purgeable_rows import RowGroup
from sidecar.storage.two_level_cache import Cache, MakeValue
from sidecar.system.atomic_write import remove_abandoned_files, write_atomic

ROW_GROUPS = (
    RowGroup("caches", "continuity_file_cache", "", "used_at_ms < ?2"),
    RowGroup("caches", "continuity_search_cache", "", "used_at_ms < ?2"),
)


class FileCache:
    """Summaries by repository, path and content; worktrees of one repository share them.

    A file's words have a row of their own, which is stored first.
    """

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"])
        columns = ("repository", "path", "content_hash")
        self._cache = Cache("continuity_file_cache", columns, process.database, process.hot_cache, limit)

    def get_many(self, repository: str, files: Iterable[tuple[str, str]]) -> dict[str, Summary]:
        """Return the cached summaries of (path, content id) pairs by path, without the words."""
        found = self._cache.get_many((repository, path, _versioned_content(content)) for path, content in files)
        return {key[1]: from_json(value) for key, value in found.items()}

    def get_words(self, repository: str, files: Iterable[tuple[str, str]]) -> dict[str, list[dict[str, int]]]:
        """Return the cached words of (path, content id) pairs by path: the counts of each passage."""
        found = self._cache.get_many((repository, path, _words_of(content)) for path, content in files)
        return {key[1]: value for key, value in found.items()}

    def get_whole(self, repository: str, files: Sequence[tuple[str, str]]) -> dict[str, Summary]:
        """Return the summaries of (path, content id) pairs with their words, where both are cached."""
        words = self.get_words(repository, files)
        summaries = self.get_many(repository, (file for file in files if file[0] in words))
        return {path: summary._replace(chunks=tuple(words[path])) for path, summary in summaries.items()}

    def put_many(self, repository: str, summaries: Iterable[tuple[str, str, MakeValue]], now_ms: int) -> None:
        """Store summaries: path, content id, and the summary without its words, as `to_json` encodes it."""
        self._cache.put_many(
            (((repository, path, _versioned_content(content)), make) for path, content, make in summaries), now_ms
        )

    def put_whole(self, repository: str, summaries: Sequence[tuple[str, str, Summary]], now_ms: int) -> None:
        """Store (path, content id, summary) triples with their words."""
        self.put_words(
            repository, ((path, content, partial(list, file.chunks)) for path, content, file in summaries), now_ms
        )
        without_words = (
            (path, content, partial(to_json, summary._replace(chunks=()))) for path, content, summary in summaries
        )
        self.put_many(repository, without_words, now_ms)

    def put_words(self, repository: str, words: Iterable[tuple[str, str, MakeValue]], now_ms: int) -> None:
        """Store the words of files: path, content id, and the counts of each passage."""
        self._cache.put_many((((repository, path, _words_of(content)), make) for path, content, make in words), now_ms)


class SearchCache:
    """Ranked files by query, commit and scope."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"]) // 8
        columns = ("query", "commit_hash", "scope")
        self._cache = Cache("continuity_search_cache", columns, process.database, process.hot_cache, limit)

    def get(self, query: str, commit: str, scope: str) -> Any | None:
        """Return the result of the same query in the same state."""
        return self._cache.get((query, commit, scope))

    def put(self, query: str, commit: str, scope: str, make: MakeValue, now_ms: int) -> None:
        """Store a result."""
        self._cache.put((query, commit, scope), make, now_ms)


def _versioned_content(content: str) -> str:
    """Return a key of a content's summary, which is masked by the patterns of this process."""
    own = f":{short_id(OWN_PATTERNS.texts)}" if OWN_PATTERNS.texts else ""
    return f"{SUMMARY_VERSION}{own}:{content_identity(content)}"


def _words_of(content: str) -> str:
    return f"words {_versioned_content(content)}"


FORMAT = 12
"""Raise after a change of what is stored, of how texts are split into terms, or of which files are listed."""

FOLDER, SUFFIX = "indexes", ".index"
MAX_FILES = 6
"""Number of repositories whose indexes stay on disk, the most recently used ones."""

_DIGEST_BYTES = 32


class LoadedIndex(NamedTuple):
    """The documents of a repository's worktrees, the listing of one, and the histories of the heads used last."""

    documents: SharedDocuments
    tracked: TrackedFiles
    histories: list[StoredHistory]


class StoredIndex:
    """The file of one repository's index."""

    def __init__(self, state_dir: Path, key: str) -> None:
        self._folder = state_dir / FOLDER
        self._path = self._folder / f"{short_id(key, 24)}{SUFFIX}"
        self._version: int | None = None
        """Version of the documents that the file holds."""

    def exists(self) -> bool:
        """Whether there is a file, which may be unusable."""
        return self._path.exists()

    def load(self) -> "LoadedIndex | None":
        """Return what is stored; None without a file that can be used."""
        try:
            with self._path.open("rb") as file:
                loaded = _read(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
            os.utime(self._path)
        except (OSError, ValueError, TypeError):
            return None
        self._version = loaded.documents.version if loaded is not None else None
        return loaded

    def changes_since(self, index: SharedIndex) -> int:
        """Return the number of changes to the documents since they were stored; many if they never were."""
        return index.documents.version - self._version if self._version is not None else sys.maxsize

    def save(self, index: SharedIndex, tracked: TrackedFiles, histories: Iterable[StoredHistory] = ()) -> bool:
        """Write the file; return False if it could not be written, or the documents changed meanwhile."""
        version = index.documents.version
        parts = _parts(index, tracked, histories)
        try:
            self._clear_place()
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_atomic(str(self._path), _with_digest(parts), durable=False, is_private=True)
        except (OSError, _Changed):
            return False
        self._version = version
        with suppress(OSError):
            self._remove_others()
        return True

    def _clear_place(self) -> None:
        """Remove what is in the place of the folder or of the file and is neither, as after a failed copy or repair."""
        if not self._folder.is_dir():
            self._folder.unlink(missing_ok=True)
        elif self._path.is_dir() and not self._path.is_symlink():
            shutil.rmtree(self._path)

    def _remove_others(self) -> None:
        """Remove the files that were not used for the longest time."""
        files = sorted(self._folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[MAX_FILES:]:
            path.unlink(missing_ok=True)
        remove_abandoned_files(str(self._folder))


class _Changed(Exception):
    """The documents changed while they were being written."""


def _parts(index: SharedIndex, tracked: TrackedFiles, histories: Iterable[StoredHistory]) -> Iterator[bytes]:
    """Yield the parts of the file. Raise _Changed.

    Those of the documents are made under the index's lock, so that searches wait for one part at most. Listings and
    histories do not change.
    """
    with index.lock:
        documents, version = index.documents, index.documents.version
        if not documents.is_settled:
            raise _Changed

    def require_unchanged() -> None:
        if index.documents is not documents or documents.version != version:
            raise _Changed

    constant = chain((_header(),), section_bytes(dump_tracked(tracked)), section_bytes(dump_histories(histories)))
    for part in constant:
        require_unchanged()
        yield part
    parts = section_bytes(documents.dump())
    while True:
        with index.lock:
            require_unchanged()
            made = next(parts, None)
        if made is None:
            return
        yield made


def _with_digest(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the parts, and at the end the digest of all."""
    hasher = blake3.blake3()
    for part in parts:
        hasher.update(part)
        yield part
    yield hasher.digest(_DIGEST_BYTES)


def _header() -> bytes:
    machine = [sys.byteorder, sys.version, *sys.hash_info[:2], *(array(code).itemsize for code in "HIQ")]
    return orjson.dumps(["index", FORMAT, __version__, SUMMARY_VERSION, OWN_PATTERNS.texts, *machine]) + b"\n"


def _read(content: memoryview) -> LoadedIndex | None:
    header, body = _header(), content[:-_DIGEST_BYTES]
    if content[: len(header)] != header:
        return None
    with ThreadPoolExecutor(1) as pool:  # hashing leaves the interpreter to this thread
        digest = pool.submit(lambda: blake3.blake3(body).digest(_DIGEST_BYTES))
        try:
            loaded = _decode(SectionReader(body[len(header) :]))
        except Exception:
            if digest.result() == content[-_DIGEST_BYTES:]:
                raise
            return None
    return loaded if digest.result() == content[-_DIGEST_BYTES:] else None


def _decode(reader: SectionReader) -> LoadedIndex:
    tracked = load_tracked(reader)
    histories = load_histories(reader)
    documents = SharedDocuments()
    documents.load(reader)
    return LoadedIndex(documents, tracked, histories)
