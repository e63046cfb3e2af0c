"""Tests of the process registry: an entry lives exactly as long as its process."""

import os
from pathlib import Path

import pytest

from sidecar.system.running_sidecars import FOLDER, ProcessRegistration, running_processes


def test_a_registered_process_is_listed_until_it_closes(tmp_path: Path) -> None:
    first, second = ProcessRegistration(tmp_path, {"client": "one"}), ProcessRegistration(tmp_path, {"client": "two"})
    assert sorted(str(entry["client"]) for entry in running_processes(tmp_path)) == ["one", "two"]
    first.close()
    assert running_processes(tmp_path) == [{"pid": os.getpid(), "client": "two"}]
    second.close()
    second.close()
    assert running_processes(tmp_path) == []


def test_entries_of_dead_processes_are_removed_and_unfinished_ones_are_not(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / "1-1.json").write_bytes(b'{"pid":1}')
    (folder / "2-1.json").write_bytes(b"")
    assert running_processes(tmp_path) == []
    assert [path.name for path in folder.iterdir()] == ["2-1.json"]


def test_a_failed_registration_is_ignored(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file stands in the folder's place")
    ProcessRegistration(tmp_path, {}).close()
    assert running_processes(tmp_path) == []


def test_a_folder_that_may_not_be_entered_shows_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, _pattern: str) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "glob", refuse)
    assert running_processes(tmp_path) == []
