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
from sidecar.codebase.content_ids import MAX_HASHED_BYTES, FileMap, content_identity, delta_between
from sidecar.codebase.file_exclusions import (
    adds_only_our_hooks,
    has_unsafe_name,
    is_agent_file,
    is_generated,
    is_secret_path,
)
from sidecar.codebase.files import (
    COMMON_STEMS,
    MAX_FILES,
    Lister,
    Listing,
    file_kind,
    is_document,
    is_own_code,
    is_test,
    may_name,
    may_show,
    stem_of,
    with_changes,
)
from sidecar.codebase.indexer import IndexReport
from sidecar.codebase.region_search import FoundRegion, SearchedFile, is_named_file, line_span, numbered_lines
from sidecar.codebase.repository import Repository
from sidecar.codebase.search import (
    FEATURE_WEIGHTS,
    NAMED_PARTS,
    BrokenImport,
    FragileFile,
    PackageNames,
    RankedFile,
    changes_with_work,
    drop_unlikely,
    scope_prefix,
    score_without_names,
    text_match,
)
from sidecar.codebase.search.commit_history import Additions
from sidecar.codebase.search.import_graph import FileTree, resolve_import
from sidecar.codebase.search.mentioned_files import is_about_languages, language_of_texts, package_of
from sidecar.codebase.search.postings import clear_key_cache
from sidecar.codebase.search.prompt_parts import (
    PromptParts,
    pointing_words,
    prompt_parts,
    read_evidence,
    without_outer_frames,
)
from sidecar.codebase.search.query import FAILURE_WORDS, wants_tests
from sidecar.codebase.search.quoted_texts import as_quotations, quoted_texts
from sidecar.codebase.search.region_ranking import RankedRegion, choose_regions, is_pointed_at, shown_bytes
from sidecar.codebase.search.regions import Region
from sidecar.codebase.search_without_index import (
    RunningSearch,
    early_matches_first,
    finished,
    search_contents,
    search_paths,
)
from sidecar.codebase.summary.languages import is_code
from sidecar.codebase.summary.model import Definition, Landmine, Summary, from_json, to_json
from sidecar.codebase.summary.purpose import (
    comment_text,
    definition_comment,
    definition_purpose,
    descriptions_in,
)
from sidecar.codebase.summary.summarize import summarize
from sidecar.codebase.workspace_search import NO_CODE_WORDS, CodeWords, SharedRepository
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
    hunk_content_id,
    hunk_header,
    is_adjacent,
    split_hunks,
    subjects_between,
)
from sidecar.codebase.worktree.git_metadata import blob_ids
from sidecar.codebase.worktree.state import (
    FOLDER_TOO_LARGE,
    SMALLER_FOLDER,
    ChangedFile,
    RepositoryState,
    StateUnavailable,
    empty_submodules,
    former_paths,
    is_outside,
    merged_commits,
    operation_in_progress,
    path_from_cwd,
    places_of_work,
    submodule_paths,
)
from sidecar.core.terms import count_terms, identifiers_of, paths_in, query_terms, query_words, stem
