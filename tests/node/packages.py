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
MODULES = HERE / "node_modules"
STAMP = MODULES / ".installed-from"
LOCKED = ("package.json", "package-lock.json")
INSTALL_SECONDS = 300


@functools.cache
def node_modules() -> Path:
    """Return the folder of installed packages. Without Node or npm the test is skipped, and fails in CI."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            skip_or_fail(f"{program} is not installed; the tests of the TypeScript client need Node 20 with npm")
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in LOCKED)).hexdigest()
    if not _installed(digest):
        _install(digest)
    return MODULES


def skip_or_fail(what: str) -> None:
    """Skip the test, or fail it in CI, where nothing may be missing."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


def _installed(digest: str) -> bool:
    return STAMP.exists() and STAMP.read_text() == digest


def _install(digest: str) -> None:
    """Install into a temporary folder and swap it in, so that an interrupted install leaves nothing incomplete."""
    with tempfile.TemporaryDirectory(prefix="node_modules.", dir=HERE) as name:
        fresh = Path(name)
        for file in (*LOCKED, ".npmrc"):
            shutil.copy(HERE / file, fresh / file)
        _show("npm ci: installing what the Node tests need …")
        command = [str(shutil.which("npm")), "ci", "--no-progress"]
        done = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            skip_or_fail(f"npm ci failed with status {done.returncode}:\n{done.stdout}{done.stderr}")
        (fresh / "node_modules" / STAMP.name).write_text(digest)
        _swap(fresh / "node_modules", fresh / "old", digest)
        _show("npm ci: done")


def _swap(new: Path, old: Path, digest: str) -> None:
    try:
        if MODULES.exists():
            MODULES.rename(old)
        new.rename(MODULES)
    except OSError:
        if not _installed(digest):  # otherwise another run was first
            raise


def _show(text: str) -> None:
    """Show progress on the terminal, past pytest's capture."""
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            print(text, file=terminal, flush=True)
    except OSError:
        print(text, file=sys.stderr, flush=True)
