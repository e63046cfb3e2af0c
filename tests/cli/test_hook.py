"""`onecode-sidecar hook install`: the user's settings are changed only when asked, and come back as they were."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Command, run_command

SETTINGS = '{\r\n   "model": "opus",\r\n   "permissions": {"allow": ["Bash(ls)"]}\r\n}'


@pytest.fixture
def claude_home(tmp_path: Path) -> Path:
    """Claude Code's own folder, with settings of the user's."""
    folder = tmp_path / "claude"
    folder.mkdir()
    (folder / "settings.json").write_bytes(SETTINGS.encode())
    return folder


@pytest.fixture
def command(tmp_path: Path, claude_home: Path) -> Command:
    """`onecode-sidecar hook`."""
    here = str(tmp_path)
    return lambda *arguments, **options: run_command(
        "hook", *arguments, cwd=tmp_path, temporary=tmp_path, CLAUDE_CONFIG_DIR=str(claude_home), HOME=here,
        XDG_STATE_HOME=here, XDG_CONFIG_HOME=here, APPDATA=here, LOCALAPPDATA=here, **options,
    )  # fmt: skip


def test_without_a_word_of_agreement_the_change_is_shown_and_not_made(command: Command, claude_home: Path) -> None:
    done = command("install")
    assert done.returncode == 1
    assert b"+" in done.stderr
    assert b"hook UserPromptSubmit" in done.stderr
    assert [path.name for path in claude_home.iterdir()] == ["settings.json"]
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()


def test_installed_twice_and_taken_out_the_settings_are_the_same_bytes(
    told: Callable[..., str], claude_home: Path
) -> None:
    file = claude_home / "settings.json"
    assert "changed" in told("install", "--yes")
    installed = file.read_bytes()
    assert installed.startswith(SETTINGS.encode()[:-4])
    assert b"\n" not in installed.replace(b"\r\n", b"")
    assert "unchanged" in told("install", "--yes")
    assert file.read_bytes() == installed
    assert json.loads(told("status", "--json"))["events"] == [
        "SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop",
    ]  # fmt: skip
    told("uninstall", "--yes")
    assert file.read_bytes() == SETTINGS.encode()
    assert [path.name for path in claude_home.iterdir()] == ["settings.json"]


def test_what_the_user_changed_since_is_kept(told: Callable[..., str], claude_home: Path) -> None:
    file = claude_home / "settings.json"
    told("install", "--yes")
    file.write_text(file.read_text().replace("opus", "sonnet"))
    told("uninstall", "--yes")
    assert json.loads(file.read_text()) == {"model": "sonnet", "permissions": {"allow": ["Bash(ls)"]}}


def test_where_there_were_no_settings_there_are_none_again(told: Callable[..., str], claude_home: Path) -> None:
    (claude_home / "settings.json").unlink()
    told("install", "--yes", "--mode", "active")
    assert len(json.loads((claude_home / "settings.json").read_text())["hooks"]) == 5
    told("uninstall", "--yes")
    assert list(claude_home.iterdir()) == []


def test_a_projects_settings_are_the_projects(told: Callable[..., str], claude_home: Path, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    told("install", "--project", str(shop), "--yes")
    installed = json.loads((shop / ".claude" / "settings.json").read_text())
    ((group,), timeout) = installed["hooks"]["Stop"], 5
    assert group["hooks"] == [{"type": "command", "command": group["hooks"][0]["command"], "timeout": timeout}]
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()


@pytest.mark.skipif(sys.platform == "win32", reason="a program is found by its ending there")
def test_settings_that_others_share_name_no_path_of_this_machine(told: Callable[..., str], tmp_path: Path) -> None:
    program = tmp_path / "bin" / "onecode-sidecar"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    told("install", "--project", str(tmp_path), "--yes", PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    installed = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    assert installed["hooks"]["Stop"][0]["hooks"][0]["command"] == "onecode-sidecar hook Stop"


def test_settings_that_are_not_json_are_left_alone(command: Command, claude_home: Path) -> None:
    (claude_home / "settings.json").write_text("// mine\n{}")
    done = command("install", "--yes")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"not JSON" in done.stderr
    assert (claude_home / "settings.json").read_text() == "// mine\n{}"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_settings_that_are_a_link_stay_one(told: Callable[..., str], claude_home: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles.json"
    (claude_home / "settings.json").rename(dotfiles)
    os.symlink(dotfiles, claude_home / "settings.json")
    told("install", "--yes")
    assert (claude_home / "settings.json").is_symlink()
    assert b"hook Stop" in dotfiles.read_bytes()
