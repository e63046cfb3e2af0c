"""Check the code without running it: lint, format, types on three platforms, import layers, stale generated files.

    python3 build/check.py             every check
    python3 build/check.py --changed   without the type checks of sources that have passed them before

Every check runs, also after one has failed, as many at a time as there are cores; the exit status is 1 when any failed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import environment

Check = tuple[str, tuple[str, ...]]

PASSED = environment.ROOT / ".pytest_cache" / "passed_checks"
"""A file per type check with the digest of all that it read when it passed: it takes four seconds, or nine."""

_TYPES = ("pyrefly", "check", "--output-format", "min-text")

CHECKS: tuple[Check, ...] = (
    ("generated files", ("python", "build/generate.py", "--check")),
    ("types", _TYPES),
    ("types, Windows", (*_TYPES, "--python-platform", "win32", "sidecar")),
    ("types, macOS", (*_TYPES, "--python-platform", "darwin", "sidecar")),
    ("import layers", ("lint-imports",)),
    ("lint", ("ruff", "check", "--output-format", "concise", ".")),
    ("format", ("ruff", "format", "--check", ".")),
)
"""Name and command of each check, the longest first."""


def main(*, only_changed: bool) -> int:
    """Run the checks and return 1 when any failed."""
    environment.ensure()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        passed = list(pool.map(partial(passes, only_changed=only_changed), CHECKS))
    failed = [name for (name, _), is_passed in zip(CHECKS, passed, strict=True) if not is_passed]
    if failed:
        environment.print_progress(f"check: {len(failed)} of {len(CHECKS)} failed: {', '.join(failed)}.")
    return 1 if failed else 0


def digest_of_sources(command: tuple[str, ...]) -> str:
    """Return a digest of a type check's command, of the sources that it reads, and of the installed packages."""
    root = environment.ROOT
    folders = ("sidecar",) if "sidecar" in command else ("sidecar", "build", "tests")
    paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py*") if path.suffix != ".pyc")
    content = hashlib.sha256(repr((command, os.path.realpath(root / ".venv"))).encode())
    for path in (root / "pyproject.toml", root / "requirements.lock", *paths):
        content.update(b"%s\0%s\0" % (os.fsencode(path.relative_to(root)), hashlib.sha256(path.read_bytes()).digest()))
    return content.hexdigest()


def passes(check: Check, *, only_changed: bool) -> bool:
    """Run a check and print its outcome; return whether it passed."""
    name, command = check
    started = time.perf_counter()
    digest = digest_of_sources(command) if command[: len(_TYPES)] == _TYPES else ""
    stored = PASSED / name
    if only_changed and digest and stored.exists() and stored.read_text(encoding="utf-8") == digest:
        environment.print_progress(f"check: {name:<16}passed before, with the same sources")
        return True
    tool = environment.program(command[0])
    done = subprocess.run(
        [os.fspath(tool), *command[1:]],
        cwd=environment.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    passed = done.returncode == 0
    outcome = "passed" if passed else "FAILED"
    lines = [f"check: {name:<16}{outcome}  {time.perf_counter() - started:5.1f} s  {' '.join(command)}"]
    if not passed:
        lines.append(done.stdout.decode(errors="replace").rstrip())
    elif digest and digest == digest_of_sources(command):  # nothing changed meanwhile
        PASSED.mkdir(parents=True, exist_ok=True)
        stored.write_text(digest, encoding="utf-8")
    environment.print_progress("\n".join(lines))
    return passed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changed", action="store_true", help="no type check that passed with the same sources")
    sys.exit(main(only_changed=parser.parse_args().changed))
