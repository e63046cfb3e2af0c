"""Check the code without running it: lint, format, types on three platforms, import layers, stale generated files.

    python3 build/check.py
    python3 build/check.py --sampled    on the other platforms only the modules that can have other types there
    python3 build/check.py --fast       these only if an earlier run has stored what they need

Every check runs, also after one has failed, as many at a time as there are cores; the exit status is 1 when any failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from platform_modules import platform_modules

import environment

Check = tuple[str, tuple[str, ...]]

CHECKS: tuple[Check, ...] = (
    ("types", ("mypy",)),
    ("types, Windows", ("mypy", "--platform", "win32", "--cache-dir", ".mypy_cache/win32", "sidecar")),
    ("types, macOS", ("mypy", "--platform", "darwin", "--cache-dir", ".mypy_cache/darwin", "sidecar")),
    ("import layers", ("lint-imports",)),
    ("generated files", ("python", "build/generate.py", "--check")),
    ("lint", ("ruff", "check", "--output-format", "concise", ".")),
    ("format", ("ruff", "format", "--check", ".")),
)
"""Name and command of each check, the longest first."""


def main(arguments: list[str]) -> int:
    """Run the checks and return 1 when any failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="leave out the types on other platforms if they are slow")
    parser.add_argument("--sampled", action="store_true", help="on other platforms, check what depends on the platform")
    options = parser.parse_args(arguments)
    environment.ensure()
    checks = [check for check in CHECKS if not (options.fast and _is_slow(check[1]))]
    if options.fast or options.sampled:
        checks = _sampled(checks)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        passed = list(pool.map(_passes, checks))
    failed = [name for (name, _), is_passed in zip(checks, passed, strict=True) if not is_passed]
    if failed:
        environment.print_progress(f"check: {len(failed)} of {len(checks)} failed: {', '.join(failed)}.")
    if len(checks) < len(CHECKS):
        environment.print_progress("check: types on other platforms are left out; a run without --fast checks them.")
    return 1 if failed else 0


def _sampled(checks: Sequence[Check]) -> list[Check]:
    """Return the checks with the types of other platforms reduced to the modules that depend on the platform.

    The others are read for their interfaces alone, which takes half of the time.
    """
    packages = [*environment.VENV.glob("lib/python*/site-packages"), environment.VENV / "Lib" / "site-packages"]
    modules = platform_modules(environment.ROOT / "sidecar", packages[0] / "mypy" / "typeshed" / "stdlib")
    names = [path.relative_to(environment.ROOT).as_posix() for path in modules]
    return [
        (name, (*command[:-1], "--follow-imports", "silent", *names) if "--platform" in command else command)
        for name, command in checks
    ]


def _is_slow(command: tuple[str, ...]) -> bool:
    """Whether a check has a cache of its own that is still empty: it then takes ten seconds instead of one."""
    return "--cache-dir" in command and not (environment.ROOT / command[command.index("--cache-dir") + 1]).exists()


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
    lines = [f"check: {name:<16}{outcome}  {time.perf_counter() - started:5.1f} s  {_shown(command)}"]
    if not passed:
        lines.append(done.stdout.decode(errors="replace").rstrip())
    environment.print_progress("\n".join(lines))
    return passed


def _shown(command: tuple[str, ...]) -> str:
    modules = sum(word.endswith(".py") and word.startswith("sidecar/") for word in command)
    words = command[: len(command) - modules]
    return " ".join((*words, f"({modules} modules)") if modules else words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
