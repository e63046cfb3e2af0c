"""Tests of opening regular files only: without blocking, without following links, up to a limit."""

import ntpath
import os
import posixpath
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sidecar.system.safe_open import (
    RealFolder,
    folder_identity,
    is_link,
    is_same_file,
    open_regular,
    path_below,
    read_below,
    read_if_regular,
    read_regular,
    real_path,
    spelling_below,
)
from tests.support.mac import use_mac_files

ON_UNIX = pytest.mark.skipif(sys.platform == "win32", reason="no file is a pipe or a device there")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_regular(str(path), 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        read_regular(str(path), 4)
    assert read_if_regular(str(path), 4) is None


@ON_UNIX
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC])
def test_a_pipe_is_refused_immediately_even_for_writing(tmp_path: Path, flags: int) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match=r"Not a regular file|No such device"):
        open_regular(str(path), flags)


@ON_UNIX
def test_an_endless_device_is_refused() -> None:
    with pytest.raises(OSError, match="Not a regular file"):
        read_regular("/dev/zero", 1_000)


@ON_UNIX
def test_an_endless_file_of_size_zero_is_read_up_to_the_limit() -> None:
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("no such files here")
    with pytest.raises(OSError, match="too large"):
        read_regular("/proc/self/maps", 100)


@pytest.mark.parametrize(("tag", "expected"), [(0, False), (0xA000000C, True), (0xA0000003, True), (0x9000001A, False)])
def test_on_windows_links_and_junctions_are_links_and_folders_of_a_cloud_drive_are_not(
    tag: int, expected: bool
) -> None:
    status: Any = SimpleNamespace(st_mode=stat.S_IFDIR, st_file_attributes=0x400 | 0x10, st_reparse_tag=tag)
    assert is_link(status) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("c:\\work\\SHOP\\src\\a.ts", "src/a.ts"),
        ("C:/work/shop/..hidden", "..hidden"),
        ("C:\\work\\shopping\\a.ts", None),
        ("C:\\work", None),
        ("D:\\notes.md", None),
    ],
)
def test_a_windows_path_is_below_a_folder_whatever_its_case_and_drive(path: str, expected: str | None) -> None:
    assert path_below("C:\\work\\shop", path, ntpath) == expected


def test_a_path_below_a_folder_is_relative_to_it() -> None:
    found = [
        path_below("/work/shop", path, posixpath) for path in ("/work/shop/a/b.ts", "/work/other", "/work/shop/..a")
    ]
    assert found == ["a/b.ts", None, "..a"]


def test_folders_and_impossible_names_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "a\0b"):
        with pytest.raises(OSError, match=r"."):
            read_regular(str(path), 1_000)


def test_a_link_is_followed_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_regular(str(tmp_path / "link"), 100) == b"secret"
    assert read_if_regular(str(tmp_path / "link"), 100) is None
    with pytest.raises(OSError, match=r"."):
        open_regular(str(tmp_path / "link"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    assert (tmp_path / "file").read_bytes() == b"secret"


def test_a_linked_folder_does_not_lead_out(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key").write_bytes(b"secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "away").symlink_to(tmp_path / "outside", target_is_directory=True)
    assert read_below(str(inside), "away/key", 100) is None
    assert read_below(str(inside), "../outside/key", 100) is None


def test_a_batch_checks_each_folder_once_and_none_that_leads_out(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key").write_bytes(b"secret")
    inside = tmp_path / "inside"
    (inside / "own").mkdir(parents=True)
    (inside / "own" / "file").write_bytes(b"text")
    (inside / "away").symlink_to(tmp_path / "outside", target_is_directory=True)
    checked: set[str] = set()
    assert read_below(str(inside), "own/file", 100, checked) == b"text"
    assert read_below(str(inside), "own/file", 100, checked) == b"text"
    assert read_below(str(inside), "away/key", 100, checked) is None
    assert read_below(str(inside), "away/key", 100, checked) is None
    assert checked == {str(inside / "own")}


def test_a_read_only_file_is_deleted_as_on_other_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_bytes(b"")
    (tmp_path / "a.md").chmod(0o444)
    unlink = os.unlink

    def unlink_as_windows(path: str, *, dir_fd: int | None = None) -> None:
        if not os.stat(path, dir_fd=dir_fd).st_mode & stat.S_IWRITE:
            raise PermissionError(path)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", unlink_as_windows)
    RealFolder(str(tmp_path), None).unlink("a.md")
    assert not (tmp_path / "a.md").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="its list of open files stands for what macOS reports")
def test_a_path_is_spelled_as_macos_reports_it_if_that_leads_to_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    (tmp_path / "till").mkdir()
    (tmp_path / "Till").symlink_to(tmp_path / "till")
    (tmp_path / "other").mkdir()
    reported = {str(tmp_path / "till"): str(tmp_path / "Till" / ".." / "till")}

    def report(fd: int, _command: int, buffer: bytes) -> bytes:
        path = os.readlink(f"/proc/self/fd/{fd}")
        return os.fsencode(reported.get(path, path)).ljust(len(buffer), b"\0")

    monkeypatch.setattr("sidecar.system.safe_open.sys", SimpleNamespace(platform="darwin"))
    for module, name, value in ((os, "O_EVTONLY", 0), (os, "O_SYMLINK", 0), (fcntl, "F_GETPATH", 50)):
        monkeypatch.setattr(module, name, value, raising=False)
    monkeypatch.setattr("fcntl.fcntl", report)
    assert real_path(tmp_path / "Till") == tmp_path / "Till" / ".." / "till"
    assert real_path(tmp_path / "till" / "absent" / "file") == tmp_path / "Till" / ".." / "till" / "absent" / "file"
    for wrong in (str(tmp_path / "other"), str(tmp_path / "absent")):
        reported[str(tmp_path / "till")] = wrong
        assert real_path(str(tmp_path / "Till")) == tmp_path / "till"
    assert real_path("a\0b") is None


def test_on_macos_a_path_below_a_folder_is_spelled_as_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Prices.py").touch()
    (tmp_path / "linked").symlink_to(tmp_path / "src")
    expected = {
        os.path.join("SRC", "prices.py"): os.path.join("src", "Prices.py"),
        os.path.join("src", "Removed.py"): os.path.join("src", "Removed.py"),
        os.path.join("linked", "Prices.py"): os.path.join("linked", "Prices.py"),
    }
    use_mac_files(monkeypatch)
    assert {path: spelling_below(str(tmp_path), path) for path in expected} == expected


def test_two_paths_of_one_folder_are_the_same_and_a_link_is_not(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert is_same_file(tmp_path / "folder", tmp_path / "link" / ".." / "folder")
    assert not is_same_file(tmp_path / "folder", tmp_path / "link")
    assert not is_same_file(tmp_path / "absent", tmp_path / "absent")


def test_on_macos_the_number_of_a_disk_identifies_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk has another one after each start."""
    before = folder_identity(str(tmp_path))
    use_mac_files(monkeypatch)
    status = os.lstat(tmp_path)
    mounted = [SimpleNamespace(st_mode=status.st_mode, st_ino=status.st_ino, st_dev=device) for device in (7, 8)]
    with monkeypatch.context() as patched:
        patched.setattr("sidecar.system.safe_open.os.lstat", lambda _path: mounted.pop())
        first, second = folder_identity(str(tmp_path)), folder_identity(str(tmp_path))
    assert first is not None
    assert first == second
    assert before is not None
    assert (before.device, before.number) == (str(status.st_dev), first.number)


def test_only_on_macos_a_file_that_is_in_the_cloud_alone_is_not_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text")
    in_cloud = SimpleNamespace(st_mode=path.stat().st_mode, st_size=4, st_flags=0x40000000)

    def read() -> list[bytes | None]:
        folder = str(tmp_path)
        return [read_below(folder, "file", 10, may_download=may_download) for may_download in (True, False)]

    for platform, status, expected in (
        ("darwin", in_cloud, [b"text", None]), ("linux", in_cloud, [b"text", b"text"]),
        ("darwin", path.stat(), [b"text", b"text"]),
    ):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr("sidecar.system.safe_open.sys", SimpleNamespace(platform=platform))
            patched.setattr("sidecar.system.safe_open.spelling_on_disk", str)
            patched.setattr("sidecar.system.safe_open.os.fstat", lambda _fd, status=status: status)
            assert (platform, read()) == (platform, expected)
