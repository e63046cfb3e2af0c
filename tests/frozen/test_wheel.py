"""The two commands of a terminal user: the wheel installed as a tool outside the repository, then the hooks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600

pytestmark = [pytest.mark.thorough, pytest.mark.slow]


def test_the_installed_wheel_connects_both_agents(tmp_path: Path) -> None:
    release = [sys.executable, str(ROOT / "build" / "release.py"), "--wheel", "--output", str(tmp_path / "release")]
    subprocess.run(release, check=True, capture_output=True, timeout=SECONDS)
    (wheel,) = (tmp_path / "release").glob("*.whl")
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    names = ("HOME", "USERPROFILE", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")
    without = ("PYTHONPATH", "VIRTUAL_ENV", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    inherited = {name: value for name, value in os.environ.items() if name not in without}
    environment = {
        **inherited,
        **dict.fromkeys(names, str(home)),
        "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv")),
        "UV_TOOL_BIN_DIR": str(home / "bin"),
    }

    def output_of(*command: str | Path) -> str:
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    output_of(Path(sys.executable).with_name("uv"), "tool", "install", "--python", sys.executable, wheel)
    program = home / "bin" / f"onecode-sidecar{'.exe' if os.name == 'nt' else ''}"
    assert json.loads(output_of(program, "selfcheck"))["ok"]
    output_of(program, "hook", "install", "--mode", "active", "--yes")
    hooks = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))["hooks"]
    assert str(home) in hooks["Stop"][0]["hooks"][0]["command"].replace("/", os.sep)
    hosts = json.loads(output_of(program, "status", "--json"))["hosts"]
    assert [host["connected"] for host in hosts] == [False, True, True]
