"""A process's sign stands as long as the process lives, and no longer."""

import os
from pathlib import Path

from sidecar.system.process_registry import FOLDER, ProcessRegistration, running_processes


def test_who_is_there_is_told_until_he_goes(tmp_path: Path) -> None:
    first, second = ProcessRegistration(tmp_path, {"client": "one"}), ProcessRegistration(tmp_path, {"client": "two"})
    assert sorted(str(one["client"]) for one in running_processes(tmp_path)) == ["one", "two"]
    first.close()
    assert running_processes(tmp_path) == [{"pid": os.getpid(), "client": "two"}]
    second.close()
    second.close()
    assert running_processes(tmp_path) == []


def test_a_dead_ones_sign_is_removed_and_one_that_is_being_made_is_not(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / "1-1.json").write_bytes(b'{"pid":1}')
    (folder / "2-1.json").write_bytes(b"")
    assert running_processes(tmp_path) == []
    assert [path.name for path in folder.iterdir()] == ["2-1.json"]


def test_where_no_sign_can_be_put_up_there_is_none(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file stands in the folder's place")
    ProcessRegistration(tmp_path, {}).close()
    assert running_processes(tmp_path) == []
