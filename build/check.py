"""Checks the code without running it: lint, format, types, import layers, stale generated files.

    python3 build/check.py

Every check runs, also after one has failed; the exit status is 1 when any did.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import environment

CHECKS = (
    ("lint", ("ruff", "check", "--output-format", "concise", ".")),
    ("format", ("ruff", "format", "--check", ".")),
    ("types", ("mypy",)),
    ("import layers", ("lint-imports",)),
    ("generated files", ("python", "build/generate.py", "--check")),
)


def main() -> int:
    """Runs every check and gives 1 when any failed."""
    environment.ensure()
    failed = [name for name, command in CHECKS if not _passes(name, command)]
    if failed:
        environment.print_progress(f"check: {len(failed)} of {len(CHECKS)} failed: {', '.join(failed)}.")
    return 1 if failed else 0


def _passes(name: str, command: tuple[str, ...]) -> bool:
    print(f"check: {name:<16}", end="", file=sys.stderr, flush=True)
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
    environment.print_progress(
        f"{'passed' if passed else 'FAILED'}  {time.perf_counter() - started:5.1f} s  {' '.join(command)}"
    )
    if not passed:
        environment.print_progress(done.stdout.decode(errors="replace").rstrip())
    return passed


if __name__ == "__main__":
    sys.exit(main())
