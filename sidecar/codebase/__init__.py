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
from sidecar.codebase.path_search import search_paths
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
from sidecar.codebase.search.import_resolution import FileTree, resolve_import
from sidecar.codebase.summary.model import chunk_lines
from sidecar.codebase.summary.purpose import purpose_of_definition, told_in_comments, told_of_definition
from sidecar.codebase.summary.summarize import Definition, Summary, from_json, to_json
from sidecar.codebase.worktree.diff import FileDiff, Moved
from sidecar.codebase.worktree.git_dir import common_dir_of
from sidecar.codebase.worktree.hunks import Hunk, as_added, follows, head_of, hunks_of
from sidecar.codebase.worktree.libgit_diff import blobs_of
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, StateFailed
from sidecar.core.terms import count_terms, identifiers_of, paths_in, query_terms, query_words, stem

__all__ = [
    "ApiChange",
    "ChangedFile",
    "Definition",
    "FileDiff",
    "FileTree",
    "FileVersions",
    "FragileFile",
    "Hunk",
    "Listing",
    "Moved",
    "PackageNames",
    "RankedFile",
    "Repository",
    "RepositoryState",
    "StateFailed",
    "Summary",
    "api_changes",
    "as_added",
    "blobs_of",
    "chunk_lines",
    "common_dir_of",
    "count_terms",
    "drop_unlikely",
    "follows",
    "from_json",
    "has_public_api",
    "head_of",
    "hunks_of",
    "identifiers_of",
    "is_code",
    "is_document",
    "is_generated",
    "is_low_relevance",
    "is_test",
    "may_show",
    "needs_texts",
    "paths_in",
    "purpose_of_definition",
    "query_terms",
    "query_words",
    "removed_exports",
    "resolve_import",
    "scope_prefix",
    "search_paths",
    "split_signature",
    "stem",
    "text_match",
    "to_json",
    "told_in_comments",
    "told_of_definition",
]
