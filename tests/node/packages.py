"""The npm packages of the Node tests, installed when they are missing or the lock file changed."""

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
LOCKED = ("package.json", "package-lock.json")
STAMP = ".installed-from"
INSTALL_SECONDS = 600


@functools.cache
def node_modules(folder: Path = HERE) -> Path:
    """Return the folder of a package's dependencies. Without Node or npm the test is skipped, and fails in CI."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip_or_fail(f"{program} is not installed; the tests of the TypeScript client need Node 20 with npm")
    if not is_installed(folder):
        _install(folder)
    return folder / "node_modules"


def skip_or_fail(what: str) -> None:
    """Skip the test, or fail it in CI, where nothing may be missing."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def is_installed(folder: Path) -> bool:
    """Whether a package's dependencies are those of its lock file."""
    stamp = folder / "node_modules" / STAMP
    return stamp.exists() and stamp.read_text() == _digest(folder)


def _digest(folder: Path) -> str:
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in LOCKED)).hexdigest()


def _install(folder: Path) -> None:
    """Install into a temporary folder and swap it in, so that an interrupted install leaves nothing incomplete."""
    with tempfile.TemporaryDirectory(prefix="node_modules.", dir=folder) as name:
        fresh = Path(name)
        for file in LOCKED:
            shutil.copy(folder / file, fresh / file)
        shutil.copy(HERE / ".npmrc", fresh / ".npmrc")
        _show("npm ci: installing what the Node tests need …")
        command = [str(shutil.which("npm")), "ci", "--no-progress"]
        done = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            skip_or_fail(f"npm ci failed with status {done.returncode}:\n{done.stdout}{done.stderr}")
        (fresh / "node_modules" / STAMP).write_text(_digest(folder))
        _swap(fresh / "node_modules", fresh / "old", folder)
        _show("npm ci: done")


def _swap(new: Path, old: Path, folder: Path) -> None:
    modules = folder / "node_modules"
    try:
        if modules.exists():
            modules.rename(old)
        new.rename(modules)
    except OSError:
        if not is_installed(folder):  # otherwise another run was first
            raise


def _show(text: str) -> None:
    """Show progress on the terminal, past pytest's capture."""
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            print(text, file=terminal, flush=True)
    except OSError:
        print(text, file=sys.stderr, flush=True)
