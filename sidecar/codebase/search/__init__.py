"""Find the files a prompt is about: an index of their terms, the commit history, and a ranking in two stages."""

from sidecar.codebase.search.commit_history import (
    DAY,
    MAX_COMMIT_FILES,
    NEAREST_COMMITS,
    QUARTER,
    Commit,
    FragileFile,
    History,
    fragile_files,
    parse_log,
    read_commits,
)
from sidecar.codebase.search.head_histories import NO_HISTORY, HeadHistory, update_history
from sidecar.codebase.search.import_graph import (
    MAX_FILES,
    BrokenImport,
    DependencyGraph,
    FileTree,
    PackageNames,
    resolve_import,
)
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.mentioned_files import AMBIGUOUS_NAMES, language_of_texts, mentioned_files
from sidecar.codebase.search.postings import COUNT_BITS, MAX_COUNT, PackedEntries
from sidecar.codebase.search.query import SearchQuery, parse_query, scope_prefix
from sidecar.codebase.search.ranking import (
    FEATURE_WEIGHTS,
    NAMED_PARTS,
    RANKING_VERSION,
    RankedFile,
    changes_with_work,
    drop_unlikely,
    score_without_names,
    text_match,
)
from sidecar.codebase.search.worktree_documents import Documents
