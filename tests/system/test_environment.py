"""Tests of the environment of child processes and of the state folders."""

import sys
from pathlib import Path

import pytest

from sidecar.system import environment


def test_child_processes_do_not_see_variables_of_the_frozen_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/frozen/_internal")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/local/lib")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", "/frozen/_internal")
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "/frozen/program")
    child = environment.child_environment({"GIT_OPTIONAL_LOCKS": "0"})
    assert child["LD_LIBRARY_PATH"] == "/usr/local/lib"
    assert child["GIT_OPTIONAL_LOCKS"] == "0"
    assert not {"DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH_ORIG", "_PYI_ARCHIVE_FILE"} & child.keys()


def test_the_users_library_path_is_preserved_when_run_from_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")
    assert environment.child_environment()["LD_LIBRARY_PATH"] == "/opt/lib"


def test_a_windows_program_is_found_on_the_path_alone_and_by_the_endings_of_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Npm installs `claude`, a script for other shells, beside `claude.cmd`."""
    for file in ("project/git.exe", "project/claude.cmd", "npm/claude", "npm/claude.cmd", "git/git.exe"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path / "project")
    folders = ["", ".", str(tmp_path / "none"), f'"{tmp_path / "npm"}"', str(tmp_path / "git")]

    def found(name: str, *extensions: str) -> str | None:
        path = environment.program_on_path(name, folders, extensions)
        return None if path is None else Path(path).relative_to(tmp_path).as_posix()

    assert found("claude", ".exe", ".cmd") == "npm/claude.cmd"
    assert found("claude.CMD".lower(), ".EXE", ".CMD") == "npm/claude.cmd"
    assert found("git", ".exe") == "git/git.exe"
    assert found("claude", ".exe", ".cmd", "") == "npm/claude.cmd", "PATHEXT may end with a semicolon"
    assert found("codex", ".exe", ".cmd") is None


def test_environment_returns_a_copy() -> None:
    environment.environment()["ONECODE_PROBE"] = "1"
    assert "ONECODE_PROBE" not in environment.environment()


def test_the_command_line_state_is_in_the_platforms_user_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    folder = environment.user_state_folder()
    assert folder.name == environment.PROGRAM_FOLDER
    assert folder.is_absolute()
