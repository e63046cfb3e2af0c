"""The build scripts' environment: `.venv`, created from requirements.lock and replaced atomically.

Real environments are `.venvs/<digest>-<attempt>/`. `.venv` is a link to one of them; it is swapped in one step after
the stamp is written last. An interrupted attempt has no stamp and is removed by the next one. The module also runs on
older Pythons, so that it can report in one sentence what is missing.
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
    from collections.abc import Generator, Sequence

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
ENVIRONMENTS = ROOT / ".venvs"
LOCK_FILE = ROOT / "requirements.lock"
PROJECT_FILE = ROOT / "pyproject.toml"
SETUP_LOG = ENVIRONMENTS / "setup.log"
STAMP = "complete"
OLDEST_PYTHON = (3, 11)
LOG_TAIL_LINES = 8
"""Number of last lines shown of a failed installation; its log has all of them."""

_COMPILED_WHEN_USED = r"site-packages[/\\](pip|pygments|PyInstaller|selenium|setuptools|trio)[/\\]"
"""Half of the packages' source text, of which few modules are ever used."""

_SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
_SUFFIX = ".exe" if sys.platform == "win32" else ""


def program(name: str) -> Path:
    """Return the path of a program of the environment, for example `python` or `ruff`."""
    return VENV / _SCRIPTS / (name + _SUFFIX)


def print_progress(text: str) -> None:
    """Print progress on stderr, so that stdout stays free for results."""
    print(text, file=sys.stderr, flush=True)


def exit_with_error(sentence: str) -> None:
    """Exit with status 2 and one sentence."""
    print_progress(sentence)
    sys.exit(2)


def ensure() -> None:
    """Make `.venv` match requirements.lock; return immediately if it does."""
    _require_programs()
    digest = _digest()
    if _is_current(digest):
        return
    ENVIRONMENTS.mkdir(exist_ok=True)
    with script_lock(ENVIRONMENTS / "lock", "setup"):
        if _is_current(digest):
            return
        ready = [folder for folder in _complete() if folder.name.startswith(digest)]
        target = ready[0] if ready else _make(ENVIRONMENTS / f"{digest}-{_token()}")
        _point_venv_at(target)
        _prune(target)
    print_progress(f"setup: .venv is ready ({target.relative_to(ROOT).as_posix()}).")


def run_tool(arguments: Sequence[str | Path]) -> int:
    """Run a program in the repository's root and return its exit status."""
    return subprocess.run([os.fspath(part) for part in arguments], cwd=ROOT, check=False).returncode


def replace_path(fresh: Path, place: Path) -> None:
    """Move `fresh` to `place` in one step and remove the previous content.

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
    """Remove a file, a folder, or a link without its target; what is in use is left for the next time."""
    with contextlib.suppress(OSError):
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            with contextlib.suppress(OSError):
                path.rmdir()  # a directory junction, or empty
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def script_lock(path: Path, verb: str) -> Generator[None]:
    """Hold a lock between scripts; the system releases it when its holder dies."""
    with path.open("a+b") as lock:
        if not _try_lock(lock.fileno()):
            print_progress(f"{verb}: waiting for another {verb} to finish ...")
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
        exit_with_error(f"Please install {' and '.join(missing)}, then run this again.")


def _digest() -> str:
    """Identify an environment by the lock, the project's installed metadata, the Python version and the location."""
    import tomllib

    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    installed = [project["project"], project["build-system"], project["tool"]["setuptools"]]
    python = [platform.python_implementation(), platform.python_version(), sys.platform, platform.machine()]
    content = LOCK_FILE.read_bytes() + repr((installed, python, os.fspath(ROOT))).encode()
    return hashlib.sha256(content).hexdigest()[:16]


def _is_current(digest: str) -> bool:
    target = VENV.resolve()
    named = target.parent == ENVIRONMENTS and target.name.startswith(digest)
    return named and (VENV / STAMP).exists() and program("python").exists()


def _complete() -> list[Path]:
    """Return the complete environments, the newest first."""
    stamps = sorted(ENVIRONMENTS.glob(f"*/{STAMP}"), key=lambda stamp: stamp.stat().st_mtime, reverse=True)
    return [stamp.parent for stamp in stamps if (stamp.parent / _SCRIPTS / f"python{_SUFFIX}").exists()]


def _make(target: Path) -> Path:
    python = target / _SCRIPTS / f"python{_SUFFIX}"
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--no-deps"]
    _step("creating a virtual environment", [sys.executable, "-m", "venv", target])
    locked_pip = target / "pip.lock"
    locked_pip.write_text(_locked("pip"), encoding="utf-8")
    # The locked pip needs half the processor time of the one that comes with Python 3.11.
    if locked_pip.stat().st_size:
        _step("installing pip", [*pip, "--no-compile", "--require-hashes", "-r", locked_pip])
    packages = [*pip, "--no-compile", "--require-hashes", "-r", LOCK_FILE]
    _step("installing the packages of requirements.lock", packages, ", about half a minute")
    print_progress("setup: compiling them on all cores ...")
    library = target / ("Lib" if sys.platform == "win32" else "lib")
    # Its status says only that some package ships a file that is no Python of this version.
    compiling: list[str | Path] = [python, "-m", "compileall", "-qq", "-j", "0", "-x", _COMPILED_WHEN_USED, library]
    subprocess.run(compiling, cwd=ROOT, check=False)
    _step("installing the project", [*pip, "--no-build-isolation", "--editable", ROOT])
    (target / STAMP).write_text(f"{time.strftime('%Y-%m-%d')}\n", encoding="utf-8")
    return target


def _locked(package: str) -> str:
    """Return the entry of a package in requirements.lock; empty if there is none."""
    lines = LOCK_FILE.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(f"{package}==")]
    if not starts:
        return ""
    end = next(number for number in range(starts[0], len(lines)) if not lines[number].endswith("\\"))
    return "\n".join((*lines[starts[0] : end + 1], ""))


def _step(description: str, arguments: Sequence[str | Path], duration: str = "") -> None:
    """Run a step with one line of output; its full output goes into the log, whose end is shown on failure."""
    print_progress(f"setup: {description}{duration} ...")
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
    with SETUP_LOG.open("wb") as log:
        command = [os.fspath(part) for part in arguments]
        done = subprocess.run(command, cwd=ROOT, env=clean, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        lines = SETUP_LOG.read_text(encoding="utf-8", errors="replace").splitlines()
        print_progress("\n".join(f"  {line}" for line in lines[-LOG_TAIL_LINES:]))
        log_name = SETUP_LOG.relative_to(ROOT).as_posix()
        exit_with_error(f"Setup failed while {description}. The full output is in {log_name}; .venv is unchanged.")


def _point_venv_at(target: Path) -> None:
    fresh = ENVIRONMENTS / f"link-{_token()}"
    if sys.platform == "win32":
        subprocess.run(
            ["cmd", "/c", "mklink", "/J", os.fspath(fresh), os.fspath(target)], check=True, stdout=sys.stderr
        )
    else:
        fresh.symlink_to(target.relative_to(VENV.parent))
    replace_path(fresh, VENV)


def _prune(current: Path) -> None:
    """Keep the current environment and the previous one, which a running program may still use."""
    recent = {current, *[folder for folder in _complete() if folder != current][:1]}
    for path in ENVIRONMENTS.iterdir():
        if path not in recent and path.name != "lock":
            remove(path)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two paths in one step; False if the system has no such call."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            exchange_flag = 2  # RENAME_SWAP of <sys/stdio.h>
            return bool(libc.renamex_np(os.fsencode(first), os.fsencode(second), exchange_flag) == 0)
        cwd_fd, exchange_flag = -100, 2  # AT_FDCWD, RENAME_EXCHANGE of <linux/fs.h>
        return bool(libc.renameat2(cwd_fd, os.fsencode(first), cwd_fd, os.fsencode(second), exchange_flag) == 0)
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
