"""The repository's content: state, differences, files, and the files a prompt is about."""

from sidecar.codebase.api_diff import (
    ApiChange,
    FileVersions,
    api_changes,
    has_public_api,
    needs_texts,
    removed_exports,
    split_signature,
)
from sidecar.codebase.files import Listing, is_code, is_document, is_generated, is_test, may_show
from sidecar.codebase.repository import Repository
from sidecar.codebase.search import (
    FragileFile,
    PackageNames,
    RankedFile,
    drop_unlikely,
    is_low_relevance,
    scope_prefix,
    text_match,
)
from sidecar.codebase.search.dependency_graph import FileTree, resolve_import
from sidecar.codebase.searcher import search_paths
from sidecar.codebase.summary.model import chunk_lines
from sidecar.codebase.summary.purpose import comment_text, definition_comment, definition_purpose
from sidecar.codebase.summary.summarize import Definition, Summary, from_json, to_json
from sidecar.codebase.worktree.diff import FileDiff, HeadMove
from sidecar.codebase.worktree.git_dir import common_dir_of
from sidecar.codebase.worktree.hunks import Hunk, added_file_diff, hunk_header, is_adjacent, split_hunks
from sidecar.codebase.worktree.libgit_diff import blob_ids
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, StateUnavailable
from sidecar.core.terms import count_terms, identifiers_of, paths_in, query_terms, query_words, stem

__all__ = [
    "ApiChange",
    "ChangedFile",
    "Definition",
    "FileDiff",
    "FileTree",
    "FileVersions",
    "FragileFile",
    "HeadMove",
    "Hunk",
    "Listing",
    "PackageNames",
    "RankedFile",
    "Repository",
    "RepositoryState",
    "StateUnavailable",
    "Summary",
    "added_file_diff",
    "api_changes",
    "blob_ids",
    "chunk_lines",
    "comment_text",
    "common_dir_of",
    "count_terms",
    "definition_comment",
    "definition_purpose",
    "drop_unlikely",
    "from_json",
    "has_public_api",
    "hunk_header",
    "identifiers_of",
    "is_adjacent",
    "is_code",
    "is_document",
    "is_generated",
    "is_low_relevance",
    "is_test",
    "may_show",
    "needs_texts",
    "paths_in",
    "query_terms",
    "query_words",
    "removed_exports",
    "resolve_import",
    "scope_prefix",
    "search_paths",
    "split_hunks",
    "split_signature",
    "stem",
    "text_match",
    "to_json",
]
