"""Small workspaces for the search tests: indexes without a repository, commits made up or made by git."""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from sidecar.codebase.content_ids import blob_id, content_identity
from sidecar.codebase.search.commit_history import Commit, History
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.postings import invert
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.ranking import RankedFile
from sidecar.codebase.search.worktree_documents import Documents
from sidecar.codebase.summary.summarize import Summary, summarize
from sidecar.core.terms import query_terms
from tests.support.repositories import Contents, Repository

Texts = dict[str, str]
NO_COMMITS = History(())


class Memory:
    """Summaries by path and content, as the file cache stores them."""

    def __init__(self) -> None:
        self._summaries: dict[tuple[str, str], Summary] = {}

    def keep(self, path: str, content: str, summary: Summary) -> None:
        """Store a file's summary."""
        self._summaries[path, content_identity(content)] = summary

    def known(self, files: dict[str, str]) -> dict[str, Summary]:
        """Return the stored summaries."""
        keys = {path: (path, content_identity(content)) for path, content in files.items()}
        return {path: self._summaries[key] for path, key in keys.items() if key in self._summaries}


def forgetful(_files: dict[str, str]) -> dict[str, Summary]:
    """Return no summaries."""
    return {}


def listing(texts: Mapping[str, str]) -> dict[str, str]:
    """Return path → content id."""
    return {path: blob_id(text.encode()) for path, text in texts.items()}


def fill(index: FileIndex, texts: Mapping[str, str], memory: Memory | None = None) -> None:
    """Index everything that is pending."""
    for path, content in index.pending():
        summary = summarize(path, texts[path].encode())
        index.add_summary(path, content, summary)
        if memory is not None:
            memory.keep(path, content, summary)


def fill_words(index: FileIndex, texts: Mapping[str, str], stale: Mapping[str, str] | None = None) -> None:
    """Add the words of everything that lacks them, and of files with the contents of `stale`, too late."""
    without_words, _ = index.pending_by_words(index.pending())
    current = {path: texts[path] for path, _ in without_words}
    for read in (current, stale or {}):
        chunks = [summarize(path, text.encode()).chunks for path, text in read.items()]
        index.add_words(listing(read), [len(own) for own in chunks], invert(chain.from_iterable(chunks)))


def index_of(texts: Mapping[str, str]) -> FileIndex:
    """Return a complete index of these files."""
    index = FileIndex(forgetful)
    index.update(listing(texts))
    fill(index, texts)
    return index


def documents_of(texts: Mapping[str, str]) -> Documents:
    """Return documents of these files, in the given order."""
    documents = Documents()
    for path, text in texts.items():
        documents.add(path, summarize(path, text.encode()))
    return documents


def ask(
    index: FileIndex,
    text: str,
    *,
    changed: Collection[str] = (),
    mentioned: Collection[str] = (),
    touched: Collection[str] = (),
    history: History = NO_COMMITS,
    imports: Mapping[str, Sequence[str]] | None = None,
    limit: int = 24,
) -> list[RankedFile]:
    """Search an index, by default with nothing but the text."""
    question = SearchQuery(text, frozenset(changed), frozenset(mentioned), frozenset(touched))
    known = imports or {}
    return index.find(question, history, lambda paths: {path: known[path] for path in paths if path in known}, limit)


def paths_of(ranked: Sequence[RankedFile]) -> list[str]:
    """Return the paths of the results, best first."""
    return [file.path for file in ranked]


def parts_of(ranked: Sequence[RankedFile], path: str) -> dict[str, float]:
    """Return the parts of one file's score; empty if it is not among the results."""
    return next((file.parts for file in ranked if file.path == path), {})


def commit(number: int, subject: str, *paths: str, moved: Sequence[tuple[str, str]] = ()) -> Commit:
    """Return a made-up commit; a higher number is later."""
    terms = tuple(query_terms(subject)) if paths else ()
    return Commit(f"{number:040x}", 1_772_000_000 + number * 60, subject, tuple(paths), tuple(moved), terms)


def history_of(*commits: Commit) -> History:
    """Return a history of commits, newest first."""
    return History(commits)


def commit_at(repository: Repository, minute: int, message: str, files: Mapping[str, Contents | None]) -> str:
    """Write files, delete those that are None, and commit at a minute past nine; return the commit's id."""
    for path in (path for path, contents in files.items() if contents is None):
        (repository.path / path).unlink()
    repository.write({path: contents for path, contents in files.items() if contents is not None})
    repository.git("add", "--all")
    subprocess.run(
        ["git", "commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message],
        cwd=repository.path,
        env={**os.environ, "GIT_COMMITTER_DATE": f"2026-03-01T{9 + minute // 60:02}:{minute % 60:02}:00+00:00"},
        check=True,
    )
    return repository.head()
