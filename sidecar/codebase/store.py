"""The file cache and the search cache in the state file, and their retention."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from sidecar.call import Process
from sidecar.codebase.summary.summarize import SUMMARY_VERSION, Summary, from_json, to_json
from sidecar.codebase.worktree.content_hash import content_identity
from sidecar.core.digests import short_id
from sidecar.core.secret_formats import OWN_PATTERNS
from sidecar.storage.retention import RowGroup
from sidecar.storage.two_level_cache import Cache, MakeValue

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

    def put_many(self, repository: str, summaries: Sequence[tuple[str, str, Summary]], now_ms: int) -> None:
        """Store (path, content id, summary) triples, without the words."""
        self._cache.put_many(
            (
                ((repository, path, _versioned_content(content)), partial(to_json, summary._replace(chunks=())))
                for path, content, summary in summaries
            ),
            now_ms,
        )

    def put_whole(self, repository: str, summaries: Sequence[tuple[str, str, Summary]], now_ms: int) -> None:
        """Store (path, content id, summary) triples with their words."""
        self.put_words(
            repository, ((path, content, partial(list, file.chunks)) for path, content, file in summaries), now_ms
        )
        self.put_many(repository, summaries, now_ms)

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
