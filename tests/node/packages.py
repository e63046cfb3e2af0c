"""The npm packages the Node tests need, installed when they are missing or the lock file changed."""

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
MODULES = HERE / "node_modules"
STAMP = MODULES / ".installed-from"
LOCKED = ("package.json", "package-lock.json")
INSTALL_SECONDS = 300


@functools.cache
def node_modules() -> Path:
    """Gives the folder of installed packages; without Node or npm it skips the test, and fails it in CI."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            absent(f"{program} is not installed; the tests of the TypeScript client need Node 20 with npm")
    wanted = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in LOCKED)).hexdigest()
    if not _installed(wanted):
        _install(wanted)
    return MODULES


def absent(what: str) -> None:
    """Skips the test, or fails it in CI, where nothing may be missing."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def _installed(wanted: str) -> bool:
    return STAMP.exists() and STAMP.read_text() == wanted


def _install(wanted: str) -> None:
    """Installs into a folder of its own and swaps it in whole, so that an interrupted install leaves nothing half."""
    with tempfile.TemporaryDirectory(prefix="node_modules.", dir=HERE) as name:
        fresh = Path(name)
        for file in (*LOCKED, ".npmrc"):
            shutil.copy(HERE / file, fresh / file)
        _say("npm ci: installing what the Node tests need …")
        command = [str(shutil.which("npm")), "ci", "--no-progress"]
        done = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            absent(f"npm ci failed with status {done.returncode}:\n{done.stdout}{done.stderr}")
        (fresh / "node_modules" / STAMP.name).write_text(wanted)
        _swap(fresh / "node_modules", fresh / "old", wanted)
        _say("npm ci: done")


def _swap(new: Path, old: Path, wanted: str) -> None:
    try:
        if MODULES.exists():
            MODULES.rename(old)
        new.rename(MODULES)
    except OSError:
        if not _installed(wanted):  # otherwise another run was first
            raise


def _say(text: str) -> None:
    """Shows progress past pytest's capture, where there is a terminal to show it on."""
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            print(text, file=terminal, flush=True)
    except OSError:
        print(text, file=sys.stderr, flush=True)
