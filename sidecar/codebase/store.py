"""The file cache and the search cache in the state file, and their retention."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sidecar.call import Process
from sidecar.codebase.summary.summarize import SUMMARY_VERSION, Summary, from_json, to_json
from sidecar.codebase.worktree.content_hash import content_identity
from sidecar.core.digests import short_id
from sidecar.core.secret_formats import own_patterns
from sidecar.storage.retention import RowGroup
from sidecar.storage.two_level_cache import Cache, MakeValue

ROW_GROUPS = (
    RowGroup("caches", "continuity_file_cache", "", "used_at_ms < ?2"),
    RowGroup("caches", "continuity_search_cache", "", "used_at_ms < ?2"),
)


class FileCache:
    """Summaries by repository, path and content; worktrees of one repository share them."""

    def __init__(self, process: Process) -> None:
        limit = int(process.settings("")["cache.diskBytes"])
        columns = ("repository", "path", "content_hash")
        self._cache = Cache("continuity_file_cache", columns, process.database, process.hot_cache, limit)

    def get(self, repository: str, path: str, content: str) -> Summary | None:
        """Return a file's summary if this content was summarized before."""
        value = self._cache.get((repository, path, _versioned_content(content)))
        return from_json(value) if value is not None else None

    def get_many(self, repository: str, files: list[tuple[str, str]]) -> dict[str, Summary]:
        """Return the cached summaries of (path, content id) pairs by path."""
        found = self._cache.get_many((repository, path, _versioned_content(content)) for path, content in files)
        return {key[1]: from_json(value) for key, value in found.items()}

    def put_many(self, repository: str, summaries: Sequence[tuple[str, str, Summary]], now_ms: int) -> None:
        """Store (path, content id, summary) triples."""
        self._cache.put_many(
            (
                ((repository, path, _versioned_content(content)), partial(to_json, summary))
                for path, content, summary in summaries
            ),
            now_ms,
        )


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
    own = f":{short_id(own_patterns())}" if own_patterns() else ""
    return f"{SUMMARY_VERSION}{own}:{content_identity(content)}"
