"""Find the files a prompt is about: an index of their terms, the commit history, and a ranking in two stages."""

from sidecar.codebase.search.commit_history import FragileFile
from sidecar.codebase.search.dependency_graph import PackageNames
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery, scope_prefix
from sidecar.codebase.search.ranking import RANKING_VERSION, RankedFile, drop_unlikely, is_low_relevance, text_match

__all__ = [
    "RANKING_VERSION",
    "FileIndex",
    "FragileFile",
    "PackageNames",
    "RankedFile",
    "SearchQuery",
    "drop_unlikely",
    "is_low_relevance",
    "scope_prefix",
    "text_match",
]
