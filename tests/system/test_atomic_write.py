"""Files are written whole, below the folder they were meant for, and what killed writers leave is removed."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sidecar.core.errors import SidecarError
from sidecar.memory.files.memory_folder import MemoryFolder
from sidecar.system import atomic_write
from sidecar.system.atomic_write import own_folder, remove_abandoned_files, write_atomic, write_resolved
from tests.support.memory_sidecar import MemorySidecar
from tests.support.process import DEAD_PID, SidecarProcess
from tests.support.repositories import Repository

needs_descriptors = pytest.mark.skipif(sys.platform == "win32", reason="Windows opens no folders: the path is checked")


def temporary(folder: Path, pid: int, age_seconds: float = 0) -> Path:
    path = folder / f".onecode-{pid}-1.new"
    path.write_bytes(b"half")
    at = time.time() - age_seconds
    os.utime(path, (at, at))
    return path


def test_temporary_files_of_dead_writers_are_removed_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as writer:
        dead = [temporary(tmp_path, DEAD_PID), temporary(deep, DEAD_PID, 10**6)]
        reused = temporary(deep, writer.pid, 86_400)
        live = temporary(tmp_path, writer.pid)
        others = [tmp_path / f".onecode-{DEAD_PID}.new", tmp_path / "mine.1-2.new", tmp_path / ".onecode-x-1.new"]
        for path in others:
            path.write_bytes(b"mine")
        remove_abandoned_files(str(tmp_path))
        assert [path.exists() for path in (*dead, reused, live, *others)] == [
            False,
            False,
            False,
            True,
            True,
            True,
            True,
        ]
        writer.communicate(b"\n")
    remove_abandoned_files(str(tmp_path))
    assert not live.exists()


def test_a_rename_that_windows_refuses_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As while a virus scanner has the file open."""
    rename, refusals = os.replace, [PermissionError(13, "Access is denied")] * 2

    def replace(*arguments: Any, **options: Any) -> None:
        if refusals:
            raise refusals.pop()
        rename(*arguments, **options)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(atomic_write, "_REPLACE_WAITS_S", (0.0, 0.0))
    write_atomic(str(tmp_path / "file"), b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    refusals += [PermissionError(13, "Access is denied")] * 3
    with pytest.raises(PermissionError):
        write_atomic(str(tmp_path / "file"), b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_that_somebody_reads_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        timer = threading.Timer(0.05, reader.close)
        timer.start()
        write_atomic(str(path), b"new")
        timer.join()
    assert path.read_bytes() == b"new"


def test_an_earlier_process_with_this_id_is_dead_and_a_file_being_written_stays(tmp_path: Path) -> None:
    left = temporary(tmp_path, os.getpid())
    remove_abandoned_files(str(tmp_path))
    assert not left.exists()

    def parts() -> Any:
        yield b"one"
        remove_abandoned_files(str(tmp_path))
        yield b"two"

    write_atomic(str(tmp_path / "file"), parts())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@needs_descriptors
def test_links_are_not_followed_to_temporary_files(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    left = temporary(outside, DEAD_PID)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    remove_abandoned_files(str(root))
    assert left.exists()


def test_the_next_start_removes_what_a_killed_sidecar_left(
    start_process: Callable[..., SidecarProcess], tmp_path: Path
) -> None:
    first = start_process()
    first.client.initialize()
    state_dir = first.client.state_dir
    project = tmp_path / "project"
    project.mkdir()
    first.client.request("memory/add", {"cwd": str(project), "text": "One."})
    first.popen.kill()
    first.popen.wait()
    (state_dir / "indexes").mkdir(exist_ok=True)
    (project / ".chati" / "backups").mkdir()
    left = [
        temporary(folder, first.popen.pid)
        for folder in (state_dir, state_dir / "indexes", project / ".chati", project / ".chati" / "backups")
    ]
    second = start_process()
    second.client.initialize()
    second.client.request("memory/list", {"cwd": str(project)})
    give_up_at = time.monotonic() + 10
    while any(path.exists() for path in left) and time.monotonic() < give_up_at:
        time.sleep(0.02)
    assert [path for path in left if path.exists()] == []


def test_every_folder_of_ours_loses_what_a_killed_writer_left_when_it_is_next_used(
    make_repository: Callable[..., Repository], open_sidecar: Callable[..., MemorySidecar]
) -> None:
    project = make_repository({"README.md": "A shop.\n"}).path
    sidecar = open_sidecar()
    sidecar.client.initialize()
    folders = [
        project / folder
        for folder in (".chati", ".chati/backups", ".claude/rules/chati-session-lock", ".git/onecode-ralph")
    ]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    (folders[-1] / "add-login.lock").touch()
    left, foreign = [temporary(folder, DEAD_PID) for folder in folders], temporary(project, DEAD_PID)
    for fields in ({"path": "README.md", "purpose": "Describe the shop"}, {"purpose": "Describe it"}):
        sidecar.client.request("registry/put", {"cwd": str(project), "id": "docs/readme", **fields})
    sidecar.client.request("session/activate", {"cwd": str(project)})
    sidecar.client.request("ralph/reset", {"cwd": str(project), "change": "add-login"})
    assert [path for path in left if path.exists()] == []
    assert foreign.exists()


def test_a_folder_of_the_user_loses_what_a_killed_writer_left_when_a_file_is_next_written_there(
    make_repository: Callable[..., Repository], open_sidecar: Callable[..., MemorySidecar]
) -> None:
    registry = "chati.dev/data/entity-registry.yaml"
    project = make_repository({registry: "entities: {}\n", "src/a.py": "A = 1\n"}).path
    sidecar = open_sidecar()
    sidecar.client.initialize(settings={"sessionLockFile": "rules"})
    written = [project, (project / registry).parent]
    left, untouched = [temporary(folder, DEAD_PID) for folder in written], temporary(project / "src", DEAD_PID)
    others = [temporary(folder, os.getppid()) for folder in written]
    entity = {"id": "docs/a", "path": "src/a.py", "type": "doc", "purpose": "Name the letter"}
    sidecar.client.request("registry/put", {"cwd": str(project), **entity})
    sidecar.client.request("session/activate", {"cwd": str(project)})
    assert (project / "CLAUDE.md").exists()
    assert [path for path in left if path.exists()] == []
    assert all(path.exists() for path in (*others, untouched))


def swap(folder: Path, outside: Path) -> None:
    """Put a link in the place of a folder."""
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(outside)


@needs_descriptors
@pytest.mark.parametrize("function", ["replace", "unlink", "rename", "open"])
def test_a_link_swapped_in_between_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    """Whatever call of the system is the last before the swap."""
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    folder = MemoryFolder(project)
    folder.prepare()
    folder.create("shared/durable/a.md", b"a")
    (outside / "a.md").write_bytes(b"the user's")
    real: Any = getattr(os, function)
    state = {"armed": True}

    def swapped(*arguments: Any, **named: Any) -> Any:
        names = [str(argument) for argument in arguments[:1]]
        if state["armed"] and any(name.endswith((".new", "a.md")) for name in names):
            state["armed"] = False
            swap(project / ".chati" / "memories" / "shared" / "durable", outside)
        return real(*arguments, **named)

    monkeypatch.setattr(os, function, swapped)
    for action in (
        lambda: folder.replace("shared/durable/a.md", b"a", b"b"),
        lambda: folder.move("shared/durable/a.md", "shared/daily/b.md"),
        lambda: folder.remove("shared/durable/a.md"),
        lambda: folder.create("shared/durable/c.md", b"c"),
    ):
        with suppress(SidecarError, FileNotFoundError):
            action()
    assert not state["armed"]
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"a.md": b"the user's"}


@needs_descriptors
def test_own_folders_and_resolved_paths_follow_no_link(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    (project / ".chati").symlink_to(outside)
    with pytest.raises(NotADirectoryError), own_folder(str(project), "backups"):
        pass
    with pytest.raises(NotADirectoryError):
        write_resolved(str(project / ".chati" / "x"), b"x")
    assert list(outside.iterdir()) == []


def test_a_read_only_file_that_windows_does_not_replace_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows neither replaces nor deletes a read-only file."""
    target = tmp_path / "settings.json"
    target.write_bytes(b"old")
    target.chmod(0o444)
    replace, unlink = os.replace, os.unlink

    def require_writable(path: str) -> None:
        if not os.stat(path).st_mode & stat.S_IWRITE:
            raise PermissionError(path)

    def replace_as_windows(source: str, path: str, **folders: int | None) -> None:
        require_writable(path)
        replace(source, path, **folders)

    def unlink_as_windows(path: str, **folder: int | None) -> None:
        require_writable(path)
        unlink(path, **folder)

    monkeypatch.setattr(atomic_write, "_ALWAYS_SET", stat.S_IWRITE)
    monkeypatch.setattr(os, "replace", replace_as_windows)
    monkeypatch.setattr(os, "unlink", unlink_as_windows)
    with pytest.raises(PermissionError):
        write_atomic(str(target), b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="fsync reaches the disk there")
def test_a_durable_write_reaches_the_disk_of_a_mac_where_its_file_system_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    calls: list[object] = []

    def synced(_fd: int, command: int) -> None:
        calls.append(command)
        if len(calls) > 2:
            raise OSError(25, "not offered")

    monkeypatch.setattr(atomic_write, "_FULL_SYNC", 51)
    monkeypatch.setattr(fcntl, "fcntl", synced)
    monkeypatch.setattr(os, "fsync", lambda _fd: calls.append("fsync"))
    for _ in range(2):
        write_atomic(str(tmp_path / "a.md"), b"text")
    write_atomic(str(tmp_path / "b.md"), b"text", durable=False)
    assert calls == [51, 51, 51, "fsync", 51, "fsync"], "of the file, then of its folder"
