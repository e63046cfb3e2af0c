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
from sidecar.codebase.content_id_map import FileMap, delta_between
from sidecar.codebase.files import (
    COMMON_STEMS,
    MAX_FILES,
    Lister,
    Listing,
    file_kind,
    is_code,
    is_document,
    is_generated,
    is_test,
    may_name,
    may_show,
    stem_of,
    with_changes,
)
from sidecar.codebase.region_search import FoundRegion, SearchedFile, is_named_file, numbered_lines
from sidecar.codebase.repository import Repository, SharedRepository
from sidecar.codebase.search import (
    FragileFile,
    PackageNames,
    RankedFile,
    changes_with_work,
    drop_unlikely,
    scope_prefix,
    text_match,
)
from sidecar.codebase.search.dependency_graph import FileTree, resolve_import
from sidecar.codebase.search.postings import clear_key_cache
from sidecar.codebase.search.query import TEST_WORDS
from sidecar.codebase.search.query_evidence import PromptParts, parts_of, pointing_words
from sidecar.codebase.search.region_ranking import RankedRegion, choose_regions, is_pointed_at, shown_bytes
from sidecar.codebase.search.regions import Region
from sidecar.codebase.search_without_index import search_contents, search_paths
from sidecar.codebase.summary.model import Landmine
from sidecar.codebase.summary.purpose import comment_text, definition_comment, definition_purpose
from sidecar.codebase.summary.summarize import Definition, Summary, from_json, summarize, to_json
from sidecar.codebase.unindexed_files import is_agent_file, is_secret_path
from sidecar.codebase.worktree.content_hash import content_identity
from sidecar.codebase.worktree.diff import (
    MAX_DIFF_CHARACTERS,
    MAX_WHOLE_LINES,
    FileDiff,
    HeadMove,
    Hunk,
    added_file_diff,
    conflict_hunks,
    count_between,
    diff_against,
    hunk_header,
    is_adjacent,
    split_hunks,
    subjects_between,
)
from sidecar.codebase.worktree.git_files import common_dir_of, git_dir_of, is_git_dir
from sidecar.codebase.worktree.libgit_diff import blob_ids
from sidecar.codebase.worktree.state import ChangedFile, RepositoryState, StateUnavailable, is_outside, path_from_cwd
from sidecar.core.terms import count_terms, identifiers_of, paths_in, query_terms, query_words, stem

__all__ = [
    "COMMON_STEMS",
    "MAX_DIFF_CHARACTERS",
    "MAX_FILES",
    "MAX_WHOLE_LINES",
    "TEST_WORDS",
    "ApiChange",
    "ChangedFile",
    "Definition",
    "FileDiff",
    "FileMap",
    "FileTree",
    "FileVersions",
    "FoundRegion",
    "FragileFile",
    "HeadMove",
    "Hunk",
    "Landmine",
    "Lister",
    "Listing",
    "PackageNames",
    "PromptParts",
    "RankedFile",
    "RankedRegion",
    "Region",
    "Repository",
    "RepositoryState",
    "SearchedFile",
    "SharedRepository",
    "StateUnavailable",
    "Summary",
    "added_file_diff",
    "api_changes",
    "blob_ids",
    "changes_with_work",
    "choose_regions",
    "clear_key_cache",
    "comment_text",
    "common_dir_of",
    "conflict_hunks",
    "content_identity",
    "count_between",
    "count_terms",
    "definition_comment",
    "definition_purpose",
    "delta_between",
    "diff_against",
    "drop_unlikely",
    "file_kind",
    "from_json",
    "git_dir_of",
    "has_public_api",
    "hunk_header",
    "identifiers_of",
    "is_adjacent",
    "is_agent_file",
    "is_code",
    "is_document",
    "is_generated",
    "is_git_dir",
    "is_named_file",
    "is_outside",
    "is_pointed_at",
    "is_secret_path",
    "is_test",
    "may_name",
    "may_show",
    "needs_texts",
    "numbered_lines",
    "parts_of",
    "path_from_cwd",
    "paths_in",
    "pointing_words",
    "query_terms",
    "query_words",
    "removed_exports",
    "resolve_import",
    "scope_prefix",
    "search_contents",
    "search_paths",
    "shown_bytes",
    "split_hunks",
    "split_signature",
    "stem",
    "stem_of",
    "subjects_between",
    "summarize",
    "text_match",
    "to_json",
    "with_changes",
]
