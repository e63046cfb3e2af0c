"""The frozen program, built once per test run (and not at all when nothing has changed since the last build)."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = "onecode-sidecar.exe" if sys.platform == "win32" else "onecode-sidecar"
BUILD_SECONDS = 600


@pytest.fixture(scope="session")
def built() -> Path:
    """The program built by build/freeze.py. Without PyInstaller the tests are skipped, and fail in CI."""
    if importlib.util.find_spec("PyInstaller") is None:
        absent = "PyInstaller is not installed; `python3 build/setup.py` installs it"
        if os.environ.get("CI"):
            pytest.fail(absent)
        pytest.skip(absent)
    command = [sys.executable, str(ROOT / "build" / "freeze.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return ROOT / ".frozen" / "onecode-sidecar" / NAME


@pytest.fixture(scope="session")
def program(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program copied to a path with spaces and non-ASCII letters, as a user's folder may have."""
    folder = tmp_path_factory.mktemp("installed") / "Pröba Ωmega 名前 & söhne" / "bin dir"
    shutil.copytree(built.parent, folder, symlinks=True)
    return folder / NAME
