"""The search of a workspace follows its state and caches results per state."""

import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest

from sidecar.call import Process
from sidecar.codebase import RankedFile, Repository, RepositoryState, Summary, workspace_search
from sidecar.codebase.search import SearchQuery
from sidecar.codebase.summary.summarize import summarize
from sidecar.codebase.workspace_search import SharedSearch, WorkspaceSearch
from tests.codebase.codebase_client import CodebaseClient
from tests.codebase.search.corpus import Memory, commit_at, paths_of
from tests.support.client import Client
from tests.support.memory_sidecar import MemorySidecar
from tests.support.repositories import Repository as Worktree

Make = Callable[..., Worktree]


class Desk:
    """The search over a real workspace; `searches` grows with each search that the cache does not answer."""

    def __init__(self, folder: Path, process: Process) -> None:
        self.folder = folder
        self.searches: list[list[str]] = []
        self._repository: Repository = process.workspaces.get(str(folder), None).slices.repository
        self._memory = Memory()
        self.finder = WorkspaceSearch(
            folder, process, SharedSearch(), self._memory.known, self._memory.known, self._summaries
        )

    def look(self) -> RepositoryState:
        """Follow the state without reading anything."""
        state = self._repository.state()
        self.finder.update(state, self._repository.listing(state))
        return state

    def index_all(self) -> RepositoryState:
        """Follow the state and index everything."""
        state = self.look()
        for path, content in self.finder.index.pending():
            summary = self._summary(path)
            self._memory.keep(path, content, summary)
            self.finder.index.add_summary(path, content, summary)
        self.finder.read_history()
        assert self.finder.is_complete()
        return state

    def search(
        self, text: str, state: RepositoryState, limit: int = 24, *, mentioned: str = "", touched: str = ""
    ) -> list[RankedFile]:
        """Search as the repository would."""
        changed = frozenset(file.path for file in state.changed)
        question = SearchQuery(text, changed, frozenset((mentioned,) if mentioned else ()),
                                  frozenset((touched,) if touched else ()))  # fmt: skip
        return self.finder.find(question, state, self._repository.key, limit)

    def _summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        self.searches.append(sorted(files))
        return {path: self._summary(path) for path in files}

    def _summary(self, path: str) -> Summary:
        return summarize(path, (self.folder / path).read_bytes())


@pytest.fixture
def program(sidecar: MemorySidecar) -> Process:
    """The process of a sidecar."""
    process = sidecar.app.process
    assert isinstance(process, Process)
    return process


@pytest.fixture
def zoo(make_repository: Make) -> Worktree:
    """A repository in which the pens change together with the feeding."""
    repository = make_repository()
    commit_at(repository, 0, "Begin", {"readme.md": "zoo\n"})
    commit_at(repository, 1, "Add pens", {"pens.py": "from feed import pelican\n", "stock.py": "walrus = 1\n"})
    commit_at(repository, 2, "Night theme", {"theme.css": "body { color: black }\n"})
    commit_at(repository, 3, "Feed", {"feed.py": "def pelican(): pass\n"})
    return repository


def test_same_query_on_the_same_state_comes_from_the_cache(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.index_all()
    first = desk.search("pelican pens", state)
    assert len(desk.searches) == 1
    assert desk.search("pelican pens", state) == first
    assert desk.search("pelican pens", desk.index_all()) == first
    assert len(desk.searches) == 1


def test_cached_results_have_the_same_types(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.index_all()
    desk.search("pelican pens", state)
    again = desk.search("pelican pens", state)
    assert len(desk.searches) == 1
    assert any(file.related for file in again)
    for file in again:
        assert isinstance(file, RankedFile)
        assert isinstance(file.parts, dict)
        assert isinstance(file.matched, tuple)
        assert all(isinstance(pair, tuple) for pair in file.related)


def test_another_query_is_searched(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.index_all()
    desk.search("pelican", state)
    desk.search("pelican!", state)
    desk.search("pelican", state, limit=2)
    assert desk.search("pelican", state, mentioned="stock.py")[0].path == "stock.py"
    desk.search("pelican", state, touched="stock.py")
    assert len(desk.searches) == 5
    assert desk.search("pelican", state)[0].path != "stock.py"
    assert len(desk.searches) == 5


def test_edit_or_commit_invalidates_and_an_undone_edit_restores_the_cached_result(
    zoo: Worktree, program: Process
) -> None:
    desk = Desk(zoo.path, program)
    first = desk.search("otter", desk.index_all())
    assert first == []
    zoo.write({"stock.py": "otter = 1\n"})
    assert paths_of(desk.search("otter", desk.index_all()))[0] == "stock.py"
    zoo.write({"stock.py": "walrus = 1\n"})
    search_count = len(desk.searches)
    assert desk.search("otter", desk.index_all()) == first
    assert len(desk.searches) == search_count
    commit_at(zoo, 5, "Welcome", {"stock.py": "otter = 1\n"})
    assert "stock.py" in paths_of(desk.search("otter", desk.index_all()))
    assert len(desk.searches) > search_count


def test_worktrees_of_a_repository_share_cached_results(zoo: Worktree, program: Process, tmp_path: Path) -> None:
    here, there = Desk(zoo.path, program), Desk(zoo.add_worktree(tmp_path / "linked", "feature").path, program)
    results = here.search("pelican pens", here.index_all())
    assert there.search("pelican pens", there.index_all()) == results
    assert (len(here.searches), len(there.searches)) == (1, 0)


def test_subfolder_and_other_repository_share_no_results(
    zoo: Worktree, program: Process, make_repository: Make
) -> None:
    commit_at(zoo, 4, "Move", {"app/pens.py": "pelican\n"})
    whole, part = Desk(zoo.path, program), Desk(zoo.path / "app", program)
    other = Desk(make_repository({"pens.py": "pelican\n"}, name="other").path, program)
    assert "app/pens.py" in paths_of(whole.search("pelican", whole.index_all()))
    assert paths_of(part.search("pelican", part.index_all())) == ["pens.py", "../feed.py", "../pens.py"]
    assert paths_of(other.search("pelican", other.index_all())) == ["pens.py"]
    assert len(whole.searches) == len(part.searches) == len(other.searches) == 1


def test_results_of_an_incomplete_index_are_not_cached(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    early = desk.search("walrus pens", desk.look())
    assert paths_of(early) == ["pens.py"]
    results = desk.search("walrus pens", desk.index_all())
    assert "stock.py" in paths_of(results)
    assert "changedTogether" in {part for file in results for part in file.parts}


def test_result_for_an_outdated_state_is_not_cached(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    earlier = desk.index_all()
    zoo.write({"stock.py": "otter = 1\n"})
    later = desk.index_all()
    assert desk.finder.cached_listing(earlier) is None
    assert desk.finder.cached_listing(later) is not None
    assert paths_of(desk.search("otter", earlier))[0] == "stock.py"
    zoo.write({"stock.py": "walrus = 1\n"})
    assert desk.search("otter", desk.index_all()) == []


def test_history_follows_the_head(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    desk.index_all()
    commit_at(zoo, 5, "Marmots sleep in the theme", {"theme.css": "body { color: blue }\n"})
    desk.look()
    assert not desk.finder.is_complete()
    state = desk.index_all()
    results = desk.search("marmots in the zoo", state)
    assert "nearestCommits" in next(file.parts for file in results if file.path == "theme.css")


def test_folder_without_git_can_be_searched(tmp_path: Path, program: Process) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "pens.py").write_text("pelican = 1\n")
    desk = Desk(tmp_path / "plain", program)
    assert paths_of(desk.search("pelican", desk.index_all())) == ["pens.py"]


def test_repository_without_commits_can_be_searched(make_repository: Make, program: Process) -> None:
    repository = make_repository()
    repository.write({"pens.py": "pelican = 1\n"})
    desk = Desk(repository.path, program)
    assert paths_of(desk.search("pelican", desk.index_all())) == ["pens.py"]


def test_unreadable_history_only_loses_its_evidence(zoo: Worktree, program: Process) -> None:
    _hide(zoo, zoo.git("rev-parse", "HEAD~2"))
    desk = Desk(zoo.path, program)
    results = desk.search("pelican", desk.index_all())
    assert set(paths_of(results)) >= {"feed.py", "pens.py"}
    assert "changedTogether" not in {part for file in results for part in file.parts}


def test_results_without_history_are_not_reused_once_it_is_readable(zoo: Worktree, program: Process) -> None:
    hidden = _hide(zoo, zoo.git("rev-parse", "HEAD~2"))
    desk = Desk(zoo.path, program)
    desk.search("pelican", desk.index_all())
    hidden.rename(hidden.with_suffix(""))
    later = Desk(zoo.path, program)
    results = later.search("pelican", later.index_all())
    assert "changedTogether" in {part for file in results for part in file.parts}


def test_matching_files_are_indexed_first_then_recently_changed_ones(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.look()
    desk.finder.read_history()
    pending = desk.finder.index.pending()
    recent = ["feed.py", "theme.css", "pens.py", "stock.py"]
    assert [path for path, _ in desk.finder.by_interest(pending)] == recent
    desk.search("the stock", state)
    ordered = desk.finder.by_interest(pending)
    assert ordered[0][0] == "stock.py"
    assert set(ordered) <= set(pending)
    assert len(ordered) == len(set(ordered)) == 4
    assert desk.finder.by_interest(pending[:1]) == [file for file in ordered if file == pending[0]]


def test_files_that_contain_the_words_of_an_expected_search_are_indexed_first(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    desk.look()
    desk.finder.read_history()
    pending = desk.finder.index.pending()
    found: Future[list[RankedFile]] = Future()
    found.set_result([RankedFile("pens.py", 6.0, {"contents": 6.0}, ("pelican",), ())])
    desk.finder.prioritize(SearchQuery("the stock"), found)
    assert desk.finder.by_interest(pending)[0][0] == "pens.py"
    assert desk.finder.by_interest(pending)[0][0] == "stock.py", "one run, once"


def test_an_expected_search_that_is_late_delays_no_index(
    zoo: Worktree, program: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_search, "ORDER_SECONDS", 0.01)
    desk = Desk(zoo.path, program)
    desk.look()
    desk.finder.read_history()
    desk.finder.prioritize(SearchQuery("the stock"), Future())
    assert desk.finder.by_interest(desk.finder.index.pending())[0][0] == "stock.py"


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_an_expected_search_that_failed_stops_no_index(zoo: Worktree, program: Process, is_cancelled: bool) -> None:
    desk = Desk(zoo.path, program)
    desk.look()
    desk.finder.read_history()
    found: Future[list[RankedFile]] = Future()
    if is_cancelled:
        found.cancel()
    else:
        found.set_exception(OSError("no git"))
    desk.finder.prioritize(SearchQuery("the stock"), found)
    assert desk.finder.by_interest(desk.finder.index.pending())[0][0] == "stock.py"


def test_search_method_uses_co_changes(client: Client, zoo: Worktree) -> None:
    looks = CodebaseClient(client, zoo.path)
    looks.index()
    results = client.request("codebase/search", {**looks.params, "query": "pens"})["files"]
    assert {file["path"] for file in results} == {"pens.py", "stock.py", "feed.py"}
    shutil.rmtree(zoo.path / ".git")
    assert looks.search("walrus") == ["stock.py"]


def _hide(repository: Worktree, commit: str) -> Path:
    """Remove a commit object, so that earlier commits cannot be read; return its new place."""
    path = repository.path / ".git" / "objects" / commit[:2] / commit[2:]
    return path.rename(path.with_suffix(".away"))
