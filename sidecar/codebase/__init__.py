"""What the repository contains: its state, its differences, its files and which of them a prompt is about."""

from sidecar.codebase.api_diff import Contract, Sides, changed_contracts, gone_exports, needs_texts, offers, parameters
from sidecar.codebase.files import Listing, is_code, is_document, is_generated, is_test, may_show
from sidecar.codebase.path_search import glimpse
from sidecar.codebase.repository import Repository, repository_of
from sidecar.codebase.search import Names, Ranked, Trouble, is_faint, scope_prefix, word_share, worth_telling
from sidecar.codebase.search.import_resolution import Tree, resolve
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
    "ChangedFile",
    "Contract",
    "Definition",
    "FileDiff",
    "Hunk",
    "Listing",
    "Moved",
    "Names",
    "Ranked",
    "Repository",
    "RepositoryState",
    "Sides",
    "StateFailed",
    "Summary",
    "Tree",
    "Trouble",
    "as_added",
    "blobs_of",
    "changed_contracts",
    "chunk_lines",
    "common_dir_of",
    "count_terms",
    "follows",
    "from_json",
    "glimpse",
    "gone_exports",
    "head_of",
    "hunks_of",
    "identifiers_of",
    "is_code",
    "is_document",
    "is_faint",
    "is_generated",
    "is_test",
    "may_show",
    "needs_texts",
    "offers",
    "parameters",
    "paths_in",
    "purpose_of_definition",
    "query_terms",
    "query_words",
    "repository_of",
    "resolve",
    "scope_prefix",
    "stem",
    "to_json",
    "told_in_comments",
    "told_of_definition",
    "word_share",
    "worth_telling",
]
