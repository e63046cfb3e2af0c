"""The search of a workspace follows its state, and remembers what was asked of the same state."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.call import Process
from sidecar.codebase import RankedFile, Repository, RepositoryState, Summary
from sidecar.codebase.search import SearchQuery
from sidecar.codebase.searcher import Searcher
from sidecar.codebase.summary.summarize import summarise
from tests.codebase.looks import Looks
from tests.codebase.search.corpus import Memory, commit_at, paths_of
from tests.support.client import Client
from tests.support.memory import MemorySidecar
from tests.support.repositories import Repository as Worktree

Make = Callable[..., Worktree]


class Desk:
    """A finder over a real workspace; `asked` grows with each search that is not answered from the cache."""

    def __init__(self, folder: Path, process: Process) -> None:
        self.folder = folder
        self.asked: list[list[str]] = []
        self._repository: Repository = process.workspaces.get(str(folder), None).slices.repository
        self._memory = Memory()
        self.finder = Searcher(folder, process, self._memory.known, self._summaries)

    def look(self) -> RepositoryState:
        """Follows the state without reading anything."""
        state = self._repository.state()
        self.finder.update(state, self._repository.listing(state))
        return state

    def settle(self) -> RepositoryState:
        """Follows the state and reads all there is."""
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
        """Searches, as the repository would."""
        changed = frozenset(file.path for file in state.changed)
        question = SearchQuery(text, changed, frozenset((mentioned,) if mentioned else ()),
                                  frozenset((touched,) if touched else ()))  # fmt: skip
        return self.finder.find(question, state, self._repository.key, limit)

    def _summaries(self, files: dict[str, str]) -> dict[str, Summary]:
        self.asked.append(sorted(files))
        return {path: self._summary(path) for path in files}

    def _summary(self, path: str) -> Summary:
        return summarise(path, (self.folder / path).read_bytes())


@pytest.fixture
def program(sidecar: MemorySidecar) -> Process:
    """What lives as long as the process."""
    process = sidecar.app.process
    assert isinstance(process, Process)
    return process


@pytest.fixture
def zoo(make_repository: Make) -> Worktree:
    """Pens that change together with feeding."""
    repository = make_repository()
    commit_at(repository, 0, "Begin", {"readme.md": "zoo\n"})
    commit_at(repository, 1, "Add pens", {"pens.py": "from feed import pelican\n", "stock.py": "walrus = 1\n"})
    commit_at(repository, 2, "Night theme", {"theme.css": "body { color: black }\n"})
    commit_at(repository, 3, "Feed", {"feed.py": "def pelican(): pass\n"})
    return repository


def test_the_same_question_of_the_same_state_is_not_searched_again(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.settle()
    first = desk.search("pelican pens", state)
    assert len(desk.asked) == 1
    assert desk.search("pelican pens", state) == first
    assert desk.search("pelican pens", desk.settle()) == first
    assert len(desk.asked) == 1


def test_what_comes_from_the_cache_is_of_the_same_types(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.settle()
    desk.search("pelican pens", state)
    again = desk.search("pelican pens", state)
    assert len(desk.asked) == 1
    assert any(one.related for one in again)
    for one in again:
        assert isinstance(one, RankedFile)
        assert isinstance(one.parts, dict)
        assert isinstance(one.matched, tuple)
        assert all(isinstance(pair, tuple) for pair in one.related)


def test_another_question_is_searched_for(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    state = desk.settle()
    desk.search("pelican", state)
    desk.search("pelican!", state)
    desk.search("pelican", state, limit=2)
    assert desk.search("pelican", state, mentioned="stock.py")[0].path == "stock.py"
    desk.search("pelican", state, touched="stock.py")
    assert len(desk.asked) == 5
    assert desk.search("pelican", state)[0].path != "stock.py"
    assert len(desk.asked) == 5


def test_an_edit_or_a_commit_is_another_state_and_an_undone_edit_the_same(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    first = desk.search("otter", desk.settle())
    assert first == []
    zoo.write({"stock.py": "otter = 1\n"})
    assert paths_of(desk.search("otter", desk.settle()))[0] == "stock.py"
    zoo.write({"stock.py": "walrus = 1\n"})
    searches = len(desk.asked)
    assert desk.search("otter", desk.settle()) == first
    assert len(desk.asked) == searches
    commit_at(zoo, 5, "Welcome", {"stock.py": "otter = 1\n"})
    assert "stock.py" in paths_of(desk.search("otter", desk.settle()))
    assert len(desk.asked) > searches


def test_another_worktree_of_the_repository_shares_what_was_found(
    zoo: Worktree, program: Process, tmp_path: Path
) -> None:
    here, there = Desk(zoo.path, program), Desk(zoo.add_worktree(tmp_path / "linked", "feature").path, program)
    found = here.search("pelican pens", here.settle())
    assert there.search("pelican pens", there.settle()) == found
    assert (len(here.asked), len(there.asked)) == (1, 0)


def test_a_sub_folder_and_another_repository_share_nothing(
    zoo: Worktree, program: Process, make_repository: Make
) -> None:
    commit_at(zoo, 4, "Move", {"app/pens.py": "pelican\n"})
    whole, part = Desk(zoo.path, program), Desk(zoo.path / "app", program)
    other = Desk(make_repository({"pens.py": "pelican\n"}, name="other").path, program)
    assert "app/pens.py" in paths_of(whole.search("pelican", whole.settle()))
    assert paths_of(part.search("pelican", part.settle())) == ["pens.py"]
    assert paths_of(other.search("pelican", other.settle())) == ["pens.py"]
    assert len(whole.asked) == len(part.asked) == len(other.asked) == 1


def test_what_an_unfinished_index_finds_is_not_kept(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    early = desk.search("walrus pens", desk.look())
    assert paths_of(early) == ["pens.py"]
    found = desk.search("walrus pens", desk.settle())
    assert "stock.py" in paths_of(found)
    assert "changedTogether" in {part for one in found for part in one.parts}


def test_a_state_that_is_no_longer_followed_is_answered_and_not_kept(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    earlier = desk.settle()
    zoo.write({"stock.py": "otter = 1\n"})
    later = desk.settle()
    assert desk.finder.cached_listing(earlier) is None
    assert desk.finder.cached_listing(later) is not None
    assert paths_of(desk.search("otter", earlier))[0] == "stock.py"
    zoo.write({"stock.py": "walrus = 1\n"})
    assert desk.search("otter", desk.settle()) == []


def test_the_history_moves_on_with_the_head(zoo: Worktree, program: Process) -> None:
    desk = Desk(zoo.path, program)
    desk.settle()
    commit_at(zoo, 5, "Marmots sleep in the theme", {"theme.css": "body { color: blue }\n"})
    desk.look()
    assert not desk.finder.is_complete()
    state = desk.settle()
    found = desk.search("marmots in the zoo", state)
    assert "nearestCommits" in next(one.parts for one in found if one.path == "theme.css")


def test_a_folder_without_git_is_searched_by_its_words(tmp_path: Path, program: Process) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "pens.py").write_text("pelican = 1\n")
    desk = Desk(tmp_path / "plain", program)
    assert paths_of(desk.search("pelican", desk.settle())) == ["pens.py"]


def test_before_the_first_commit_files_are_found_by_their_words(make_repository: Make, program: Process) -> None:
    repository = make_repository()
    repository.write({"pens.py": "pelican = 1\n"})
    desk = Desk(repository.path, program)
    assert paths_of(desk.search("pelican", desk.settle())) == ["pens.py"]


def test_a_history_that_cannot_be_read_costs_its_evidence_and_no_more(zoo: Worktree, program: Process) -> None:
    _hide(zoo, zoo.git("rev-parse", "HEAD~2"))
    desk = Desk(zoo.path, program)
    found = desk.search("pelican", desk.settle())
    assert set(paths_of(found)) >= {"feed.py", "pens.py"}
    assert "changedTogether" not in {part for one in found for part in one.parts}


def test_what_was_found_without_the_history_is_not_given_once_it_can_be_read(zoo: Worktree, program: Process) -> None:
    hidden = _hide(zoo, zoo.git("rev-parse", "HEAD~2"))
    desk = Desk(zoo.path, program)
    desk.search("pelican", desk.settle())
    hidden.rename(hidden.with_suffix(""))
    later = Desk(zoo.path, program)
    found = later.search("pelican", later.settle())
    assert "changedTogether" in {part for one in found for part in one.parts}


def test_files_near_what_was_asked_are_read_first_then_those_changed_of_late(zoo: Worktree, program: Process) -> None:
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
    assert desk.finder.by_interest(pending[:1]) == [one for one in ordered if one == pending[0]]


def test_a_search_through_the_protocol_knows_what_changes_together(client: Client, zoo: Worktree) -> None:
    looks = Looks(client, zoo.path)
    looks.index()
    found = client.request("codebase/search", {**looks.params, "query": "pens"})["files"]
    assert {file["path"] for file in found} == {"pens.py", "stock.py", "feed.py"}
    shutil.rmtree(zoo.path / ".git")
    assert looks.search("walrus") == ["stock.py"]


def _hide(repository: Worktree, commit: str) -> Path:
    """Takes a commit away, so that what came before it cannot be read; gives where it lies now."""
    path = repository.path / ".git" / "objects" / commit[:2] / commit[2:]
    return path.rename(path.with_suffix(".away"))
