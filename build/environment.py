"""The environment the build scripts work in: `.venv`, made from requirements.lock and never seen half made.

Real environments are `.venvs/<digest>-<attempt>/`; `.venv` is a link to one of them, swapped in one step after
the stamp that is written last. An attempt that was interrupted has no stamp and is removed by the next one.
Written for older Pythons too, so that they can say in one sentence what is missing.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
ENVIRONMENTS = ROOT / ".venvs"
LOCK_FILE = ROOT / "requirements.lock"
PROJECT_FILE = ROOT / "pyproject.toml"
SETUP_LOG = ENVIRONMENTS / "setup.log"
STAMP = "complete"
OLDEST_PYTHON = (3, 11)
TOLD_LINES = 8
"""So many of the last lines of an installation that failed are shown; all are in its log."""

_SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
_SUFFIX = ".exe" if sys.platform == "win32" else ""


def program(name: str) -> Path:
    """Names a program of the environment, for example `python` or `ruff`."""
    return VENV / _SCRIPTS / (name + _SUFFIX)


def say(text: str) -> None:
    """Shows progress on stderr, so that stdout stays free for results."""
    print(text, file=sys.stderr, flush=True)


def stop(sentence: str) -> None:
    """Ends the script with status 2 and one sentence."""
    say(sentence)
    sys.exit(2)


def ensure() -> None:
    """Makes `.venv` what requirements.lock says; returns at once when it is that already."""
    _require_programs()
    digest = _digest()
    if _is_right(digest):
        return
    ENVIRONMENTS.mkdir(exist_ok=True)
    with only_one(ENVIRONMENTS / "lock", "setup"):
        if _is_right(digest):
            return
        ready = [folder for folder in _complete() if folder.name.startswith(digest)]
        target = ready[0] if ready else _make(ENVIRONMENTS / f"{digest}-{_token()}")
        _point_venv_at(target)
        _prune(target)
    say(f"setup: .venv is ready ({target.relative_to(ROOT).as_posix()}).")


def run_tool(arguments: Sequence[str | Path]) -> int:
    """Runs a program in the repository's root and gives its exit status."""
    return subprocess.run([os.fspath(part) for part in arguments], cwd=ROOT, check=False).returncode


def put_in_place(fresh: Path, place: Path) -> None:
    """Moves `fresh` to `place` in one step and removes what was there.

    Where the system cannot exchange two folders (Windows), `place` is missing between two renames.
    """
    old = fresh.with_name(f"replaced-{_token()}")
    if not os.path.lexists(place) or (place.is_symlink() and fresh.is_symlink()):
        os.replace(fresh, place)
        return
    if _exchange(fresh, place):
        fresh.rename(old)
    else:
        place.rename(old)
        fresh.rename(place)
    remove(old)


def remove(path: Path) -> None:
    """Removes a file, a folder, or a link without what it points to; what is in use stays for the next time."""
    with contextlib.suppress(OSError):
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            with contextlib.suppress(OSError):
                path.rmdir()  # a directory junction, or empty
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def only_one(path: Path, verb: str) -> Iterator[None]:
    """Lets one script at a time do something; the system takes the lock back when its holder dies."""
    with path.open("a+b") as lock:
        if not _try_lock(lock.fileno()):
            say(f"{verb}: waiting for another {verb} to finish ...")
            while not _try_lock(lock.fileno()):
                time.sleep(0.2)
        yield


def _require_programs() -> None:
    missing = [name for name, command in (("git", "git"), ("Node", "node")) if shutil.which(command) is None]
    if importlib.util.find_spec("ensurepip") is None:
        missing.insert(0, "Python's venv module (on Debian and Ubuntu the package python3-venv)")
    if sys.version_info < OLDEST_PYTHON:
        missing.insert(
            0, f"Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or newer (this is {platform.python_version()})"
        )
    if missing:
        stop(f"Please install {' and '.join(missing)}, then run this again.")


def _digest() -> str:
    """Identifies an environment: the lock, what of the project is installed, the Python, and the place."""
    import tomllib

    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    installed = [project["project"], project["build-system"], project["tool"]["setuptools"]]
    python = [platform.python_implementation(), platform.python_version(), sys.platform, platform.machine()]
    told = LOCK_FILE.read_bytes() + repr((installed, python, os.fspath(ROOT))).encode()
    return hashlib.sha256(told).hexdigest()[:16]


def _is_right(digest: str) -> bool:
    target = VENV.resolve()
    named = target.parent == ENVIRONMENTS and target.name.startswith(digest)
    return named and (VENV / STAMP).exists() and program("python").exists()


def _complete() -> list[Path]:
    """Lists the environments that were made completely, the newest first."""
    stamps = sorted(ENVIRONMENTS.glob(f"*/{STAMP}"), key=lambda stamp: stamp.stat().st_mtime, reverse=True)
    return [stamp.parent for stamp in stamps if (stamp.parent / _SCRIPTS / f"python{_SUFFIX}").exists()]


def _make(target: Path) -> Path:
    python = target / _SCRIPTS / f"python{_SUFFIX}"
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--no-deps"]
    _step("making a virtual environment", [sys.executable, "-m", "venv", target])
    packages = [*pip, "--require-hashes", "-r", LOCK_FILE]
    _step("installing the packages of requirements.lock", packages, ", which takes a minute")
    _step("installing the project", [*pip, "--no-build-isolation", "--editable", ROOT])
    (target / STAMP).write_text(f"{time.strftime('%Y-%m-%d')}\n", encoding="utf-8")
    return target


def _step(what: str, arguments: Sequence[str | Path], how_long: str = "") -> None:
    """Runs a step in one line on the screen; all that it says goes into the log, whose end is shown where it fails."""
    say(f"setup: {what}{how_long} ...")
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
    with SETUP_LOG.open("wb") as log:
        command = [os.fspath(part) for part in arguments]
        done = subprocess.run(command, cwd=ROOT, env=clean, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        lines = SETUP_LOG.read_text(encoding="utf-8", errors="replace").splitlines()
        say("\n".join(f"  {line}" for line in lines[-TOLD_LINES:]))
        log_name = SETUP_LOG.relative_to(ROOT).as_posix()
        stop(f"Setup stopped while {what}; all that it said is in {log_name}, and .venv is as it was before.")


def _point_venv_at(target: Path) -> None:
    fresh = ENVIRONMENTS / f"link-{_token()}"
    if sys.platform == "win32":
        subprocess.run(
            ["cmd", "/c", "mklink", "/J", os.fspath(fresh), os.fspath(target)], check=True, stdout=sys.stderr
        )
    else:
        fresh.symlink_to(target.relative_to(VENV.parent))
    put_in_place(fresh, VENV)


def _prune(current: Path) -> None:
    """Keeps the current environment and the one before it, which a running program may still read from."""
    kept = {current, *[folder for folder in _complete() if folder != current][:1]}
    for path in ENVIRONMENTS.iterdir():
        if path not in kept and path.name != "lock":
            remove(path)


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two paths in one step; False where the system has no such call."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            swap = 2  # RENAME_SWAP of <sys/stdio.h>
            return bool(libc.renamex_np(os.fsencode(one), os.fsencode(other), swap) == 0)
        here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of <linux/fs.h>
        return bool(libc.renameat2(here, os.fsencode(one), here, os.fsencode(other), swap) == 0)
    except (AttributeError, OSError, TypeError):
        return False


def _try_lock(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _token() -> str:
    return uuid.uuid4().hex[:8]
