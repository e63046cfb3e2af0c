"""Which files a prompt is about: an index of their words, the history of their changes, and a two-stage ranking."""

from sidecar.codebase.search.dependency_graph import Names
from sidecar.codebase.search.fragile_files import Trouble
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuestion, scope_prefix
from sidecar.codebase.search.ranking import RANKING_VERSION, Ranked, is_faint, word_share, worth_telling

__all__ = [
    "RANKING_VERSION",
    "FileIndex",
    "Names",
    "Ranked",
    "SearchQuestion",
    "Trouble",
    "is_faint",
    "scope_prefix",
    "word_share",
    "worth_telling",
]
