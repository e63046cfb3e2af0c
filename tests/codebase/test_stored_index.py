"""The stored index restores what an earlier process knew; a file that cannot be used counts as absent."""

import contextlib
import os
import threading
import tracemalloc
import uuid
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from sidecar.codebase import store
from sidecar.codebase.content_ids import FileMap
from sidecar.codebase.file_exclusions import VendoredState
from sidecar.codebase.files import TrackedFiles
from sidecar.codebase.search.commit_history import Commit, FragileFile, History
from sidecar.codebase.search.head_histories import HeadHistory, Histories, StoredHistory
from sidecar.codebase.search.index import FileIndex, SharedIndex
from sidecar.codebase.store import StoredIndex
from sidecar.core.binary_sections import LazyArrays
from sidecar.storage.database import FILE_NAME
from tests.codebase.search.corpus import ask, commit, fill, forgetful, index_of, listing
from tests.codebase.search.test_shared_documents import answers_of
from tests.support.conversation import Conversation
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import DEAD_PID
from tests.support.random_walk import process_of
from tests.support.repositories import Repository

Make = Callable[..., Repository]
TEXTS = {
    f"{folder}{word}_{number}.{suffix}": (
        f"import zoo.{word}\n\n\n# HACK: never\ndef feed_{word}():\n    pelican = {number}\n"
    )
    for folder in ("", "src/", "src/zoo/")
    for word in ("pelican", "walrus", "größe")
    for suffix in ("py", "md")
    for number in range(15)
}
COMMITS = (
    commit(3, "Feed the \udce9", "src/\udce9.py", "b.py"),
    commit(2, "Feed the walrus", "src/walrus_1.py", moved=[("a.py", "b.py"), ("c.py", "d.py")]),
    commit(1, "", "a.py"),
    commit(0, "Begin"),
)
TRACKED = TrackedFiles(
    "digest", FileMap({"a.py": "1", "src/\udce9.py": "2"}, {}), frozenset(("a.min.js",)), {"a.min.js": "3"},
    VendoredState({"vendor": frozenset(("x", "y")), "": frozenset()}, frozenset(("m.py",))), 3, frozenset(("\x1b.py",)),
)  # fmt: skip


@pytest.fixture
def index() -> SharedIndex:
    """An index of one worktree, with a document of an earlier content."""
    shared = SharedIndex()
    view = FileIndex(forgetful, shared)
    for texts in (TEXTS | {"src/old.py": "otter = 1\n"}, TEXTS):
        view.update(listing(texts))
        fill(view, texts)
    return shared


def _restored(stored: StoredIndex) -> SharedIndex:
    loaded = stored.load()
    assert loaded is not None
    shared = SharedIndex()
    assert shared.restore(loaded.documents)
    return shared


def test_restored_index_answers_like_one_built_from_scratch(tmp_path: Path, index: SharedIndex) -> None:
    assert StoredIndex(tmp_path, "key").save(index, TRACKED, [_stored_history(COMMITS)])
    later = StoredIndex(tmp_path, "key")
    view = FileIndex(forgetful, _restored(later))
    assert view.update(listing(TEXTS)) == []
    assert answers_of(view, TEXTS) == answers_of(index_of(TEXTS), TEXTS)
    edited = TEXTS | {"src/pelican_1.py": "def feed_otter(): ...\n"}
    assert view.update(listing(edited)) == ["src/pelican_1.py"]
    fill(view, edited)
    assert answers_of(view, edited) == answers_of(index_of(edited), edited)
    loaded = later.load()
    assert loaded is not None
    (history, _), *others = [stored.restore() for stored in loaded.histories]
    assert (history.head, tuple(history.commits), others) == (COMMITS[0].id, COMMITS, [])
    assert loaded.tracked == TRACKED


@pytest.mark.parametrize("commits", [COMMITS, COMMITS[:1], ()])
def test_restored_history_answers_like_one_made_of_the_commits(
    tmp_path: Path, index: SharedIndex, commits: tuple[Commit, ...]
) -> None:
    made = History(commits)
    stored = StoredIndex(tmp_path, "key")
    fragile = [FragileFile("a.py", 3, ""), FragileFile("src/\udce9.py", 0, "Feed it")]
    stored.save(index, TRACKED, [StoredHistory.of(HeadHistory("0" * 40, commits, made), fragile)])
    loaded = stored.load()
    assert loaded is not None
    loaded_history, loaded_fragile = loaded.histories[0].restore()
    restored, paths = loaded_history.history, ("a.py", "b.py", "src/\udce9.py", "src/walrus_1.py", "nowhere.py")
    assert _answers(restored, paths) == _answers(made, paths)
    assert loaded_fragile == fragile


def test_histories_are_dumped_one_at_a_time(tmp_path: Path) -> None:
    """A store of three histories took five times the memory of one, which grew with each commit."""
    files = [f"till/drawers/file_{number}.py" for number in range(300)]
    commits = tuple(commit(number, "Count", *files[number % 280 : number % 280 + 20]) for number in range(2_000, 0, -1))
    dumps = [_stored_history(commits[newest:]) for newest in range(3)]
    histories, stored = Histories(), StoredIndex(tmp_path, "key")
    histories.restore(dumps)
    for dump in reversed(dumps):
        known = histories.known(dump.head)
        assert known is not None
        assert len(known.commits) > 1_990
    tracemalloc.start()
    try:
        assert stored.save(SharedIndex(), TRACKED, histories.to_store())
        assert tracemalloc.get_traced_memory()[1] < 4 * len(dumps[0].content)
    finally:
        tracemalloc.stop()
    loaded = stored.load()
    assert loaded is not None
    assert loaded.histories == dumps


def _stored_history(commits: tuple[Commit, ...]) -> StoredHistory:
    return StoredHistory.of(HeadHistory(commits[0].id, commits, History(commits)), [])


def _answers(history: History, paths: Sequence[str]) -> list[object]:
    terms = ["feed", "walrus", "otter"]
    return [
        len(history), history.similar_commits(terms), history.term_specificity(terms), history.recent(2),
        [(history.age(path), list(history.changes(path)), history.changed_together(path)) for path in paths],
        [history.changed_since(count) for count in range(6)],
    ]  # fmt: skip


def test_restored_index_can_be_stored_again(tmp_path: Path, index: SharedIndex) -> None:
    first = StoredIndex(tmp_path, "key")
    assert first.changes_since(index) > 1_000_000
    assert first.save(index, TRACKED)
    assert first.changes_since(index) == 0
    stored = StoredIndex(tmp_path, "other")
    assert stored.save(_restored(first), TRACKED)
    view = FileIndex(forgetful, _restored(stored))
    view.update(listing(TEXTS))
    assert answers_of(view, TEXTS) == answers_of(index_of(TEXTS), TEXTS)


def test_restored_index_is_stored_as_it_was_whatever_was_read_of_it(tmp_path: Path, index: SharedIndex) -> None:
    first = StoredIndex(tmp_path, "key")
    assert first.save(index, TRACKED)
    restored = _restored(first)
    view = FileIndex(forgetful, restored)
    view.update(listing(TEXTS))
    ask(view, "pelican walrus")
    assert StoredIndex(tmp_path, "other").save(restored, TRACKED)
    contents = {path.read_bytes() for path in (tmp_path / "indexes").iterdir()}
    assert len(contents) == 1


def test_a_restored_index_that_changes_is_stored_like_one_that_stayed_in_memory(
    tmp_path: Path, index: SharedIndex
) -> None:
    StoredIndex(tmp_path, "key").save(index, TRACKED)
    edited = TEXTS | {"src/pelican_1.py": "def feed_otter(): ...\n", "src/new.py": "newt = 1\n"}
    for name, shared in (("restored", _restored(StoredIndex(tmp_path, "key"))), ("same", index)):
        view = FileIndex(forgetful, shared)
        view.update(listing(edited))
        fill(view, edited)
        (tmp_path / name).mkdir()
        assert StoredIndex(tmp_path / name, "key").save(shared, TRACKED)
    stored = [next((tmp_path / name / "indexes").iterdir()).read_bytes() for name in ("restored", "same")]
    assert stored[0] == stored[1]


def test_a_part_that_two_threads_need_at_once_is_made_once() -> None:
    numbers = array("Q", range(4_000))
    counts, read = array("I", [0, 3, *[4] * 999, 1]), threading.Barrier(4)
    parts = LazyArrays(numbers, counts)

    def read_all() -> list[object]:
        read.wait()
        return [parts[position] for position in range(len(parts))]

    with ThreadPoolExecutor(4) as pool:
        results = [future.result() for future in [pool.submit(read_all) for _ in range(4)]]
    assert [list(part or ()) for part in parts] == [
        [], [0, 1, 2], *([3 + 4 * n, 4 + 4 * n, 5 + 4 * n, 6 + 4 * n] for n in range(999)), [3_999]
    ]  # fmt: skip
    assert all(mine is other for result in results[1:] for mine, other in zip(results[0], result, strict=True))
    with pytest.raises(ValueError, match="not the whole"):
        LazyArrays(numbers, counts[:-1])


def test_documents_that_are_known_already_are_not_replaced(tmp_path: Path, index: SharedIndex) -> None:
    stored = StoredIndex(tmp_path, "key")
    stored.save(index, TRACKED)
    loaded = stored.load()
    assert loaded is not None
    assert not index.restore(loaded.documents)


def _damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [_damage, _truncate, _empty, Path.unlink])
def test_file_that_is_damaged_or_missing_counts_as_absent(
    tmp_path: Path, index: SharedIndex, spoil: Callable[[Path], object]
) -> None:
    StoredIndex(tmp_path, "key").save(index, TRACKED)
    spoil(next((tmp_path / "indexes").iterdir()))
    assert StoredIndex(tmp_path, "key").load() is None


def _put_a_folder(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)


def _put_a_file_for_the_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("no folder")


@pytest.mark.parametrize("spoil", [_damage, _put_a_folder, _put_a_file_for_the_folder])
def test_what_is_in_the_place_of_the_file_is_replaced(
    tmp_path: Path, index: SharedIndex, spoil: Callable[[Path], object]
) -> None:
    StoredIndex(tmp_path, "key").save(index, TRACKED)
    spoil(next((tmp_path / "indexes").iterdir()))
    stored = StoredIndex(tmp_path, "key")
    assert stored.load() is None
    assert stored.save(index, TRACKED)
    assert StoredIndex(tmp_path, "key").load() is not None


def test_file_that_is_damaged_anywhere_counts_as_absent(tmp_path: Path, index: SharedIndex) -> None:
    stored = StoredIndex(tmp_path, "key")
    stored.save(index, TRACKED, [_stored_history(COMMITS)])
    path = next((tmp_path / "indexes").iterdir())
    whole = path.read_bytes()
    for at in range(0, len(whole), len(whole) // 40):
        for damage in (b"\xff" * 9, bytes(9)):
            damaged = whole[:at] + damage + whole[at + len(damage) :]
            path.write_bytes(damaged)
            assert (stored.load() is None) == (damaged != whole)


def test_file_of_another_version_counts_as_absent(
    tmp_path: Path, index: SharedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    StoredIndex(tmp_path, "key").save(index, TRACKED)
    monkeypatch.setattr(store, "FORMAT", store.FORMAT + 1)
    assert StoredIndex(tmp_path, "key").load() is None


def test_documents_that_change_meanwhile_are_not_stored(
    tmp_path: Path, index: SharedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def change(size: int) -> int:
        sizes.append(size)
        index.documents.version += 1
        return size

    monkeypatch.setattr(store, "section_bytes", lambda sections: (bytes(change(size) * 0) for size, _ in sections))
    assert not StoredIndex(tmp_path, "key").save(index, TRACKED)
    assert len(sizes) == 1
    assert list((tmp_path / "indexes").iterdir()) == []


def test_least_recently_used_files_are_removed(
    tmp_path: Path, index: SharedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_FILES", 2)
    for number, key in enumerate(("a", "b", "c")):
        stored = StoredIndex(tmp_path, key)
        stored.save(index, TRACKED)
        for path in (tmp_path / "indexes").iterdir():
            if path.stat().st_mtime > 1_000_000:
                os.utime(path, (number, number))
    assert [StoredIndex(tmp_path, key).load() is not None for key in ("a", "b", "c")] == [False, True, True]


def test_temporary_files_of_killed_processes_are_removed(tmp_path: Path, index: SharedIndex) -> None:
    folder = tmp_path / "indexes"
    folder.mkdir()
    dead, alive = f".onecode-{DEAD_PID}-1.new", f".onecode-{os.getppid()}-1.new"
    for name in (dead, alive):
        (folder / name).write_bytes(b"")
    assert StoredIndex(tmp_path, "key").save(index, TRACKED)
    assert [path.name for path in folder.glob(".*.new")] == [alive]


def test_new_process_finds_what_an_earlier_one_indexed(tmp_path: Path, make_repository: Make) -> None:
    repository = make_repository({path: text for path, text in TEXTS.items() if path.isascii()})
    for turn in range(2):
        sidecar = MemorySidecar(tmp_path / "state")
        sidecar.client.initialize(settings={"mode": "active"})
        process = sidecar.app.process
        assert process is not None
        shared = process.workspaces.get(str(repository.path), None).slices.repository.shared
        if turn == 0:
            assert sidecar.client.request("codebase/index", {"cwd": str(repository.path)})["complete"]
            shared.store()
        else:
            chat = Conversation(sidecar.client, repository.path)
            result = chat.pre_run("Feed the walrus in src/zoo/walrus_7.py")
            assert not result["metadata"]["partial"]
            assert "walrus_7.py" in "".join(block["text"] for block in result["blocks"])
        assert not shared.must_be_stored()
        sidecar.close()


def test_names_that_hold_secrets_are_counted_and_not_stored(tmp_path: Path, make_repository: Make) -> None:
    name = "gh" + "p_" + "a1B2c3D4e5" * 4
    repository = make_repository({"cart.py": "x = 1\n", f"{name}.py": "y = 1\n"})
    for turn in range(2):
        sidecar = MemorySidecar(tmp_path / "state")
        sidecar.client.initialize()
        where = {"cwd": str(repository.path)}
        assert sidecar.client.request("codebase/index", where)["unsafeNames"] == 1
        shared = process_of(sidecar).workspaces.get(str(repository.path), None).slices.repository.shared
        if turn == 0:
            shared.store()
        repository.write({f"{name}.py": f"y = {turn} + 1\n"})
        assert sidecar.client.request("codebase/index", where)["unsafeNames"] == 1
        sidecar.close()
    stored = [path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert any(b"cart.py" in content for content in stored)
    assert [content for content in stored if name[8:30].encode().lower() in content.lower()] == []


def test_search_in_a_restored_index_is_the_same(tmp_path: Path, index: SharedIndex) -> None:
    stored = StoredIndex(tmp_path, "key")
    stored.save(index, TRACKED)
    view = FileIndex(forgetful, _restored(stored))
    view.update(listing(TEXTS))
    assert ask(view, "feed the walrus") == ask(index_of(TEXTS), "feed the walrus")


def test_caches_that_are_rebuilt_change_nothing_for_a_session(tmp_path: Path, make_repository: Make) -> None:
    files = {path: text for path, text in list(TEXTS.items())[::6] if path.isascii()}
    rules = {"AGENTS.md": "# Rules\n\n- Never feed the walrus.\n", "docs/adr/0001-zoo.md": "# One zoo\n\nAccepted.\n"}
    repository, state, prompt = make_repository(files | rules), tmp_path / "state", "Feed the walrus in walrus_6"
    params = {"cwd": str(repository.path)}
    first = _active(state)
    first.client.request("codebase/index", params)
    chat = Conversation(first.client, repository.path)
    before = chat.turn(prompt)
    first.close()
    _damage_caches(state)
    later = _active(state)
    chat.client, release = later.client, threading.Event()
    process_of(later).indexing.submit(release.wait, 20)
    early = chat.pre_run("Now feed the pelican_6 too", deadlineMs=2_000)
    release.set()
    later.client.request("codebase/index", params)
    late = chat.pre_run("Now feed the pelican_6 too")
    later.close()
    assert (early["metadata"]["partial"], late["metadata"]["partial"]) == (True, False)
    assert before["system"] == early["system"] == late["system"]
    assert "delta" not in [block["kind"] for answer in (early, late) for block in answer["blocks"]]


def _active(state: Path) -> MemorySidecar:
    sidecar = MemorySidecar(state)
    sidecar.app.new_id = lambda: uuid.uuid4().hex  # two processes give no id twice
    sidecar.client.initialize(settings={"mode": "active"})
    return sidecar


def _damage_caches(state: Path) -> None:
    for path in (state / "indexes").glob("*"):
        path.write_bytes(b"damaged")
    with contextlib.closing(apsw.Connection(str(state / FILE_NAME))) as connection:
        for table in ("file", "search", "pack", "registry"):
            connection.execute(f"DELETE FROM continuity_{table}_cache")
