"""A process's sign stands as long as the process lives, and no longer."""

import os
from pathlib import Path

from sidecar.system.process_registry import FOLDER, Presence, present


def test_who_is_there_is_told_until_he_goes(tmp_path: Path) -> None:
    first, second = Presence(tmp_path, {"client": "one"}), Presence(tmp_path, {"client": "two"})
    assert sorted(str(one["client"]) for one in present(tmp_path)) == ["one", "two"]
    first.close()
    assert present(tmp_path) == [{"pid": os.getpid(), "client": "two"}]
    second.close()
    second.close()
    assert present(tmp_path) == []


def test_a_dead_ones_sign_is_removed_and_one_that_is_being_made_is_not(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir()
    (folder / "1-1.json").write_bytes(b'{"pid":1}')
    (folder / "2-1.json").write_bytes(b"")
    assert present(tmp_path) == []
    assert [path.name for path in folder.iterdir()] == ["2-1.json"]


def test_where_no_sign_can_be_put_up_there_is_none(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file stands in the folder's place")
    Presence(tmp_path, {}).close()
    assert present(tmp_path) == []
