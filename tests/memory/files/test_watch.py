"""The watch reports whatever a full scan would find, whatever happens to the files."""

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.memory import MemoryIndex, RefreshResult, memory_index_of
from sidecar.memory.files import MAX_WATCHES
from sidecar.system.folder_watch import Unwatchable
from tests.support.depth import examples
from tests.support.inotify_queues import queues_watching
from tests.support.memory_project import Memories
from tests.support.memory_sidecar import MemorySidecar

LONG_MS = 4_000 * 86_400_000
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux's events are a proof")


def note(memory_id: str, text: str = "text") -> str:
    return f"---\nid: {memory_id}\n---\n# {memory_id}\n\n{text}\n"


@pytest.fixture
def watched(memories: Memories) -> Memories:
    """Memories that were asked about often enough to be watched, and are no news."""
    memories.sidecar.clock.advance(LONG_MS)
    for name in "abc":
        memories.write(f"shared/durable/{name}.md", note(f"mem-{name}"))
    for _ in range(3):
        memories.index().refresh()
    return memories


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were listed, by name."""
    seen: list[str] = []
    scandir = os.scandir

    def noting(path: str) -> object:
        seen.append(os.path.basename(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", noting)
    return seen


@on_linux
def test_an_unchanged_folder_is_not_scanned_and_only_changed_files_are_read(
    watched: Memories, examined: list[str]
) -> None:
    index = watched.index()
    assert index.refresh() == RefreshResult(3, (), (), ())
    watched.write("shared/durable/b.md", note("mem-b", "other"))
    watched.write("shared/durable/d.md", note("mem-d"))
    (watched.folder / "shared/durable/a.md").unlink()
    assert index.refresh() == RefreshResult(
        3, ("shared/durable/b.md", "shared/durable/d.md"), ("shared/durable/a.md",), ()
    )
    assert index.refresh() == RefreshResult(3, (), (), ())
    assert "durable" not in examined
    assert watched.ask("get", id="mem-b")["text"] == "other"
    index.rescan()
    assert "durable" in examined


def test_a_single_refresh_starts_no_watch(memories: Memories, tmp_path: Path) -> None:
    memories.write("shared/durable/a.md", note("mem-a"))
    memories.index().refresh()
    assert not list(tmp_path.rglob("cookies"))


def test_the_watch_leaves_no_file_in_the_project(watched: Memories) -> None:
    assert sorted(path.name for path in watched.folder.rglob("*") if path.is_file()) == ["a.md", "b.md", "c.md"]


@on_linux
def test_a_write_by_another_process_causes_a_full_scan(watched: Memories) -> None:
    index, process = watched.index(), watched.sidecar.app.process
    assert process is not None
    other = MemoryIndex(process, process.workspaces.get(str(watched.project), None))
    other.refresh()
    path = watched.write("shared/durable/b.md", note("mem-b", "other"))
    index.refresh()
    with process.database.write() as tx:  # a process that read the file before it changed, and wrote it down after us
        tx.execute("UPDATE continuity_memory_files SET version = 'old', size = 1 WHERE path = 'shared/durable/b.md'")
        tx.execute("UPDATE continuity_memories SET text = 'old' WHERE id = 'mem-b'")
        tx.execute("UPDATE continuity_memory_revisions SET revision = revision + 1")
    assert path.exists()
    assert watched.ask("get", id="mem-b")["text"] == "other"


def test_a_replaced_folder_is_recognized_as_another_one(watched: Memories, tmp_path: Path) -> None:
    watched.folder.rename(tmp_path / "away")
    assert watched.ids() == []
    watched.write("shared/durable/z.md", note("mem-z"))
    assert watched.ids() == ["mem-z"]
    shutil.rmtree(watched.folder)
    (tmp_path / "away").rename(watched.folder)
    assert sorted(watched.ids()) == ["mem-a", "mem-b", "mem-c"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_that_replaces_a_file_is_reported_and_not_followed(watched: Memories, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(note("mem-secret"))
    (watched.folder / "shared/durable/b.md").unlink()
    (watched.folder / "shared/durable/b.md").symlink_to(tmp_path / "secret.md")
    assert sorted(watched.ids()) == ["mem-a", "mem-c"]
    assert [project["warning"] for project in watched.ask("status")["warnings"]] == ["A link is not followed."]


@pytest.mark.parametrize("has_exact_events", [False, True])
def test_without_a_watch_every_file_is_checked(
    memories: Memories, monkeypatch: pytest.MonkeyPatch, *, has_exact_events: bool
) -> None:
    opened: list[object] = []

    def refusing(*folders: object) -> None:
        opened.append(folders)
        raise Unwatchable("the file system does not report its changes reliably")

    monkeypatch.setattr("sidecar.memory.files.watch.HAS_EXACT_EVENTS", has_exact_events)
    monkeypatch.setattr("sidecar.memory.files.watch.open_watch", refusing)
    path = memories.write("shared/durable/a.md", note("mem-a", "one"))
    for text in ("two", "three", "four"):
        path.write_text(note("mem-a", text))
        assert memories.ask("get", id="mem-a")["text"] == text
    assert bool(opened) is has_exact_events, "a watch that proves nothing is not opened"


@on_linux
def test_only_a_few_projects_are_watched_and_all_results_are_current(
    sidecar: MemorySidecar, memories_of: Callable[[Path], Memories], tmp_path: Path
) -> None:
    projects = []
    for number in range(MAX_WATCHES + 2):
        (tmp_path / f"p{number}").mkdir()
        projects.append(memories_of(tmp_path / f"p{number}"))
        projects[-1].write("shared/durable/a.md", note("mem-a", "one"))
        for _ in range(3):
            projects[-1].index().refresh()
    for _ in range(200):
        if queues_watching(tmp_path) <= MAX_WATCHES:
            break
        time.sleep(0.01)  # a queue is closed by its own thread
    assert queues_watching(tmp_path) <= MAX_WATCHES
    for project in projects:
        project.write("shared/durable/a.md", note("mem-a", "two"))
        assert project.ask("get", id="mem-a")["text"] == "two"
    assert sidecar.app.process is not None


@on_linux
@pytest.mark.parametrize("questions", [2, 3])
def test_a_watch_ends_with_its_process(sidecar: MemorySidecar, memories: Memories, questions: int) -> None:
    memories.write("shared/durable/a.md", note("mem-a"))
    for _ in range(questions):
        memories.index().refresh()
    assert queues_watching(memories.folder) == 1
    sidecar.close()
    for _ in range(200):
        if queues_watching(memories.folder) == 0:
            break
        time.sleep(0.01)  # a queue is closed by its own thread
    assert queues_watching(memories.folder) == 0


NAMES = st.sampled_from(["a", "b", "c", "d"])
FOLDERS = st.sampled_from(
    ["shared/durable", "shared/daily/2026-03-01", "dev/durable/deep/er", "archive/shared/durable"]
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "append", "replace", "delete", "rename", "link", "chmod", "move", "remove", "other"]),
        FOLDERS,
        NAMES,
        NAMES,
    ),
    max_size=8,
)


@on_linux
@settings(max_examples=examples(60, 15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(STEPS, min_size=1, max_size=4))
def test_a_full_scan_finds_nothing_that_the_watch_did_not_report(
    rounds: list[list[tuple[str, str, str, str]]], memories: Memories
) -> None:
    process = memories.sidecar.app.process
    assert process is not None
    shutil.rmtree(memories.folder, ignore_errors=True)
    memories.write("shared/durable/a.md", note("mem-a"))
    index = memory_index_of(process, process.workspaces.get(str(memories.project), None))
    for _ in range(3):
        index.refresh()
    for steps in rounds:
        for number, step in enumerate(steps):
            _do(memories, number, *step)
        refreshed = index.refresh()
        full = index.rescan()
        assert (full.changed, full.removed) == ((), ()), steps
        assert (full.files, full.warnings) == (refreshed.files, refreshed.warnings)


def _do(memories: Memories, number: int, step: str, folder: str, name: str, other: str) -> None:
    path = memories.folder / folder / f"{name}.md"
    target = memories.folder / folder / f"{other}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    if step == "write":
        path.unlink(missing_ok=True)
        path.write_text(note(f"mem-{name}", f"{number}"))
    elif step == "append" and path.is_file():
        with path.open("a") as file:
            file.write(f"More {number}.\n")
    elif step == "replace":
        path.with_name(".onecode-1-1.new").write_text(note(f"mem-{name}", f"new {number}"))
        path.with_name(".onecode-1-1.new").rename(path)
    elif step == "delete":
        path.unlink(missing_ok=True)
    elif step == "rename" and path.is_file():
        path.rename(target)
    elif step == "link":
        path.unlink(missing_ok=True)
        path.symlink_to(memories.project / "elsewhere.md")
    elif step == "chmod" and path.is_file() and not path.is_symlink():
        path.chmod(0o600 if number % 2 else 0o644)
    elif step == "move":
        moved = memories.folder / "shared/durable" / f"moved-{other}"
        moved.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(moved, ignore_errors=True)
        if path.parent != moved.parent:
            path.parent.rename(moved)
    elif step == "remove":
        shutil.rmtree(path.parent)
    else:
        path.with_suffix(".txt").write_text("no memory")
