"""`onecode-sidecar hook install`: the user's settings change only with consent, and can be restored."""

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sidecar.cli import hook_daemon, hook_install
from sidecar.cli.output import CommandFailed
from sidecar.integrations import HOOK_EVENTS, installed_events, with_hooks
from sidecar.runs.model import Provider
from tests.support.command import Command, run_command

SETTINGS = '{\r\n   "model": "opus",\r\n   "permissions": {"allow": ["Bash(ls)"]}\r\n}'


@pytest.fixture
def claude_home(tmp_path: Path) -> Path:
    """Claude Code's folder, with settings of the user."""
    folder = tmp_path / "claude"
    folder.mkdir()
    (folder / "settings.json").write_bytes(SETTINGS.encode())
    return folder


@pytest.fixture
def command(tmp_path: Path, claude_home: Path) -> Command:
    """`onecode-sidecar hook`."""
    here = str(tmp_path)
    return lambda *arguments, **options: run_command(
        "hook", *arguments, cwd=tmp_path, temporary=tmp_path, CLAUDE_CONFIG_DIR=str(claude_home),
        CODEX_HOME=str(tmp_path / "codex"), HOME=here,
        XDG_STATE_HOME=here, XDG_CONFIG_HOME=here, APPDATA=here, LOCALAPPDATA=here, **options,
    )  # fmt: skip


def test_without_confirmation_the_change_is_shown_and_not_made(command: Command, claude_home: Path) -> None:
    done = command("install")
    assert done.returncode == 1
    assert b"+" in done.stderr
    assert b"hook UserPromptSubmit" in done.stderr
    assert [path.name for path in claude_home.iterdir()] == ["settings.json"]
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()


def test_uninstall_after_two_installs_restores_the_exact_bytes(
    output_of: Callable[..., str], claude_home: Path
) -> None:
    file = claude_home / "settings.json"
    assert "changed" in output_of("install", "--yes")
    installed = file.read_bytes()
    assert installed.startswith(SETTINGS.encode()[:-4])
    assert b"\n" not in installed.replace(b"\r\n", b"")
    again = output_of("install", "--yes")
    assert "unchanged" in again
    assert again.endswith("Set it with `onecode-sidecar settings mode active`.\n")
    assert file.read_bytes() == installed
    (claude,) = json.loads(output_of("status", "--json"))["agents"]
    assert claude["events"] == ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop"]
    output_of("uninstall", "--yes")
    assert file.read_bytes() == SETTINGS.encode()
    assert [path.name for path in claude_home.iterdir()] == ["settings.json"]


def test_uninstall_preserves_later_changes_by_the_user(output_of: Callable[..., str], claude_home: Path) -> None:
    file = claude_home / "settings.json"
    output_of("install", "--yes")
    file.write_text(file.read_text().replace("opus", "sonnet"))
    output_of("uninstall", "--yes")
    assert json.loads(file.read_text()) == {"model": "sonnet", "permissions": {"allow": ["Bash(ls)"]}}


def test_install_reports_that_nothing_is_sent_yet(output_of: Callable[..., str]) -> None:
    assert "Set it with `onecode-sidecar settings mode active`." in output_of("install", "--yes")
    forced = output_of("install", "--yes", ONECODE_CONTINUITY_MODE="passive")
    assert "ONECODE_CONTINUITY_MODE sets a mode other than `active`" in forced


def test_uninstall_removes_a_settings_file_that_install_created(
    output_of: Callable[..., str], claude_home: Path
) -> None:
    (claude_home / "settings.json").unlink()
    assert "Nothing is sent" not in output_of("install", "--yes", "--mode", "active")
    assert len(json.loads((claude_home / "settings.json").read_text())["hooks"]) == 5
    output_of("uninstall", "--yes")
    assert list(claude_home.iterdir()) == []


def test_the_project_option_changes_the_projects_settings(
    output_of: Callable[..., str], claude_home: Path, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    output_of("install", "--project", str(shop), "--yes")
    installed = json.loads((shop / ".claude" / "settings.json").read_text())
    ((group,), timeout) = installed["hooks"]["Stop"], 5
    assert group["hooks"] == [{"type": "command", "command": group["hooks"][0]["command"], "timeout": timeout}]
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()
    output_of("uninstall", "--project", str(shop), "--yes")
    assert list(shop.iterdir()) == [], "the folder that install created is removed with its file"


@pytest.mark.skipif(sys.platform == "win32", reason="a program is found by its ending there")
def test_shared_settings_contain_no_local_path(output_of: Callable[..., str], tmp_path: Path) -> None:
    program = tmp_path / "bin" / "onecode-sidecar"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    output_of("install", "--project", str(tmp_path), "--yes", PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    installed = json.loads((tmp_path / ".claude" / "settings.json").read_text())
    assert installed["hooks"]["Stop"][0]["hooks"][0]["command"] == "onecode-sidecar hook Stop"


def test_settings_that_are_not_json_are_not_changed(command: Command, claude_home: Path) -> None:
    (claude_home / "settings.json").write_text("// mine\n{}")
    done = command("install", "--yes")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"not JSON" in done.stderr
    assert (claude_home / "settings.json").read_text() == "// mine\n{}"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_a_symbolic_link_to_settings_stays_a_link(
    output_of: Callable[..., str], claude_home: Path, tmp_path: Path
) -> None:
    dotfiles = tmp_path / "dotfiles.json"
    (claude_home / "settings.json").rename(dotfiles)
    os.symlink(dotfiles, claude_home / "settings.json")
    output_of("install", "--yes")
    assert (claude_home / "settings.json").is_symlink()
    assert b"hook Stop" in dotfiles.read_bytes()


def test_codex_is_connected_where_its_folder_exists(output_of: Callable[..., str], tmp_path: Path) -> None:
    hooks = tmp_path / "codex" / "hooks.json"
    assert str(hooks) not in output_of("install", "--yes")
    hooks.parent.mkdir()
    shown = output_of("install", "--yes")
    assert "trust them" in shown
    installed = json.loads(hooks.read_text())["hooks"]
    assert installed["PostToolUse"][0]["matcher"] == "apply_patch"
    assert all(group["hooks"][0]["command"].endswith(f" hook {event} codex") for event, (group,) in installed.items())
    assert "trust them" not in output_of("install", "--yes")
    output_of("uninstall", "--agent", "codex", "--yes")
    assert list(hooks.parent.iterdir()) == []
    assert "hook Stop" in output_of("install", "--agent", "codex", "--project", str(tmp_path), "--yes")
    assert json.loads((tmp_path / ".codex" / "hooks.json").read_text())["hooks"] == installed


def test_a_command_line_is_read_alike_by_every_shell_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    def line(path: str, agent: Provider = "codex", *, is_on_path: bool = False) -> str:
        return hook_install.command_line([path], agent, is_windows=True, is_on_path=is_on_path)

    plain, spaced = r"C:\Users\ada\bin\onecode-sidecar.exe", r"C:\Program Files\x\onecode-sidecar.exe"
    assert line(plain) == plain
    assert line(plain.replace("ada", "Jörg")) == plain.replace("ada", "Jörg")
    assert line(spaced, "claude") == "'C:/Program Files/x/onecode-sidecar.exe'"
    assert line(spaced, is_on_path=True) == "onecode-sidecar"
    with pytest.raises(CommandFailed, match="spaces"):
        line(spaced)
    monkeypatch.setattr(hook_install, "short_path", lambda path: path.replace("Program Files", "PROGRA~1"))
    written = with_hooks("", line(spaced), "codex")
    assert json.loads(written)["hooks"]["Stop"][0]["hooks"][0]["command"] == (
        r"C:\PROGRA~1\x\onecode-sidecar.exe hook Stop codex"
    )
    assert installed_events(written) == list(HOOK_EVENTS)


def test_one_unreadable_file_leaves_the_other_agents_settings_alone(
    command: Command, claude_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "codex").mkdir()
    (tmp_path / "codex" / "hooks.json").write_text("# mine")
    assert command("install", "--yes").returncode == 1
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()


def test_a_mistyped_project_is_refused_and_not_created(command: Command, tmp_path: Path) -> None:
    for verb in ("install", "uninstall"):
        done = command(verb, "--project", str(tmp_path / "shopp"), "--yes")
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.startswith(b"hook: The project's folder does not exist. (workspaceUnavailable)")
    assert not (tmp_path / "shopp").exists()


def test_stopping_where_nothing_ran_creates_no_folder(output_of: Callable[..., str], tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert output_of("stop") == "No hook's sidecar is running.\n"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="paths are spelled otherwise there")
@pytest.mark.parametrize("place", ["/private/var/folders/x1/AppTranslocation/5C8E/d", "/Volumes/1Code"])
def test_hooks_are_not_installed_for_a_program_that_macos_runs_from_a_passing_place(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], claude_home: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude_home))
    program = f"{place}/1Code.app/Contents/Resources/bin/onecode-sidecar"
    mac = {"platform": "darwin", "frozen": True, "executable": program, "stderr": sys.stderr}
    monkeypatch.setattr("sidecar.cli.hook_install.sys", SimpleNamespace(**mac))
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=0 if "/Disk/" in path else os.ST_RDONLY))
    hook_install._require_lasting_path("/Volumes/Disk/1Code.app/Contents/Resources/bin/onecode-sidecar")
    parser = argparse.ArgumentParser()
    hook_install.add_arguments(parser)
    assert hook_install.run(parser.parse_args(["install", "--agent", "claude", "--yes"])) == 5
    assert capsys.readouterr().err.splitlines() == [
        f"hook: 1Code runs from {program}, where the hooks would not find it later. (policyDenied)",
        "hint: Move 1Code to Applications, open it there, and try again; nothing was changed.",
    ]
    assert (claude_home / "settings.json").read_bytes() == SETTINGS.encode()
    assert hook_install.run(parser.parse_args(["uninstall", "--agent", "claude", "--yes"])) == 0


def test_a_daemon_whose_program_was_replaced_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Server:
        """A server to which clients come all the time."""

        listener: Any = None
        polls = 0

        def quiet_ms(self) -> float:
            self.polls += 1
            if self.polls == 3:
                newer.replace(program)
            assert self.polls < 5, "it goes on"
            return 0.0

    program, newer = tmp_path / "onecode-sidecar", tmp_path / "newer"
    for path in (program, newer):
        path.write_bytes(b"program")
    monkeypatch.setattr(hook_daemon, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    server: Any = Server()
    hook_daemon.serve_until_idle(server, threading.Event(), hook_daemon.program_identity())
    assert server.polls == 3
    program.unlink()
    assert hook_daemon.program_identity() == (0, 0)
