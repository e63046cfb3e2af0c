"""Small workspaces for the search's tests: indexes filled without a repository, commits made up or made by git."""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence

from sidecar.codebase.search.commit_history import Commit, History
from sidecar.codebase.search.documents import Documents
from sidecar.codebase.search.index import FileIndex
from sidecar.codebase.search.query import SearchQuery
from sidecar.codebase.search.ranking import RankedFile
from sidecar.codebase.summary.summarize import Summary, summarise
from sidecar.codebase.worktree.content_hash import blob_id, content_identity
from tests.support.repositories import Contents, Repository

Texts = dict[str, str]
NO_COMMITS = History(())


class Memory:
    """The summaries that were made once, by path and content, as the file cache keeps them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Summary] = {}

    def keep(self, path: str, content: str, summary: Summary) -> None:
        """Keeps a file's summary."""
        self._kept[path, content_identity(content)] = summary

    def known(self, files: dict[str, str]) -> dict[str, Summary]:
        """Gives the summaries that were kept."""
        keys = {path: (path, content_identity(content)) for path, content in files.items()}
        return {path: self._kept[key] for path, key in keys.items() if key in self._kept}


def forgetful(_files: dict[str, str]) -> dict[str, Summary]:
    """Knows no summary of anything."""
    return {}


def listing(texts: Mapping[str, str]) -> dict[str, str]:
    """Gives path → content id."""
    return {path: blob_id(text.encode()) for path, text in texts.items()}


def fill(index: FileIndex, texts: Mapping[str, str], memory: Memory | None = None) -> None:
    """Takes in all that is pending."""
    for path, content in index.pending():
        summary = summarise(path, texts[path].encode())
        index.add_summary(path, content, summary)
        if memory is not None:
            memory.keep(path, content, summary)


def index_of(texts: Mapping[str, str]) -> FileIndex:
    """Makes an index that holds these files whole."""
    index = FileIndex(forgetful)
    index.update(listing(texts))
    fill(index, texts)
    return index


def documents_of(texts: Mapping[str, str]) -> Documents:
    """Makes documents of these files, in the order given."""
    documents = Documents()
    for path, text in texts.items():
        documents.add(path, summarise(path, text.encode()))
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
    """Asks an index, with nothing known beside the text unless it is given."""
    question = SearchQuery(text, frozenset(changed), frozenset(mentioned), frozenset(touched))
    known = imports or {}
    return index.find(question, history, lambda paths: {path: known[path] for path in paths if path in known}, limit)


def paths_of(ranked: Sequence[RankedFile]) -> list[str]:
    """Gives the paths of what was found, best first."""
    return [one.path for one in ranked]


def parts_of(ranked: Sequence[RankedFile], path: str) -> dict[str, float]:
    """Gives the parts of one file's score; nothing where it was not found."""
    return next((one.parts for one in ranked if one.path == path), {})


def commit(number: int, subject: str, *paths: str, moved: Sequence[tuple[str, str]] = ()) -> Commit:
    """Makes a commit up; a higher number is a later one."""
    return Commit(f"{number:040x}", 1_772_000_000 + number * 60, subject, tuple(paths), tuple(moved))


def history_of(*commits: Commit) -> History:
    """Makes a history of commits, the newest first."""
    return History(commits)


def commit_at(repository: Repository, minute: int, message: str, files: Mapping[str, Contents | None]) -> str:
    """Writes files, or takes those away that are None, and commits at a minute after nine; gives the commit's id."""
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
