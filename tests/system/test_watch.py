"""Tests of watching folders: every change is reported, or the watch reports that it cannot."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.system import folder_watch
from sidecar.system.folder_watch import (
    BURST_PATHS,
    COOKIE_PREFIX,
    NO_CHANGES,
    QUIET_MS,
    FolderChanges,
    RecursiveWatch,
    Unwatchable,
    Watch,
    WatchedFolders,
    open_watch,
)
from tests.support.clock import FixedClock
from tests.support.inbox import PATIENCE_SECONDS
from tests.support.inotify_queues import queues_watching
from tests.support.own_pipes import OwnPipes

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")
Open = Callable[..., Watch]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "top"
    (folder / "cookies").mkdir(parents=True)
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text("a")
    return folder


@pytest.fixture
def watch_of(top: Path) -> Iterator[Open]:
    made: list[Watch] = []

    def make(folders: WatchedFolders | None = None) -> Watch:
        made.append(open_watch(folders or folders_of(top), top / "cookies"))
        return made[-1]

    yield make
    for watch in made:
        watch.close()


def folders_of(top: Path, *skipped: str) -> WatchedFolders:
    paths = frozenset((top / name).as_posix() for name in skipped)
    flat_roots = frozenset({(top / "cookies").as_posix()})
    return WatchedFolders(flat_roots | {top.as_posix()}, flat_roots, paths, frozenset({"own"}), ".git")


def names(changes: FolderChanges, top: Path) -> set[str]:
    assert not changes.is_incomplete
    return {os.path.relpath(path, top) for path in changes.paths}


@on_linux
def test_an_unchanged_tree_reports_nothing_and_leaves_no_cookie(watch_of: Open, top: Path) -> None:
    watch = watch_of()
    assert [watch.sync() for _ in range(3)] == [NO_CHANGES] * 3
    assert os.listdir(top / "cookies") == []


@on_linux
def test_each_kind_of_change_is_reported(watch_of: Open, top: Path) -> None:
    watch, file = watch_of(), top / "sub" / "a.txt"
    changes: dict[str, Callable[[], object]] = {
        "write": lambda: file.write_text("b"),
        "mode": lambda: file.chmod(0o600),
        "time": lambda: os.utime(file, (1, 1)),
        "truncate": lambda: os.truncate(file, 0),
        "rename": lambda: file.rename(top / "sub" / "b.txt"),
        "link": lambda: (top / "sub" / "l").symlink_to("nowhere"),
        "delete": (top / "sub" / "b.txt").unlink,
    }
    for kind, change in changes.items():
        change()
        changed = names(watch.sync(), top)
        assert changed, kind
        assert {os.path.dirname(path) for path in changed} == {"sub"}, kind
    assert watch.sync() == NO_CHANGES


@on_linux
def test_new_folders_are_watched_however_they_appear(watch_of: Open, top: Path, tmp_path: Path) -> None:
    watch = watch_of()
    (top / "x" / "y" / "z").mkdir(parents=True)
    assert watch.sync().folders
    (top / "x" / "y" / "z" / "f").write_text("1")
    assert names(watch.sync(), top) == {"x/y/z/f"}
    (top / "x").rename(top / "moved")
    (top / "moved" / "y" / "z" / "g").write_text("1")
    watch.sync()
    (top / "moved" / "y" / "z" / "f").write_text("2")
    assert names(watch.sync(), top) == {"moved/y/z/f"}
    (top / "moved").rename(tmp_path / "out")
    watch.sync()
    (tmp_path / "out" / "y" / "z" / "f").write_text("3")
    assert watch.sync() == NO_CHANGES
    (top / "new").mkdir()
    (tmp_path / "out").rename(top / "new" / "in")
    watch.sync()
    (top / "new" / "in" / "y" / "z" / "f").write_text("4")
    assert names(watch.sync(), top) == {"new/in/y/z/f"}
    shutil.rmtree(top / "new")
    assert watch.sync().folders
    assert watch.size == 3


@on_linux
def test_a_folder_moved_into_a_new_one_between_calls_is_watched(watch_of: Open, top: Path) -> None:
    watch = watch_of()
    (top / "parent").mkdir()
    (top / "sub").rename(top / "parent" / "sub")
    watch.sync()
    (top / "parent" / "sub" / "a.txt").write_text("b")
    assert names(watch.sync(), top) == {"parent/sub/a.txt"}


@on_linux
def test_a_new_folder_is_watched_when_an_ancestor_changed_too(watch_of: Open, top: Path) -> None:
    (top / "git" / "refs").mkdir(parents=True)
    folders = folders_of(top, "git")
    flat_roots = folders.flat_roots | {(top / "git").as_posix()}
    watch = watch_of(
        folders._replace(roots=folders.roots | flat_roots | {(top / "git" / "refs").as_posix()}, flat_roots=flat_roots)
    )
    top.chmod(0o700)
    (top / "git" / "refs" / "new").mkdir()
    watch.sync()
    (top / "git" / "refs" / "new" / "branch").write_text("1")
    assert names(watch.sync(), top) == {"git/refs/new/branch"}


@on_linux
def test_skipped_folders_report_nothing_until_they_are_watched(watch_of: Open, top: Path) -> None:
    for name in ("sub/own/deep", "skipped/deep"):
        (top / name).mkdir(parents=True)
    watch = watch_of(folders_of(top, "skipped"))
    for name in ("sub/own/deep/f", "skipped/deep/f"):
        (top / name).write_text("1")
    assert watch.sync() == NO_CHANGES
    watch.update_folders(folders_of(top), [(top / "skipped").as_posix()])
    (top / "skipped/deep/f").write_text("2")
    assert names(watch.sync(), top) == {"skipped/deep/f"}
    watch.update_folders(folders_of(top, "skipped"), [])
    (top / "skipped/deep/f").write_text("3")
    assert watch.sync() == NO_CHANGES


@on_linux
def test_existing_and_new_markers_are_reported(watch_of: Open, top: Path) -> None:
    (top / "sub" / ".git").write_text("gitdir: nowhere")
    watch = watch_of()
    assert names(watch.sync(), top) == {"sub/.git"}
    (top / "later").mkdir()
    (top / "later" / ".git").mkdir()
    assert "later/.git" in names(watch.sync(), top)


@on_linux
def test_too_many_pending_changes_end_the_watch(watch_of: Open, top: Path) -> None:
    watch, files = watch_of(), (top / "sub" / "a.txt", top / "sub" / "b.txt")
    files[1].write_text("b")
    for number in range(100_000):
        os.utime(files[number % 2], (number, number))
    for number in range(100_000):
        os.utime(files[number % 2], (number, number))
    assert watch.sync().is_incomplete
    assert watch.failure in {"too many changes at once", "events were lost"}
    assert watch.sync().is_incomplete


@on_linux
def test_folders_beyond_the_limit_and_foreign_file_systems_are_refused(
    watch_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unwatchable, match="file system"):
        watch_of(WatchedFolders(frozenset({"/proc"}), frozenset(), frozenset(), frozenset(), ".git"))
    monkeypatch.setattr("sidecar.system.linux_tree_watch.MAX_WATCHES", watch_of().size)
    with pytest.raises(Unwatchable, match="too many folders"):
        watch_of()


@on_linux
def test_a_failed_cookie_ends_the_watch(watch_of: Open, top: Path) -> None:
    watch = watch_of()
    (top / "cookies").rmdir()
    assert watch.sync().is_incomplete
    assert watch.failure == "the cookie cannot be created"


@on_linux
def test_a_closed_watch_leaves_no_thread_and_no_file(
    watch_of: Open, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: list[threading.Thread] = []
    start, thread = threading.Thread.start, threading.get_ident()

    def recording(reader: threading.Thread) -> None:
        if threading.get_ident() == thread:
            readers.append(reader)
        start(reader)

    monkeypatch.setattr(threading.Thread, "start", recording)
    pipes = OwnPipes(monkeypatch)
    watch = watch_of()
    assert queues_watching(top) == 1
    assert len(pipes.still_open()) == len(pipes.inodes) == len(readers) == 1
    watch.close()
    readers[0].join(PATIENCE_SECONDS)
    assert not readers[0].is_alive()
    assert queues_watching(top) == 0
    assert not pipes.still_open()
    assert watch.sync().is_incomplete


@on_linux
def test_cookies_of_killed_processes_are_deleted(watch_of: Open, top: Path) -> None:
    for name, age in (("old", 3_600), ("new", 0)):
        path = top / "cookies" / f"{COOKIE_PREFIX}{name}"
        path.write_text("")
        os.utime(path, (time.time() - age,) * 2)
    watch_of()
    assert os.listdir(top / "cookies") == [f"{COOKIE_PREFIX}new"]


class Skipping(FixedClock):
    """A clock that can be advanced."""

    skipped_ms = 0.0

    def monotonic_ms(self) -> float:
        return super().monotonic_ms() + self.skipped_ms


@pytest.fixture
def recursive_of(top: Path) -> Iterator[Callable[..., RecursiveWatch]]:
    made: list[RecursiveWatch] = []

    def make(clock: FixedClock) -> RecursiveWatch:
        made.append(RecursiveWatch(folders_of(top, "skipped"), top / "cookies", clock))
        return made[-1]

    yield make
    for watch in made:
        watch.close()


def test_the_recursive_watch_names_single_files_that_changed(
    recursive_of: Callable[..., RecursiveWatch], top: Path
) -> None:
    (top / "skipped").mkdir()
    watch = recursive_of(FixedClock())
    assert not watch.is_exact
    assert watch.sync() == NO_CHANGES
    (top / "skipped" / "x").write_text("x")
    (top / "sub" / "a.txt").write_text("b")
    (top / "sub" / "b.txt").write_text("new")
    assert names(watch.sync(), top) == {"sub/a.txt", "sub/b.txt"}
    assert watch.sync() == NO_CHANGES
    assert os.listdir(top / "cookies") == []


@pytest.mark.parametrize("burst", ["many files", "a folder", "a deletion"])
def test_the_recursive_watch_names_nothing_after_a_burst_until_it_is_quiet(
    recursive_of: Callable[..., RecursiveWatch], top: Path, burst: str
) -> None:
    clock = Skipping()
    watch = recursive_of(clock)
    if burst == "many files":
        for number in range(BURST_PATHS + 1):
            (top / "sub" / f"{number}.txt").write_text("x")
    elif burst == "a folder":
        (top / "new").mkdir()
    else:
        (top / "sub" / "a.txt").unlink()
    assert watch.sync().is_incomplete
    clock.skipped_ms += QUIET_MS / 2
    (top / "sub" / "late.txt").write_text("x")
    assert watch.sync().is_incomplete
    clock.skipped_ms += QUIET_MS / 2
    assert watch.sync().is_incomplete
    clock.skipped_ms += QUIET_MS
    assert watch.sync() == NO_CHANGES


class WindowsNotify:
    """Events as Windows sends them: also of the folders of the files."""

    def __init__(self, notify: Any, folders: list[Path]) -> None:
        self.close = notify.close
        self._notify = notify
        self._folders = {(2, str(folder)) for folder in folders}

    def watch(self, *arguments: Any) -> Any:
        events = self._notify.watch(*arguments)
        return events if isinstance(events, str) else events | self._folders


def test_the_recursive_watch_takes_no_folder_for_changed_because_of_a_file_in_it(
    recursive_of: Callable[..., RecursiveWatch], top: Path
) -> None:
    watch = recursive_of(FixedClock())
    watch.repeats_changes = True
    notify: Any = WindowsNotify(watch._notify, [top / "cookies", top / "sub"])
    watch._notify = notify
    assert watch.sync() == NO_CHANGES
    (top / "sub" / "a.txt").write_text("b")
    changes = watch.sync()
    assert (changes.paths, changes.is_incomplete) == ({(top / "sub/a.txt").as_posix()}, False)
    (top / "sub" / "new").mkdir()
    assert watch.sync().is_incomplete


def test_the_recursive_watch_ends_when_its_cookie_fails(recursive_of: Callable[..., RecursiveWatch], top: Path) -> None:
    watch = recursive_of(FixedClock())
    (top / "cookies").rename(top / "elsewhere")
    assert watch.sync().is_incomplete
    assert watch.failure == "the cookie cannot be created"
    (top / "elsewhere").rename(top / "cookies")
    other = recursive_of(FixedClock())
    other.close()
    assert other.sync().is_incomplete


def test_the_recursive_watch_orders_the_events_of_several_trees_or_refuses_them(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = tmp_path.resolve() / "apart"
    (apart / "inner").mkdir(parents=True)
    (apart / "inner" / "a.txt").write_text("a")
    roots = frozenset((top.as_posix(), apart.as_posix(), (apart / "inner").as_posix()))
    folders = folders_of(top)._replace(roots=roots)

    def refusal() -> str:
        with pytest.raises(Unwatchable) as refused:
            RecursiveWatch(folders, top / "cookies")
        return refused.value.reason

    if sys.platform != "win32":
        watch = RecursiveWatch(folders, top / "cookies", FixedClock())
        for text in ("b", "c"):
            (apart / "inner" / "a.txt").write_text(text)
            (top / "sub" / "a.txt").write_text(text)
            assert names(watch.sync(), top) == {"sub/a.txt", "../apart/inner/a.txt"}
            assert watch.sync() == NO_CHANGES
        watch.close()
        monkeypatch.setattr(folder_watch, "spelling_on_disk", lambda path: path.replace("apart", "Apart"))
        assert refusal() == "the events name a folder in another way"
        monkeypatch.setattr(folder_watch, "folder_identity", lambda path: (len(path), 1))
        assert refusal() == "the git directory is on another disk than the worktree"
    monkeypatch.setattr(folder_watch, "_HAS_ONE_STREAM", False)
    assert refusal() == "the git directory is outside the worktree"
