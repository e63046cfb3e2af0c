"""Check the code without running it: lint, format, types on three platforms, import layers, stale generated files.

    python3 build/check.py

Every check runs, also after one has failed, as many at a time as there are cores; the exit status is 1 when any failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import environment

Check = tuple[str, tuple[str, ...]]

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


def main() -> int:
    """Run the checks and return 1 when any failed."""
    environment.ensure()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        passed = list(pool.map(_passes, CHECKS))
    failed = [name for (name, _), is_passed in zip(CHECKS, passed, strict=True) if not is_passed]
    if failed:
        environment.print_progress(f"check: {len(failed)} of {len(CHECKS)} failed: {', '.join(failed)}.")
    return 1 if failed else 0


def _passes(check: Check) -> bool:
    name, command = check
    started = time.perf_counter()
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
    environment.print_progress("\n".join(lines))
    return passed


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    sys.exit(main())
