"""A command finds the user's state and project."""

import sys
from pathlib import Path

import pytest

from sidecar.cli.common_arguments import project_folder, state_folder
from sidecar.cli.output import CommandFailed
from sidecar.system.environment import default_state_folder, state_folders, user_state_folder
from tests.support.command import run_command


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "continuity.db").touch()
    return folder


def test_the_apps_state_folder_precedes_the_command_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    known = state_folders()
    assert known[-1] == user_state_folder()
    beneath = {"win32": "APPDATA", "darwin": "HOME/Library/Application Support"}.get(sys.platform, "XDG_CONFIG_HOME")
    assert known[0] == tmp_path / beneath / "1Code" / "continuity"
    own = made(known[-1])
    assert state_folder(None) == own
    of_app = made(known[0])
    assert state_folder(None) == of_app
    assert state_folder(own) == own


def test_a_folder_without_a_state_file_is_skipped(tmp_path: Path) -> None:
    made(tmp_path / "real")
    with pytest.raises(CommandFailed, match="no state file in"):
        state_folder(tmp_path, [tmp_path / "real"])


def test_a_state_folder_that_may_not_be_entered_is_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "is_file", refuse)
    assert state_folder(None, [tmp_path / "first", tmp_path / "second"]) == tmp_path / "first"
    assert default_state_folder() == str(state_folders()[0])


def test_outside_a_repository_the_project_is_the_folder_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert project_folder(None) == tmp_path
    assert project_folder(Path("inner")) == tmp_path / "inner"


@pytest.mark.parametrize(
    "arguments",
    [
        *(("purge", "--project", ""), ("settings", "mode", "active", "--project", ""), ("mcp", "--project", "")),
        *(("hook", "status", "--project", ""), ("doctor", "--state-dir", "")),
        ("ralph", "task", "--change", "change", "--project", ""),
    ],
)
def test_an_empty_folder_name_does_not_mean_the_current_folder(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = run_command(*arguments, cwd=tmp_path, temporary=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().endswith(f"error: argument {arguments[-2]}: the folder's name is empty\n")
    assert list(tmp_path.iterdir()) == []
