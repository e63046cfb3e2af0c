"""Compiled patterns of the product in a file that all processes of tests share: compiling them takes seconds in each.

The file is the one that the frozen program has. A pattern that it lacks is compiled, so an older file does no harm.
"""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from sidecar.core import lazy_regex

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".pytest_cache" / "patterns"


def use_stored_patterns() -> None:
    """Restore patterns from the file, if there is one, wherever this process uses them first."""
    module_file = lazy_regex.__file__
    lazy_regex.__file__ = os.fspath(FOLDER / "lazy_regex.py")
    try:
        lazy_regex.compiled_patterns.cache_clear()
        lazy_regex.compiled_patterns()
    finally:
        lazy_regex.__file__ = module_file


def store_patterns(patterns: Iterable[lazy_regex.LazyPattern]) -> None:
    """Use the file, which one process writes anew if it lacks a pattern; Linux only."""
    import fcntl

    keys = {(lazy.pattern, int(lazy._flags)) for lazy in patterns}
    with contextlib.suppress(OSError):
        FOLDER.mkdir(parents=True, exist_ok=True)
        with (FOLDER / "lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            use_stored_patterns()
            if not all(lazy_regex.compiled_patterns().restore(*key) for key in keys):
                _write(keys)
                use_stored_patterns()


def _write(keys: Iterable[tuple[str | bytes, int]]) -> None:
    build = os.fspath(ROOT / "build")
    sys.path.append(build)
    try:
        content = importlib.import_module("frozen_inputs").compiled_file(sorted(keys, key=repr))
    finally:
        sys.path.remove(build)
    unfinished = FOLDER / f"{os.getpid()}.new"
    unfinished.write_bytes(content)
    unfinished.replace(FOLDER / lazy_regex.COMPILED_FILE)
